"""`compile` takes what a model can be, and finds what it compiled before."""

from __future__ import annotations

import shutil
import subprocess
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest

import static_runtime as sr
from static_runtime.compiler import artifact_cache
from static_runtime.compiler import compile as compiling
from static_runtime.compiler.compile import Compilation
from static_runtime.compiler.driver.driver import Driver
from static_runtime.compiler.passes.pipeline import pipeline
from static_runtime.compiler.session.errors import ModelFileError
from static_runtime.compiler.session.host import host_text
from static_runtime.lowering import llvm_to_object
from static_runtime.lowering.llvm_to_object.thread_pool import CompilePool
from static_runtime.runtime.files.safetensors import write
from static_runtime.runtime.machine.thread_pool import usable_threads
from static_runtime.runtime.planning import PLANNERS

from ..runtime.texts import RUNNING, without_kernels

MODEL = """
func.func @model(%x: tensor<?x3xf32, ["batch"]>) -> tensor<?x3xf32, ["batch"]> {
  %0 = graph.neg %x : tensor<?x3xf32, ["batch"]> -> tensor<?x3xf32, ["batch"]>
  return %0 : tensor<?x3xf32, ["batch"]>
}
"""

WEIGHTED = """
builtin.module attributes {graph.weights = "model.safetensors"} {
  func.func @weighted(%x: tensor<?x3xf32, ["batch"]>) -> tensor<?x3xf32, ["batch"]> {
    %0 = graph.weight "w" : tensor<3xf32>
    %1 = graph.add %x, %0 : tensor<?x3xf32, ["batch"]>, tensor<3xf32>
      -> tensor<?x3xf32, ["batch"]>
    return %1 : tensor<?x3xf32, ["batch"]>
  }
}
"""
"""A model with weights in a file beside it."""

