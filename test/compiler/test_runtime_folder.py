"""A folder that was built runs its model with numpy alone, to the compiler's bits."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import static_runtime as sr
from static_runtime.compiler.ir.target import isa_name
from static_runtime.compiler.runtime_folder import build_runtime, runtime_files
from static_runtime.compiler.session.errors import CompileError
from static_runtime.compiler.tools.build import main
from static_runtime.runtime.inputs import random_inputs

from ..models.stored import STORED
from ..runtime.texts import RUNNING, without_kernels

ROOT = Path(__file__).parent.parent.parent
DIGITS = ROOT / "examples" / "digits" / "digits.onnx"
TRAINED = sorted((ROOT / "test" / "models" / "trained").glob("*.onnx"))

pytestmark = pytest.mark.usefixtures("runs_host")

ADDS = """
func.func @main(%x: tensor<?x1003xf32, ["n"]>) -> tensor<?x1003xf32, ["n"]> {
  %0 = graph.add %x, %x : tensor<?x1003xf32, ["n"]>, tensor<?x1003xf32, ["n"]>
      -> tensor<?x1003xf32, ["n"]>
  func.return %0 : tensor<?x1003xf32, ["n"]>
}"""


@pytest.fixture(scope="module")
def packages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of packages with numpy in it, and nothing else."""
    folder = tmp_path_factory.mktemp("packages")
    place = Path(np.__file__).parent
    for each in (place, place.with_name("numpy.libs")):
        if each.exists():
            (folder / each.name).symlink_to(each)
    return folder


