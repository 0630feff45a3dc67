"""Branches of an If that find sizes of their own."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from onnx import parser
from onnx.reference import ReferenceEvaluator

import static_runtime as sr

from ....models.open_models import several
from .interpreter import Array

HEADER = '<ir_version: 9, opset_import: ["" : 17]>'

ROWS = """
g (bool c, float[N, 3] x, int64[1] n) => (float[M, 3] y, int64[K] at) {
  y, at = If (c) <
    then_branch = t () => (float[A, 3] a, int64[B] b) {
      zero = Constant<value = int64[1] {0}>()
      one = Constant<value = int64[1] {1}>()
      flat = Constant<value = int64[1] {-1}>()
      column = Slice (x, zero, one, one)
      line = Reshape (column, flat)
      found = NonZero (line)
      b = Squeeze (found, zero)
      a = Gather (x, b)
    },
    else_branch = e () => (float[D, 3] d, int64[E] f) {
      zero = Constant<value = int64[1] {0}>()
      d = Slice (x, zero, n)
      f = Mul (n, n)
    }
  >
}"""
"""The rows that begin with another number than 0, or the first ones."""

BOTH_AXES = """
g (bool c, float[N, N] x) => (float[P, Q] y, float[R] z) {
  y = If (c) <
    then_branch = t () => (float[A, B] a) {
      zero = Constant<value = int64[1] {0}>()
      one = Constant<value = int64[1] {1}>()
      flat = Constant<value = int64[1] {-1}>()
      side = Slice (x, zero, one)
      line = Reshape (side, flat)
      found = NonZero (line)
      at = Squeeze (found, zero)
      rows = Gather (x, at)
      a = Gather<axis = 1> (rows, at)
    },
    else_branch = e () => (float[C, D] d) { d = Exp (x) }
  >
  axes = Constant<value = int64[1] {1}>()
  z = ReduceSum<keepdims = 0> (y, axes)
}"""
"""A part of a matrix, with as many columns as rows, and sums of what there is."""

NESTED = """
g (bool c, bool e, float[N] x) => (float[M] y) {
  found = If (c) <
    then_branch = t () => (float[A] a) {
      a = If (e) <
        then_branch = tt () => (float[B] b) {
          zero = Constant<value = int64[1] {0}>()
          places = NonZero (x)
          at = Squeeze (places, zero)
          b = Gather (x, at)
        },
        else_branch = te () => (float[C] f) {
          one = Constant<value = int64[1] {1}>()
          two = Constant<value = int64[1] {2}>()
          f = Slice (x, one, two)
        }
      >
    },
    else_branch = o () => (float[D] d) { d = Concat<axis = 0> (x, x) }
  >
  y = Neg (found)
}"""

T, F = np.array(True), np.array(False)


def matrix(*shape: int) -> Array:
    """Numbers, and zeros between them."""
    found = np.random.default_rng(len(shape)).integers(-1, 2, shape)
    return found.astype(np.float32)


CASES: dict[str, tuple[str, Sequence[Sequence[Array]]]] = {
    "rows": (
        ROWS,
        [
            (c, matrix(rows, 3), np.array([count]))
            for c in (T, F)
            for rows, count in ((1, 1), (5, 0), (5, 3), (8, 20), (40, 39))
        ],
    ),
    "both_axes": (BOTH_AXES, [(c, matrix(n, n)) for c in (T, F) for n in (1, 2, 9)]),
    "nested": (
        NESTED,
        [(c, e, matrix(n)) for c in (T, F) for e in (T, F) for n in (1, 2, 19)],
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_the_branch_that_runs_decides_how_much_there_is(name: str):
    text, calls = CASES[name]
    model = parser.parse_model(HEADER + text)
    compiled = sr.compile(model, options=sr.Options(cache=False, fallback="error"))
    reference = ReferenceEvaluator(model)
    names = [each.name for each in model.graph.input]
    for inputs in calls:
        wanted = reference.run(None, dict(zip(names, inputs, strict=True)))
        for got, expected in zip(several(compiled(*inputs)), wanted, strict=True):
            np.testing.assert_allclose(got, expected, rtol=1e-6)


def test_nothing_found_is_an_empty_result():
    model = parser.parse_model(HEADER + ROWS)
    compiled = sr.compile(model, options=sr.Options(cache=False))
    rows, at = compiled(T, np.zeros((4, 3), np.float32), np.array([1]))
    assert rows.shape == (0, 3)
    assert at.shape == (0,)