X = np.array([[1, -2, 3], [-4, 5, -6]], np.float32)


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The cache of a test, which is its own."""
    folder = tmp_path / "cache"
    monkeypatch.setenv("STATIC_RUNTIME_CACHE", str(folder))
    return folder


def stored(folder: Path, weights: Any, text: str = WEIGHTED) -> Path:
    """A model in a folder, with its weights beside it."""
    folder.mkdir(exist_ok=True)
    (folder / "model.mlir").write_text(text)
    write(folder / "model.safetensors", {"w": np.array(weights, np.float32)})
    return folder / "model.mlir"


def test_takes_text():
    np.testing.assert_array_equal(sr.compile(MODEL)(X), -X)
    np.testing.assert_array_equal(sr.compile(MODEL.replace("\n", " "))(X), -X)


def test_takes_a_file_by_its_path_or_its_name(tmp_path: Path):
    path = tmp_path / "model.mlir"
    path.write_text(MODEL)
    for each in (path, str(path)):
        np.testing.assert_array_equal(sr.compile(each)(X), -X)


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (None, "expected a path to an .onnx, .mlir or .pt2 file, .* got NoneType"),
        (3, "expected a path to an .onnx, .mlir or .pt2 file, .* got int"),
        ({}, "expected a path to an .onnx, .mlir or .pt2 file, .* got dict"),
        (
            np.zeros(3),
            "expected a path to an .onnx, .mlir or .pt2 file, .* got ndarray",
        ),
        ("", "expected a model, got a folder"),
        ("none.onnx", "^none.onnx: expected a model, got no such file$"),
        (Path("none.mlir"), "^none.mlir: expected a model, got no such file$"),
        (Path(__file__), r"ends in \.onnx, \.mlir or \.pt2, got \.py$"),
        (Path(__file__).parent, "expected a model, got a folder$"),
        ("\n", "<text>"),
        ("builtin.module {\n}", "expected a model of one function, got 0 functions"),
        (MODEL + MODEL.replace("@model", "@b"), "one function, got 2 functions"),
        (MODEL.replace("graph.neg", "graph.new"), r"graph\.new is not registered"),
        (MODEL.replace("x3xf32", "x3xf128"), "expected elements of f32, f64, .*f128"),
        (MODEL.replace("x3xf32", "x3xi8"), "expected elements of f32, f64, .*i8"),
        (MODEL.replace(', ["batch"]', ""), "expected a name for every ?"),
        (MODEL.replace("batch", "2 *"), "expected a number or a symbol"),
        (MODEL.replace("batch", "n * m"), "which does not; give the model an input"),
        (MODEL[:-20], "<text>:"),
    ],
)
def test_refuses_what_is_no_model(model: Any, message: str):
    with pytest.raises(sr.CompileError, match=message):
        sr.compile(model)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"\xff\xfe\x00", "expected text, got"),
        (b"", "expected a model of one function, got 0|Could not parse"),
        (b"func.func @f(", "model.mlir"),
    ],
)
def test_an_error_names_the_file(tmp_path: Path, data: bytes, message: str):
    path = tmp_path / "model.mlir"
    path.write_bytes(data)
    with pytest.raises(sr.CompileError, match=message):
        sr.compile(path)


def test_a_name_that_no_file_can_have():
    with pytest.raises(sr.CompileError, match="got a name that is too long"):
        sr.compile("x" * 5000 + ".onnx")


def test_refuses_a_planner_that_there_is_not():
    with pytest.raises(
        sr.CompileError, match="expected a planner like naive, got naiv"
    ):
        sr.Options(planner="naiv")
    with pytest.raises(
        sr.CompileError, match="expected a precision f32 or bf16, got f16"
    ):
        sr.Options(precision="f16")


def test_refuses_a_target_that_there_is_not():
    with pytest.raises(
        sr.CompileError, match=r"expected a target like x86-64.*got x86"
    ):
        sr.compile(MODEL, target="x86")


def test_reports_the_passes_that_ran():
    report = sr.compile(MODEL).report
    expected = [each.name for each in pipeline(sr.Options(), "host")]
    assert [name for name, _ in report.passes] == expected
    assert all(seconds >= 0 for _, seconds in report.passes)
    assert not report.warm


@pytest.mark.sampled(every=3)
@pytest.mark.parametrize("planner", PLANNERS)
def test_every_planner_computes_the_same(planner: str):
    module = sr.compile(RUNNING, options=sr.Options(planner=planner))
    np.testing.assert_array_equal(module(X)[0], np.cumsum(np.maximum(X, 0), 0) * X)
    assert module.program.planner == planner


@pytest.fixture
def fallbacks() -> Iterator[None]:
    """Lets the ops of `RUNNING` run their references."""
    with without_kernels():
        yield


def outputs(answer: Any) -> tuple[Any, ...]:
    """The outputs of a call, one or several."""
    several = cast("tuple[Any, ...]", answer)
    return several if isinstance(answer, tuple) else (answer,)


def forbid(monkeypatch: pytest.MonkeyPatch) -> None:
    """Lets nothing be read or compiled from here on."""

    def refuse(*_: Any, **__: Any) -> Any:
        raise AssertionError("expected nothing to be compiled")

    monkeypatch.setattr(Compilation, "front_end", refuse)
    monkeypatch.setattr(Driver, "lower", refuse)
    monkeypatch.setattr("llvmlite.binding.parse_assembly", refuse)
    monkeypatch.setattr("llvmlite.binding.create_pass_builder", refuse)


@pytest.mark.parametrize("text", [MODEL, RUNNING])
@pytest.mark.usefixtures("fallbacks")
def test_a_warm_start_compiles_nothing(text: str, monkeypatch: pytest.MonkeyPatch):
    cold = sr.compile(text)
    forbid(monkeypatch)
    warm = sr.compile(text)
    assert (cold.report.warm, warm.report.warm) == (False, True)
    assert warm.report.passes == ()
    assert warm.report.llvm_seconds == 0
    assert warm.report.kernels == cold.report.kernels
    assert warm.report.object_bytes == cold.report.object_bytes
    assert warm.report.constant_bytes == cold.report.constant_bytes
    assert warm.program == cold.program
    for x in (X, X[:1], X[:0]):
        for one, other in zip(outputs(warm(x)), outputs(cold(x)), strict=True):
            np.testing.assert_array_equal(one, other)
    with pytest.raises(AssertionError, match="expected nothing to be compiled"):
        sr.compile(text, options=sr.Options(planner="naive"))


def test_as_many_threads_compile_as_run(monkeypatch: pytest.MonkeyPatch):
    asked: list[int] = []

    def pool(threads: int) -> CompilePool:
        asked.append(threads)
        return CompilePool(threads)

    monkeypatch.setattr(llvm_to_object, "CompilePool", pool)
    for threads in (None, 1, 3):
        sr.compile(MODEL, options=sr.Options(cache=False, threads=threads))
    assert asked == [usable_threads(), 1, 3]


WARM = """
import sys
import numpy as np
import static_runtime as sr

