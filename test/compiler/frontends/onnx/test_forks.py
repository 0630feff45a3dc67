"""What a model may be where its text leaves two ranks open, and what decides."""

from __future__ import annotations

import numpy as np
import pytest
from onnx.reference import ReferenceEvaluator

import static_runtime as sr

from .interpreter import model

OPTIONS = sr.Options(cache=False, threads=1)

DECLARED = """
g (float[1, batch, 5] x) => (float[n] y) {
  start = Constant<value = int64[1] {1}>()
  end = Constant<value = int64[1] {3}>()
  s = Squeeze (x)
  y = Slice (s, start, end)
}"""

TWICE = """
g (float[a, 3] x, float[b, 3] w) => (float[n] y) {
  s = Squeeze (x)
  t = Squeeze (x)
  u = Squeeze (w)
  v = Concat<axis = 0> (t, u)
  y = Concat<axis = 0> (s, v)
}"""

JOINED = """
g (float[batch, 5] x, float[4] v) => (float[n] y) {
  s = Squeeze (x)
  y = Concat<axis = 0> (s, v)
}"""

WRONG = """
g (float[1, batch, 5] x) => (float[k, n, m, l] y) {
  y = Squeeze (x)
}"""


@pytest.mark.parametrize("text", [DECLARED, TWICE, JOINED])
def test_an_open_size_is_1_where_the_rest_fits_that_alone(text: str):
    given = model(text, 18)
    module = sr.compile(given, options=OPTIONS)
    random = np.random.default_rng(3)
    inputs = {
        each.name: random.standard_normal(
            [size.dim_value or 1 for size in each.type.tensor_type.shape.dim]
        ).astype(np.float32)
        for each in given.graph.input
    }
    (wanted,) = ReferenceEvaluator(given).run(None, inputs)
    np.testing.assert_array_equal(module(**inputs), wanted)


def test_other_sizes_are_refused_then():
    module = sr.compile(model(DECLARED, 18), options=OPTIONS)
    with pytest.raises(ValueError, match="expected equal sizes batch and 1, got 2"):
        module(np.ones((1, 2, 5), np.float32))


def test_an_open_size_is_not_1_where_neither_fits_what_is_declared():
    module = sr.compile(model(WRONG, 18), options=OPTIONS)
    x = np.ones((1, 2, 5), np.float32)
    np.testing.assert_array_equal(module(x), x[0])
    with pytest.raises(ValueError, match=r"a size batch other than 1, by .*make it 1"):
        module(x[:, :1])
