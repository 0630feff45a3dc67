"""Loops of ONNX as tf2onnx writes them: all is carried, and counted in floats."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from onnx.reference import ReferenceEvaluator

import static_runtime as sr

from .interpreter import model

X = np.arange(12, dtype=np.float32).reshape(3, 4) - 5

CARRIED = """
g (float[n, 4] x) => (float[n, 4] y, int64[1] s, float[m, n, 4] z)
  <int64 trips = {3}, bool yes = {1}, int64[1] two = {2}> {
  y, s, z = Loop (trips, yes, x, two) <
    body = b (int64 i, bool c, float[n, 4] a, int64[1] k)
        => (bool on, float[n, 4] a2, int64[1] k3, float[n, 4] r)
      <int64[1] zero = {0}, int64[1] four = {4}, int64[1] axis = {1}> {
      on = Identity (c)
      part = Slice (a, zero, four, axis, k)
      a2 = Concat <axis = 1> (part, part)
      r = Identity (a2)
      k2 = Identity (k)
      k3 = Identity (k2)
    }
  >
}"""

COUNTED_IN_FLOATS = """
g (float[n, 4] x) => (int32 count, float[m, 4] y)
  <int32 begin = {0}, float first = {0}, int64 zero = {0}, bool yes = {1}> {
  shape = Shape (x)
  sizes = Cast <to = 6> (shape)
  size = Gather (sizes, zero)
  end = Cast <to = 1> (size)
  go = Less (first, end)
  count, same, y = Loop (, go, begin, x) <
    body = b (int64 i, bool c, int32 j, float[p, 4] a)
        => (bool on, int32 j2, float[p, 4] a, float[4] row)
      <int32 one = {1}, int64 zero = {0}> {
      j2 = Add (j, one)
      row0 = Gather (a, j)
      row = Neg (row0)
      shape = Shape (a)
      sizes = Cast <to = 6> (shape)
      size = Gather (sizes, zero)
      end = Cast <to = 1> (size)
      reached = Cast <to = 1> (j2)
      on = Less (reached, end)
    }
  >
}"""

APPENDED = """
g (float[n, 4] x) => (float[m, 4] y, int64 last)
  <int64 most = {9223372036854775807}, int64 begin = {2}, int64 end = {5},
   bool yes = {1}, float[0, 4] empty = {}> {
  y, last = Loop (most, yes, empty, begin) <
    body = b (int64 i, bool c, float[k, 4] a, int64 j)
        => (bool on, float[l, 4] a2, int64 j2) <int64 one = {1}> {
      times = Cast <to = 1> (j)
      rows = Mul (x, times)
      a2 = Concat <axis = 0> (a, rows)
      j2 = Add (j, one)
      on = Less (j2, end)
    }
  >
}"""


def check(source: Any, sizes: tuple[int, ...]):
    """ONNX's reference has equal results for each number of rows."""
    module = sr.compile(source, options=sr.Options(cache=False))
    judge = ReferenceEvaluator(source)
    for rows in sizes:
        x = X[:rows]
        wanted = judge.run(None, {"x": x})
        for mine, its in zip(module(x), wanted, strict=True):
            np.testing.assert_array_equal(mine, np.reshape(its, mine.shape))
            assert mine.size == np.size(its)


@pytest.mark.parametrize("text", [CARRIED, COUNTED_IN_FLOATS, APPENDED])
def test_a_trip_reads_what_no_trip_changes(text: str):
    check(model(text), (3, 1))


@pytest.mark.parametrize("trips", [0, 3])
def test_a_value_that_is_only_carried_comes_out(trips: int):
    source = model(f"""
    g (float[n, 4] x) => (float[n, 4] same, float[n, 4] y)
      <int64 trips = {{{trips}}}, bool yes = {{1}}> {{
      w = Neg (x)
      same, y = Loop (trips, yes, w, x) <
        body = b (int64 i, bool c, float[n, 4] k, float[n, 4] a)
            => (bool on, float[n, 4] k, float[n, 4] a2) {{
          on = Identity (c)
          a2 = Add (a, k)
        }}
      >
    }}""")
    check(source, (3, 1))


def test_a_body_may_take_the_number_of_a_trip_as_a_vector():
    source = model("""
    g (float[n, 4] x) => (float[n, 4] y, float[k, m, 4] z)
      <int64 trips = {2}, bool yes = {1}> {
      y, z = Loop (trips, yes, x) <
        body = b (int64[1] i, bool[1] c, float[n, 4] a)
            => (bool[1] on, float[n, 4] a2, float[m, 4] row) <int64[1] one = {1}> {
          on = Identity (c)
          end = Add (i, one)
          row = Slice (x, i, end)
          a2 = Add (a, row)
        }
      >
    }""")
    y, z = sr.compile(source, options=sr.Options(cache=False))(X)
    np.testing.assert_array_equal(y, X + X[0] + X[1])
    np.testing.assert_array_equal(z, [X[:1], X[1:2]])


SLICED = """
g (float[n, 4] x, int64[n] at) => (float[k, 4] y) <int64[1] axes = {0}> {
  ends = Add (at, at)
  y = Slice (x, at, ends, axes)
}"""


def test_a_run_has_as_many_starts_as_axes():
    module = sr.compile(model(SLICED), options=sr.Options(cache=False))
    assert module(X[:1], np.array([0])).shape == (0, 4)
    with pytest.raises(ValueError, match=r"Slice.*expected"):
        module(X, np.array([1, 1, 1]))


def test_starts_of_a_slice_are_a_vector():
    source = model(SLICED.replace("int64[n] at", "int64 at"))
    with pytest.raises(sr.CompileError, match=r"Slice.*: expected vectors of numbers"):
        sr.compile(source, options=sr.Options(cache=False))
