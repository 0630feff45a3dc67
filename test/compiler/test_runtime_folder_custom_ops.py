"""
What is built of models with users' ops: folders, bundles, libraries and selections have
their code and name their packages, or refuse with a sentence.
"""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import static_runtime as sr
from static_runtime.compiler.bundle.bundle import Network, make_bundle
from static_runtime.compiler.compile import Compilation
from static_runtime.compiler.runtime_folder import build_runtime
from static_runtime.compiler.tools.build import main as build
from static_runtime.compiler.tools.trace import main as trace

from ..custom_ops import expected, model, numbers

PYTHON = (
    "expected a model of compiled ops alone, got some that are run by their numpy "
    "reference, a PythonKernel or a framework, which cannot be built: test.python; "
    "give ops of your own a NestKernel or an LlvmKernel"
)

NATIVE = (
    "expected a model of compiled ops alone, got some that call C functions of a "
    "NativeKernel, which cannot be built: test.native.native; give these ops a "
    "NestKernel or an LlvmKernel"
)


def run_built(folder: Path, name: str) -> None:
    """Runs a model of a built folder in a process that has numpy alone."""
    x = numbers(5, 4)
    np.save(folder / "x.npy", x)
    program = f"""
import sys
sys.path.insert(0, {str(folder)!r})
import numpy as np
import rt
np.save("y.npy", rt.load({name!r})(np.load("x.npy")))
assert not {{"xdsl", "llvmlite", "static_runtime"}} & sys.modules.keys()
"""
    subprocess.run([sys.executable, "-c", program], check=True, cwd=folder)
    np.testing.assert_array_equal(np.load(folder / "y.npy"), expected(x))


@pytest.mark.sampled(every=2)
@pytest.mark.parametrize("kind", ["nest", "llvm"])
def test_a_folder_has_the_code_of_users(kind: str, tmp_path: Path):
    build_runtime(model(f"test.{kind}"), ["host"], tmp_path / "rt")
    run_built(tmp_path, "model.sr")


@pytest.mark.parametrize(("kind", "message"), [("python", PYTHON), ("native", NATIVE)])
def test_a_folder_refuses_what_is_in_this_process(
    kind: str, message: str, tmp_path: Path
):
    with pytest.raises(sr.CompileError) as error:
        build_runtime(model(f"test.{kind}"), ["host"], tmp_path / "rt")
    assert str(error.value) == message


def said(main: object, *arguments: object, capsys: pytest.CaptureFixture[str]) -> str:
    """What a command prints to its end."""
    assert callable(main)
    try:
        main([*map(str, arguments)])
    except SystemExit as end:
        if isinstance(end.code, str):
            return end.code
    captured = capsys.readouterr()
    return captured.out + captured.err


@pytest.mark.sampled(every=2)
@pytest.mark.parametrize("kind", ["nest", "llvm"])
def test_a_selection_names_packages(
    kind: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    source = tmp_path / "own.mlir"
    source.write_text(model(f"test.{kind}"))
    for flags in (["--size", "n=3"], ["--static"]):
        text = said(trace, source, *flags, capsys=capsys)
        assert "custom_classes:\n- test-ops\n" in text
    assert f"    test::{kind}:\n" in text
    selection = tmp_path / "own.yaml"
    selection.write_text(text)
    said(build, source, "--yaml", selection, "-o", tmp_path / "rt", capsys=capsys)
    said(build, source, "-o", tmp_path / "rt/own.sr", capsys=capsys)
    run_built(tmp_path, "own.sr")


def test_a_package_that_is_not_selected_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    source = tmp_path / "own.mlir"
    source.write_text(model("test.nest"))
    text = said(trace, source, "--static", capsys=capsys)
    selection = tmp_path / "without.yaml"
    selection.write_text(text.replace("\n- test-ops", " []"))
    refused = said(
        *(build, source, "--yaml", selection, "-o", tmp_path / "rt"), capsys=capsys
    )
    assert (
        "expected a selection with the package test-ops, which has ops of a model, got "
        "one without\ncustom_classes: [test-ops]"
    ) in refused


@pytest.mark.parametrize(("kind", "message"), [("python", PYTHON), ("native", NATIVE)])
def test_a_library_refuses_what_is_in_this_process(
    kind: str, message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    source = tmp_path / "own.mlir"
    source.write_text(model(f"test.{kind}"))
    refused = said(
        *(build, source, "--include-all", "-o", tmp_path / "rt"), capsys=capsys
    )
    assert message in refused


def bundled(kind: str) -> bytes:
    """The object of a bundle of a model."""
    compilation = Compilation(model(f"test.{kind}", 3))
    return make_bundle([Network(compilation, "own")]).code


def test_a_bundle_has_the_code_of_users_or_refuses_it():
    assert b"own" in bundled("llvm")
    with pytest.raises(sr.CompileError) as error:
        bundled("native")
    assert str(error.value) == NATIVE
    with pytest.raises(sr.CompileError, match="expected a bundle of ops that have"):
        bundled("python")
