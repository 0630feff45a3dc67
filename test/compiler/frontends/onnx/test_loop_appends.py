"""Loops of ONNX that append to a tensor in each trip, as detectors paste masks."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from onnx.reference import ReferenceEvaluator

import static_runtime as sr
from static_runtime.compiler.session import UnsupportedModelError

from .interpreter import model


def appending(axis: int, body: str = "", grown: str = "t, r") -> Any:
    """A model of f32[n, 3] whose loop appends the square of a row along an axis."""
    begins = ("float[0, 3] begin = {}", "float[3, 2] begin = {1, 2, 3, 4, 5, 6}")
    yes = "int64 zero = {0}, bool yes = {1}"
    return model(
        f"""
    g (float[n, 3] x, float[3] w) => (float[a, b] y, float[3] last, float[n] sums)
      <int64[1] axes = {{{axis}}}, {yes}, {begins[axis]}> {{
      sizes = Shape (x)
      n = Gather (sizes, zero)
      y, last, sums = Loop (n, yes, begin, w) <
        body = b (int64 i, bool c, float[p, q] t, float[3] v)
            => (bool on, float[k, l] u, float[3] v2, float s) {{
          on = Identity (c)
          row = Gather<axis = 0> (x, i)
          v2 = Add (v, row)
          square = Mul (row, v2)
          r = Unsqueeze (square, axes)
          {body}
          u = Concat<axis = {axis}> ({grown})
          s = ReduceSum<keepdims = 0> (square)
        }}
      >
    }}"""
    )


@pytest.mark.parametrize("grown", ["t, r", "t, r, r"])
@pytest.mark.parametrize("axis", [0, 1])
def test_what_is_appended_is_there_after_any_number_of_trips(axis: int, grown: str):
    source = appending(axis, grown=grown)
    module = sr.compile(source, options=sr.Options(cache=False))
    judge, random = ReferenceEvaluator(source), np.random.default_rng(0)
    for n in (1, 4, 70):
        x = random.standard_normal((n, 3), np.float32)
        w = random.standard_normal(3, np.float32)
        given = {"x": x, "w": w}
        *wanted, sums = judge.run(None, given)
        wanted.append(sums.reshape(n))  # which the reference stacks as columns
        for mine, its in zip(module(**given), wanted, strict=True):
            np.testing.assert_allclose(mine, its, rtol=1e-4, atol=1e-4)
    none = module(np.zeros((0, 3), np.float32), w)[0]
    assert none.shape == ((0, 3) if axis == 0 else (3, 2))


@pytest.mark.parametrize(
    ("body", "grown"),
    [("", "r, t"), ("m = ReduceSum<keepdims = 1> (t, axes)", "t, m"), ("", "t, t")],
)
def test_a_loop_that_does_more_with_it_is_refused(body: str, grown: str):
    with pytest.raises(UnsupportedModelError, match="a loop in which sizes change"):
        sr.compile(appending(1, body, grown), options=sr.Options(cache=False))
