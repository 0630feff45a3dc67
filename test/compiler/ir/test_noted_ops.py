"""
What is cached of a model with users' ops fits these, and has no address in it.
"""

import copy
import ctypes
import pickle
import subprocess
import sys
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest

import static_runtime as sr
from static_runtime.compiler.ir.registry import forget_op

from ...custom_ops import KINDS, Unary, by_address, expected, loops, model, numbers


def make(name: str, *kernels: Any) -> type[Unary]:
    """An op, in place of what was registered before."""

    class Made(Unary):
        KERNELS: ClassVar = kernels

    Made.name = name
    forget_op(name)
    return sr.register_op(Made)


@pytest.mark.sampled(every=2)
@pytest.mark.parametrize("kind", KINDS)
def test_a_second_compile_is_warm(kind: str):
    text, x = model(f"test.{kind}", columns=6), numbers(3, 6)
    sr.compile(text)
    again = sr.compile(text)
    assert again.report.warm
    np.testing.assert_array_equal(again(x), expected(x))


@pytest.mark.sampled(every=2)
@pytest.mark.parametrize("kind", KINDS)
def test_a_module_is_pickled_and_copied(kind: str):
    compiled, x = sr.compile(model(f"test.{kind}", columns=7)), numbers(3, 7)
    for each in (pickle.loads(pickle.dumps(compiled)), copy.deepcopy(compiled)):
        np.testing.assert_array_equal(each(x), expected(x))


def test_an_op_that_was_changed_is_compiled_again():
    text, x = model("test.changed"), numbers(3, 4)
    make("test.changed", sr.NestKernel(loops))
    np.testing.assert_array_equal(sr.compile(text)(x), expected(x))

    def other(x: Any) -> Any:
        return x - x

    make("test.changed", sr.PythonKernel(other))
    changed = sr.compile(text)
    assert not changed.report.warm
    np.testing.assert_array_equal(changed(x), np.zeros_like(x))
    assert sr.compile(text).report.warm


OTHER = """
import pickle
import sys
import numpy as np

if sys.argv[2] == "with":
    import custom_ops
module = pickle.loads(open(sys.argv[1], "rb").read())
x = np.ones((3, 9), np.float32)
print(float(module(x).sum()), module.report.warm)
"""


def run(path: Path, what: str) -> subprocess.CompletedProcess[str]:
    """What another process does with a pickle."""
    folder = Path(__file__).parents[2]
    return subprocess.run(
        [sys.executable, "-c", OTHER, str(path), what],
        *(),
        capture_output=True,
        text=True,
        check=False,
        cwd=folder,
    )


@pytest.mark.full(beside="test_a_second_compile_is_warm")
@pytest.mark.parametrize("kind", KINDS)
def test_another_process_finds_functions_by_name(kind: str, tmp_path: Path):
    compiled = sr.compile(model(f"test.{kind}", columns=9))
    compiled(numbers(3, 9))
    path = tmp_path / "module.pickle"
    path.write_bytes(pickle.dumps(compiled))
    address = ctypes.cast(by_address, ctypes.c_void_p).value
    assert address is not None
    assert address.to_bytes(8, "little") not in path.read_bytes()
    found = run(path, "with")
    assert found.stdout.split() == ["-81.0", "True"], found.stderr
    lacking = run(path, "without")
    assert not lacking.stdout
    assert f"test.{kind}" in lacking.stderr
    assert "register_op" in lacking.stderr