module = sr.compile(sys.argv[1])
module(np.ones((2, 3), np.float32))
print(module.report.warm, "xdsl" in sys.modules, "onnx" in sys.modules)
"""


@pytest.mark.sampled(every=2)
@pytest.mark.parametrize(("text", "imports"), [(MODEL, False), (RUNNING, True)])
@pytest.mark.usefixtures("fallbacks")
def test_a_warm_start_imports_xdsl_for_references_only(text: str, imports: bool):
    sr.compile(text)
    done = subprocess.run(
        [sys.executable, "-c", WARM, text], capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == ["True", str(imports), "False"]


def test_the_cache_may_be_left_out(cache: Path):
    for _ in range(2):
        module = sr.compile(MODEL, options=sr.Options(cache=False))
        assert not module.report.warm
        assert module.report.cached_kernels == 0
    assert not cache.exists()
    sr.compile(MODEL)
    assert not sr.compile(MODEL, options=sr.Options(cache=False)).report.warm


def test_kernels_are_found_where_models_are_not():
    assert sr.compile(MODEL).report.cached_kernels == 0
    other = sr.compile(MODEL.replace("@model", "@other")).report
    assert not other.warm
    assert other.cached_kernels >= other.distinct_kernels > 0


def is_warm(model: Any, **named: Any) -> bool:
    """Whether a model is found, and not compiled."""
    return sr.compile(model, **named).report.warm


def test_the_options_are_a_part_of_the_key():
    naive = sr.Options(planner="naive")
    assert not is_warm(MODEL)
    assert not is_warm(MODEL, options=naive)
    assert is_warm(MODEL)
    assert is_warm(MODEL, options=naive)


def test_the_target_is_a_part_of_the_key():
    machine = "aarch64" if "aarch64" in host_text() else "x86-64"
    assert not is_warm(MODEL)
    assert not is_warm(MODEL, target=machine)
    assert is_warm(MODEL)
    assert is_warm(MODEL, target=machine)


def test_the_compiler_is_a_part_of_the_key(monkeypatch: pytest.MonkeyPatch):
    assert not is_warm(MODEL)
    assert len(compiling.version()) == 64
    monkeypatch.setattr(compiling, "version", lambda: "another")
    assert not is_warm(MODEL)
    assert is_warm(MODEL)


def test_text_and_a_file_are_models_of_their_own(tmp_path: Path):
    path = tmp_path / "model.mlir"
    path.write_text(MODEL)
    assert not is_warm(MODEL)
    assert not is_warm(path)
    assert is_warm(path)
    path.write_text(MODEL.replace("neg", "abs"))
    module = sr.compile(path)
    assert not module.report.warm
    np.testing.assert_array_equal(module(X), abs(X))


def test_the_weights_are_a_part_of_the_key(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    path = stored(tmp_path / "a", [1, 2, 3])
    for weights in ([1, 2, 3], [1, 2, 4], [1, 2, 3]):
        stored(tmp_path / "a", weights)
        for warm in (False, True):
            module = sr.compile(path)
            assert module.report.warm == warm
            np.testing.assert_array_equal(module(X), X + np.array(weights, "f4"))
    forbid(monkeypatch)
    assert is_warm(path)


def test_a_model_may_be_moved_with_its_weights(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    sr.compile(stored(tmp_path / "a", [1, 2, 3]))
    shutil.move(tmp_path / "a", tmp_path / "b")
    assert is_warm(tmp_path / "b" / "model.mlir")
    monkeypatch.chdir(tmp_path / "b")
    assert is_warm("model.mlir")
    stored(Path(), [1, 1, 1])
    np.testing.assert_array_equal(sr.compile("model.mlir")(X), X + 1)


def test_a_warm_model_needs_its_weights_still(tmp_path: Path):
    path = stored(tmp_path / "a", [1, 2, 3])
    sr.compile(path)
    (tmp_path / "a" / "model.safetensors").unlink()
    with pytest.raises(
        ModelFileError, match=r"expected its weights in model\.safetensors"
    ):
        sr.compile(path)


@pytest.mark.parametrize(
    "name", ["../w.safetensors", "/w.safetensors", "sub/../../w.safetensors"]
)
def test_weights_outside_of_the_folder_are_refused(tmp_path: Path, name: str):
    write(tmp_path / "w.safetensors", {"w": np.zeros(3, np.float32)})
    name = name.replace("/w", str(tmp_path / "w")) if name[0] == "/" else name
    text = WEIGHTED.replace("model.safetensors", name)
    with pytest.raises(ModelFileError, match="expected weights in the folder of the"):
        sr.compile(stored(tmp_path / "a", [1, 2, 3], text))


def test_weights_are_not_followed_out_of_the_folder(tmp_path: Path):
    path = stored(tmp_path / "a", [1, 2, 3])
    secret = tmp_path / "secret.safetensors"
    (tmp_path / "a" / "model.safetensors").rename(secret)
    (tmp_path / "a" / "model.safetensors").symlink_to(secret)
    with pytest.raises(ModelFileError, match="expected weights in the folder of the"):
        sr.compile(path)


@pytest.mark.parametrize("data", [b"", b"12345678", b"\xff" * 100])
def test_weights_of_another_format_are_refused(tmp_path: Path, data: bytes):
    path = stored(tmp_path / "a", [1, 2, 3])
    (tmp_path / "a" / "model.safetensors").write_bytes(data)
    with pytest.raises(ModelFileError, match=r"model\.safetensors: expected"):
        sr.compile(path)


def test_a_full_disk_does_not_keep_a_model_from_running(
    cache: Path, monkeypatch: pytest.MonkeyPatch
):
    def refuse(*_: Any) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(artifact_cache, "save", refuse)
    with pytest.warns(RuntimeWarning, match="No space left on device; they are"):
        module = sr.compile(MODEL)
    np.testing.assert_array_equal(module(X), -X)
    assert not list(cache.glob("*.sr"))


def test_a_cache_that_others_can_write_to_is_not_used(cache: Path):
    sr.compile(MODEL)
    cache.chmod(0o777)
    with pytest.warns(RuntimeWarning, match="computed anew in each process"):
        module = sr.compile(MODEL)
    assert not module.report.warm
    np.testing.assert_array_equal(module(X), -X)
    cache.chmod(0o700)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert is_warm(MODEL)


def test_who_wants_to_see_passes_sees_them():
    sr.compile(MODEL)
    seen: list[str] = []
    compilation = Compilation(MODEL, after_pass=lambda each, _: seen.append(each.name))
    assert not compilation.run().report.warm
    assert seen == [each.name for each in pipeline(sr.Options(), "host")]