@pytest.fixture(scope="module")
def adds(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the runtime and a model of one op, which no test changes."""
    folder = tmp_path_factory.mktemp("adds")
    build_runtime(ADDS, ["host"], folder / "rt")
    return folder


def python(packages: Path, folder: Path, *arguments: str) -> str:
    """What Python prints, in a folder, with these packages alone."""
    environment = {**os.environ, "PYTHONPATH": str(packages)}
    # -S: without the packages of this Python.
    command = [sys.executable, "-S", "-W", "error", *arguments]
    done = subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True
    )
    return done.stdout if done.returncode == 0 else done.stderr


def expected(model: Any, inputs: dict[str, Any]) -> list[Any]:
    """What the compiler's own module answers."""
    result = sr.compile(model, target=isa_name("host"))(**inputs)
    return [*result] if type(result) is tuple else [result]


# The largest take as long as all others together, and have the same ops.
LARGE = ("basic_pitch", "version-RFB-320")


@pytest.mark.sampled(every=10)
@pytest.mark.parametrize(
    "model",
    [
        pytest.param(each, marks=pytest.mark.soak if each.stem in LARGE else ())
        for each in (STORED["deep_wide"].dynamic, DIGITS, *TRAINED)
    ],
    ids=lambda each: each.stem,
)
def test_a_model_answers_as_the_compiler_does(
    model: Path, packages: Path, tmp_path: Path
):
    build_runtime(model, ["host"], tmp_path / "rt")
    program = sr.compile(model, target=isa_name("host")).program
    inputs = random_inputs(program, 3, dict.fromkeys(program.symbols, 2))
    np.savez(tmp_path / "x.npz", allow_pickle=False, **inputs)
    arguments = ("--input", "x.npz", "--output", "y.npz")
    said = python(packages, tmp_path, "-m", "rt.run", "model.sr", *arguments)
    assert said.count("\n") == len(program.outputs), said
    found = np.load(tmp_path / "y.npz")
    for name, array in zip(found.files, expected(model, inputs), strict=True):
        assert found[name].tobytes() == array.tobytes()
        assert found[name].shape == array.shape


def test_threads_share_the_work_as_elsewhere(packages: Path, adds: Path):
    lines = (
        "import rt, sys, threading, numpy as np",
        "m = rt.load('rt/model.sr', threads=3)",
        "x = np.ones((900, 1003), np.float32)",
        "print((m(x) == 2).all(), threading.active_count())",
        "print(*sorted({'llvmlite', 'xdsl', 'onnx'} & {*sys.modules}))",
    )
    assert python(packages, adds, "-c", "\n".join(lines)) == "True 3\n\n"


@pytest.mark.parametrize("name", ["llvmlite", "xdsl", "static_runtime"])
def test_there_is_nothing_but_numpy(name: str, packages: Path, tmp_path: Path):
    said = python(packages, tmp_path, "-c", f"import numpy, {name}")
    assert f"No module named '{name}'" in said


def test_the_folder_is_small_and_has_no_compiler(tmp_path: Path):
    written = build_runtime(ADDS, ["host"], tmp_path / "rt")
    size = sum(path.stat().st_size for path in written)
    assert {path for path in (tmp_path / "rt").rglob("*") if path.is_file()} == {
        *written
    }
    print(f"adds: {size} bytes, model.sr {written[-1].stat().st_size}")
    assert size < 900_000
    for path in written:
        if path.suffix == ".py":
            assert not re.search("^import xdsl|from xdsl", path.read_text()), path


def test_what_a_run_imports_is_in_the_folder():
    names = {path.name for path in runtime_files()}
    assert {"linker.py", "module.py", "host.py", "run.py", "thread_pool.py"} <= names
    assert not names & {"thread_pool_text.py", "llvm_text.py", "cache.py"}


def test_several_targets_are_built_and_the_greatest_runs(
    packages: Path, tmp_path: Path
):
    targets = f"aarch64,x86-64,{isa_name('host')}"
    path = tmp_path / "adds.mlir"
    path.write_text(ADDS)
    main([str(path), "-o", str(tmp_path / "rt"), "--target", targets])
    made = {path.name for path in (tmp_path / "rt").glob("model.*.sr")}
    names = {*targets.split(",")}
    assert made == {f"model.{name}.sr" for name in names}
    pools = {path.name for path in (tmp_path / "rt").glob("*.o")}
    assert pools == {"thread_pool.x86_64.o", "thread_pool.aarch64.o"}
    said = python(packages, tmp_path, "-m", "rt.run", "model.sr", "--output", "y.npz")
    program = sr.compile(ADDS).program
    inputs = random_inputs(program, 0, dict.fromkeys(program.symbols, 1))
    (answer,) = expected(ADDS, inputs)
    with np.load(tmp_path / "y.npz") as found:
        (array,) = found.values()
    assert array.tobytes() == answer.tobytes(), said


def test_a_model_with_ops_that_run_in_python_is_refused_with_its_nodes(tmp_path: Path):
    refused = pytest.raises(CompileError, match=r"cannot be built: graph\.cumsum")
    with without_kernels(), refused:
        build_runtime(RUNNING, ["host"], tmp_path / "rt")
    assert not (tmp_path / "rt").exists()


def test_a_folder_of_other_things_is_left_alone(tmp_path: Path):
    (tmp_path / "mine.txt").write_text("mine")
    with pytest.raises(CompileError, match="expected an empty folder"):
        build_runtime(ADDS, ["host"], tmp_path)
    assert [each.name for each in tmp_path.iterdir()] == ["mine.txt"]
    with pytest.raises(CompileError, match="got the file"):
        build_runtime(ADDS, ["host"], tmp_path / "mine.txt")


def test_a_folder_that_was_built_is_built_again(adds: Path, tmp_path: Path):
    shutil.copytree(adds / "rt", tmp_path / "rt")
    for path in build_runtime(ADDS, ["host"], tmp_path / "rt"):
        first = adds / path.relative_to(tmp_path)
        assert path.read_bytes() == first.read_bytes()


def test_an_unknown_target_is_refused(tmp_path: Path):
    with pytest.raises(CompileError, match="expected a target like x86-64"):
        build_runtime(ADDS, ["x86-64-v9"], tmp_path / "rt")


def shorter(data: bytes) -> bytes:
    """A file without its end."""
    return data[:-40]


def other(data: bytes) -> bytes:
    """Another file."""
    return data[:0] + b"none"


def damaged(data: bytes) -> bytes:
    """A file with one bit changed."""
    return data[:-1] + bytes([data[-1] ^ 1])


@pytest.mark.sampled(every=3)
@pytest.mark.parametrize(
    ("change", "message"),
    [
        (shorter, "expected an artifact for runtime"),
        (other, "expected an artifact for runtime"),
        (damaged, "was changed"),
    ],
)
def test_a_broken_model_is_refused_without_a_traceback(
    change: Callable[[bytes], bytes],
    message: str,
    packages: Path,
    adds: Path,
    tmp_path: Path,
):
    shutil.copytree(adds / "rt", tmp_path / "rt")
    path = tmp_path / "rt" / "model.sr"
    path.write_bytes(change(path.read_bytes()))
    said = python(packages, tmp_path, "-m", "rt.run", "model.sr")
    assert said.startswith("python -m rt.run: ")
    assert message in said
    assert "Traceback" not in said
