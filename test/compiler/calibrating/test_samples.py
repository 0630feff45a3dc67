"""Arrays of samples are cut into calls, or refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import static_runtime as sr
from static_runtime.compiler.calibrating.samples import calls_of, checked_samples
from static_runtime.runtime.program.program import Program

from ...runtime.texts import DOUBLE

TWO = """func.func @main(%x : tensor<2x3xf32>, %n : tensor<?x3xf32, ["n"]>)
    -> (tensor<2x3xf32>, tensor<?x3xf32, ["n"]>)
    attributes {graph.input_names = ["x", "n"]} {
  %1 = graph.relu %x : tensor<2x3xf32> -> tensor<2x3xf32>
  %2 = graph.relu %n : tensor<?x3xf32, ["n"]> -> tensor<?x3xf32, ["n"]>
  return %1, %2 : tensor<2x3xf32>, tensor<?x3xf32, ["n"]>
}"""

X = np.arange(24, dtype=np.float32).reshape(4, 2, 3)


@pytest.fixture(scope="module")
def program() -> Program:
    """The program of a model of two inputs, of a fixed and of an open size."""
    return sr.compile(TWO).program


def shapes(sample: Any, program: Program) -> list[tuple[tuple[int, ...], ...]]:
    """The shapes of the arrays of each call."""
    return [(c["x"].shape, c["n"].shape) for c in calls_of([sample], program)]


def test_an_array_of_the_shape_of_an_input_is_a_call(program: Program):
    assert shapes({"x": X[0], "n": X[0]}, program) == [((2, 3), (2, 3))]
    assert shapes((X[0], X.reshape(8, 3)), program) == [((2, 3), (8, 3))]


def test_a_stack_is_a_call_for_each(program: Program):
    assert shapes({"x": X, "n": X[:, :1]}, program) == [((2, 3), (1, 3))] * 4


def test_rows_are_cut_where_the_size_is_fixed(program: Program):
    calls = [*calls_of([{"x": X.reshape(8, 3), "n": X}], program)]
    assert all((call["x"] == each).all() for call, each in zip(calls, X, strict=True))


def test_a_file_is_as_sr_run_takes_it(program: Program, tmp_path: Path):
    np.savez(tmp_path / "a.npz", in0=X, n=X)
    assert len(shapes(tmp_path / "a.npz", program)) == 4
    np.savez(tmp_path / "b.npz", y=X)
    with pytest.raises(sr.CompileError, match="expected arrays for x, n, got y"):
        shapes(tmp_path / "b.npz", program)
    with pytest.raises(sr.CompileError, match=r"expected an \.npz or \.npy file, got"):
        shapes(tmp_path / "c.npz", program)


WRONG: dict[str, tuple[Any, str]] = {
    "calls": ({"x": X, "n": X[0]}, "calls of each input, got 4 of x, 1 of n; stack"),
    "axes": ({"x": X[0, 0], "n": X}, r"samples of 'x' of shape \[2, 3\], or a stack"),
    "rows": ({"x": X.reshape(8, 3)[:5], "n": X}, r"one after the other, got \[5, 3\]"),
    "unknown": ({"x": X, "m": X}, "expected arrays for x, n, got x, m"),
    "missing": ({}, "expected arrays for x, n, got none"),
    "fewer": ((X,), r"an array for each input \(x, n\), got 1 arrays"),
    "empty": ({"x": X[:0], "n": X[:0]}, r"with elements, got shape \[0, 2, 3\]"),
    "nothing": ({"x": X, "n": X[:, :0]}, r"with elements, got shape \[4, 0, 3\]"),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_is_no_sample(name: str, program: Program):
    sample, message = WRONG[name]
    with pytest.raises(sr.CompileError, match=message):
        shapes(sample, program)


def test_samples_are_one_or_several():
    assert checked_samples("a.npz") == ["a.npz"]
    assert checked_samples([{"x": 1}, (2,)]) == [{"x": 1}, (2,)]
    with pytest.raises(sr.CompileError, match="expected one sample or more, got none"):
        checked_samples([])
    with pytest.raises(sr.CompileError, match=r"expected samples, .* got int"):
        checked_samples(3)


def test_an_array_is_the_sample_of_the_only_input():
    program = sr.compile(DOUBLE).program
    (call,) = calls_of([X[0]], program)
    assert [*call] == [program.inputs[0].name]
    assert (call[program.inputs[0].name] == X[0]).all()
