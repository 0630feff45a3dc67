"""A model computes the same from views as from copies, and refuses the same sizes."""

from __future__ import annotations

import numpy as np
import pytest

import static_runtime as sr
from static_runtime.compiler.session.options import Options

UNCACHED = Options(cache=False)

PARTS = """
func.func @main(%x: tensor<?x4xf32, ["n"]>, %w: tensor<4x2xf32>)
    -> (tensor<?x2xf32, ["n"]>, tensor<1x4xf32>, tensor<?x4xf32, ["n"]>,
        tensor<3xf32>) {
  %e = graph.exp %x : tensor<?x4xf32, ["n"]> -> tensor<?x4xf32, ["n"]>
  %two = graph.concat %e, %x {axis = 0 : i64}
      : tensor<?x4xf32, ["n"]>, tensor<?x4xf32, ["n"]> -> tensor<?x4xf32, ["2 * n"]>
  %a = graph.slice %two {starts = ["0", "0"],
      sizes = ["n", "4"], steps = array<i64: 1, 1>}
      : tensor<?x4xf32, ["2 * n"]> -> tensor<?x4xf32, ["n"]>
  %b = graph.slice %two {starts = ["n", "0"],
      sizes = ["n", "4"], steps = array<i64: 1, 1>}
      : tensor<?x4xf32, ["2 * n"]> -> tensor<?x4xf32, ["n"]>
  %c = graph.slice %x {starts = ["n - 2", "0"],
      sizes = ["1", "4"], steps = array<i64: 1, 1>}
      : tensor<?x4xf32, ["n"]> -> tensor<1x4xf32>
  %d = graph.slice %x {starts = ["n - 1", "1"],
      sizes = ["1", "3"], steps = array<i64: 1, 1>}
      : tensor<?x4xf32, ["n"]> -> tensor<1x3xf32>
  %p = graph.matmul %a, %w
      : tensor<?x4xf32, ["n"]>, tensor<4x2xf32> -> tensor<?x2xf32, ["n"]>
  %q = graph.neg %c : tensor<1x4xf32> -> tensor<1x4xf32>
  %row = graph.reshape %d {shape = ["3"]} : tensor<1x3xf32> -> tensor<3xf32>
  %s, %i = graph.sort %row {axis = 0 : i64, descending = false}
      : tensor<3xf32> -> tensor<3xf32>, tensor<3xi64>
  return %p, %q, %b, %s
      : tensor<?x2xf32, ["n"]>, tensor<1x4xf32>, tensor<?x4xf32, ["n"]>, tensor<3xf32>
}
"""

LOOP = """
func.func @main(%s: tensor<1x4xf32>, %x: tensor<?x4xf32, ["n"]>)
    -> (tensor<4x1xf32>, tensor<?x4x1xf32, ["n"]>) {
  %0 = graph.permute %s {order = array<i64: 1, 0>} : tensor<1x4xf32> -> tensor<4x1xf32>
  %1, %2 = graph.loop %0, %x {trips = "n", carried = 1 : i64, scanned = 1 : i64,
      conditional = false, backward = array<i64: 0, 0>}
      : tensor<4x1xf32>, tensor<?x4xf32, ["n"]>
      -> tensor<4x1xf32>, tensor<?x4x1xf32, ["n"]> {
  ^bb0(%h: tensor<4x1xf32>, %e: tensor<4xf32>):
    %a = graph.permute %h {order = array<i64: 1, 0>}
        : tensor<4x1xf32> -> tensor<1x4xf32>
    %b = graph.mul %a, %e : tensor<1x4xf32>, tensor<4xf32> -> tensor<1x4xf32>
    %c = graph.permute %b {order = array<i64: 1, 0>}
        : tensor<1x4xf32> -> tensor<4x1xf32>
    %d = graph.neg %a : tensor<1x4xf32> -> tensor<1x4xf32>
    %f = graph.permute %d {order = array<i64: 1, 0>}
        : tensor<1x4xf32> -> tensor<4x1xf32>
    graph.yield %c, %f : tensor<4x1xf32>, tensor<4x1xf32>
  }
  return %1, %2 : tensor<4x1xf32>, tensor<?x4x1xf32, ["n"]>
}
"""


def test_parts_have_the_elements_of_the_whole():
    model = sr.compile(PARTS, options=UNCACHED)
    random = np.random.default_rng(0)
    w = random.standard_normal((4, 2)).astype(np.float32)
    for n in (2, 5, 3, 40, 2):
        x = random.standard_normal((n, 4)).astype(np.float32)
        p, q, b, s = model(x, w)
        np.testing.assert_allclose(p, np.exp(x) @ w, 1e-5)
        assert np.array_equal(q, -x[n - 2 : n - 1])
        assert np.array_equal(b, x)
        assert np.array_equal(s, np.sort(x[n - 1, 1:]))
        # A result is the caller's, and not a view of an input.
        b[:] = 0
        assert not np.array_equal(x, b)


def test_a_part_that_is_not_there_is_refused():
    model = sr.compile(PARTS, options=UNCACHED)
    with pytest.raises(ValueError, match="expected a slice inside"):
        model(np.zeros((1, 4), np.float32), np.zeros((4, 2), np.float32))


def test_views_of_what_a_loop_carries_are_read_before_that_is_overwritten():
    model = sr.compile(LOOP, options=UNCACHED)
    random = np.random.default_rng(0)
    for n in (0, 1, 4):
        s = random.standard_normal((1, 4)).astype(np.float32)
        x = random.standard_normal((n, 4)).astype(np.float32)
        state, states = (
            s.T.copy(),
            list[np.ndarray[tuple[int, ...], np.dtype[np.float32]]](),
        )
        for row in x:
            states.append(-state)
            state = state * row[:, None]
        last, stacked = model(s, x)
        assert np.array_equal(last, state)
        assert np.array_equal(stacked, np.array(states, np.float32).reshape(n, 4, 1))


START = """
func.func @main(%x: tensor<1xf32>, %y: tensor<?xf32, ["k"]>) -> tensor<1xf32> {
  %0 = graph.slice %x {starts = ["k"], sizes = ["1"], steps = array<i64: 1>}
      : tensor<1xf32> -> tensor<1xf32>
  func.return %0 : tensor<1xf32>
}
"""


def test_a_slice_of_one_element_begins_at_it():
    module = sr.compile(START, options=UNCACHED)
    x = np.ones(1, np.float32)
    np.testing.assert_array_equal(module(x, np.ones(0, np.float32)), x)
    with pytest.raises(ValueError, match="expected a slice inside tensor<1xf32>"):
        module(x, np.ones(1, np.float32))
