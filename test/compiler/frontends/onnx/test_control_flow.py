"""If, Loop and Scan, and sizes that a run computes, in machine code."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from onnx.reference import ReferenceEvaluator

import static_runtime as sr
from static_runtime.compiler.session.errors import (
    CompileError,
    UnsupportedModelError,
)

from .interpreter import Array, model, read

X = np.arange(-3, 5, dtype=np.float32).reshape(2, 4)

IF = """
g (bool c, float[2, 4] x) => (float[2, 4] y, float[4] z) {
  w = Constant<value = float[4] {1, 2, 3, 4}>()
  y, z = If (c) <
    then_branch = then () => (float[2, 4] a, float[4] b) {
      a = Mul (x, w)
      b = Identity (w)
    },
    else_branch = otherwise () => (float[2, 4] d, float[4] e) {
      axes = Constant<value = int64[1] {0}>()
      d = Neg (x)
      e = ReduceSum<keepdims = 0> (d, axes)
    }
  >
}"""

NESTED = """
g (bool c, bool e, float[2, 4] x) => (float[2, 4] y) {
  h = Exp (x)
  y = If (c) <
    then_branch = t () => (float[2, 4] a) {
      k = Relu (x)
      a = If (e) <
        then_branch = tt () => (float[2, 4] b) { b = Add (h, k) },
        else_branch = te () => (float[2, 4] b2) { b2 = Sub (h, x) }
      >
    },
    else_branch = f () => (float[2, 4] d) { d = Identity (h) }
  >
}"""

COUNTED = """
g (float[2, 4] x) => (float[2, 4] last, float[5, 4] sums) {
  limit = Constant<value = int64 {5}>()
  yes = Constant<value = bool {1}>()
  axes = Constant<value = int64[1] {0}>()
  last, sums = Loop (limit, yes, x) <
    body = b (int64 i, bool c, float[2, 4] s)
        => (bool on, float[2, 4] t, float[4] sum) {
      on = Identity (c)
      f = Cast<to = 1> (i)
      u = Add (s, f)
      t = Mul (u, x)
      sum = ReduceSum<keepdims = 0> (t, axes)
    }
  >
}"""

SWAPPED = """
g (int64 n, float[2, 4] x, float[2, 4] y) => (float[2, 4] a, float[2, 4] b) {
  yes = Constant<value = bool {1}>()
  a, b = Loop (n, yes, x, y) <
    body = l (int64 i, bool c, float[2, 4] s, float[2, 4] t)
        => (bool on, float[2, 4] t2, float[2, 4] s2) {
      on = Identity (c)
      t2 = Identity (t)
      s2 = Relu (s)
    }
  >
}"""

UNTIL = """
g (float[1] x, float[1] top) => (float[1] last, float[n, 1] all) {
  limit = Constant<value = int64 {12}>()
  yes = Constant<value = bool {1}>()
  last, all = Loop (limit, yes, x) <
    body = b (int64 i, bool c, float[1] s) => (bool[1] on, float[1] t, float[1] u) {
      t = Add (s, s)
      on = Less (t, top)
      u = Identity (t)
    }
  >
}"""

GROWING = """
g (float[n, 2] x) => (float[m, 2] y) {
  limit = Constant<value = int64 {3}>()
  yes = Constant<value = bool {1}>()
  y = Loop (limit, yes, x) <
    body = b (int64 i, bool c, float[k, 2] s) => (bool on, float[j, 2] t) {
      on = Identity (c)
      t = Concat<axis = 0> (s, x)
    }
  >
}"""

SCAN = """
g (float[4] start, float[3, 4] x, float[4, 3] w) => (float[4] last, float[4, 3] all) {
  last, all = Scan<
    num_scan_inputs = 2, scan_input_axes = [0, 1], scan_input_directions = [1, 0],
    scan_output_axes = [1], scan_output_directions = [1],
    body = b (float[4] s, float[4] e, float[4] v) => (float[4] t, float[4] out) {
      p = Mul (e, v)
      t = Add (s, p)
      out = Sub (t, e)
    }
  > (start, x, w)
}"""

SLICED = """
g (float[n, 4] x, int64[1] start, int64[1] end) => (float[m, 4] y) {
  axes = Constant<value = int64[1] {0}>()
  part = Slice (x, start, end, axes)
  y = Exp (part)
}"""

STEPS = """
g (float[n, 4] x, int64[2] start, int64[2] end) => (float[m, k] y) {
  axes = Constant<value = int64[2] {0, 1}>()
  steps = Constant<value = int64[2] {2, 3}>()
  y = Slice (x, start, end, axes, steps)
}"""

PLACES = "g (float[2, 4] x) => (int64[2, n] y) { y = NonZero (x) }"

KEPT = """
g (float[n, 4] x, bool[m] c) => (float[k, 4] y, float s) {
  y = Compress<axis = 0> (x, c)
  s = ReduceSum<keepdims = 0> (y)
}"""

LONG = np.arange(40, dtype=np.float32).reshape(10, 4) / 40
YES, NO = np.array(True), np.array(False)
TOP = np.array([30], np.float32)

CASES: dict[str, tuple[str, list[Array]]] = {
    "then": (IF, [YES, X]),
    "else": (IF, [NO, X]),
    "nested, both true": (NESTED, [YES, YES, X]),
    "nested, one true": (NESTED, [YES, NO, X]),
    "nested, none true": (NESTED, [NO, YES, X]),
    "counted": (COUNTED, [X]),
    "swapped even times": (SWAPPED, [np.array(4), X, X + 1]),
    "swapped odd times": (SWAPPED, [np.array(3), X, X + 1]),
    "swapped never": (SWAPPED, [np.array(0), X, X + 1]),
    "swapped a negative number of times": (SWAPPED, [np.array(-2), X, X + 1]),
    "until": (UNTIL, [np.ones(1, np.float32), TOP]),
    "until the limit": (UNTIL, [np.zeros(1, np.float32), TOP]),
    "until at once": (UNTIL, [TOP + 1, TOP]),
    "growing": (GROWING, [LONG[:3, :2]]),
    "sliced": (SLICED, [LONG, np.array([2]), np.array([7])]),
    "sliced from the end": (SLICED, [LONG, np.array([-3]), np.array([100])]),
    "sliced to nothing": (SLICED, [LONG, np.array([5]), np.array([2])]),
    "sliced in steps": (STEPS, [LONG, np.array([1, 0]), np.array([-1, 4])]),
    "places": (PLACES, [X]),
    "no places": (PLACES, [np.zeros_like(X)]),
    "kept": (KEPT, [LONG, np.arange(10) % 3 == 0]),
    "fewer conditions": (KEPT, [LONG, np.array([False, True])]),
    "nothing kept": (KEPT, [LONG, np.zeros(10, bool)]),
}


@pytest.mark.parametrize("name", CASES)
def test_computes_what_onnx_does(name: str):
    text, inputs = CASES[name]
    source = model(text)
    names = [each.name for each in source.graph.input]
    expected = ReferenceEvaluator(source).run(
        None, dict(zip(names, inputs, strict=True))
    )
    got: Any = sr.compile(source, options=sr.Options(cache=False))(*inputs)
    results = list[Any](got) if len(expected) > 1 else [got]
    interpreted = read(source).run(*inputs)
    for one, two, wanted in zip(results, interpreted, expected, strict=True):
        assert one.shape == wanted.shape
        np.testing.assert_allclose(one, wanted, rtol=1e-5, atol=1e-6)
        np.testing.assert_allclose(two, wanted, rtol=1e-5, atol=1e-6)


def test_a_scan_goes_along_any_axis_in_any_direction():
    start, x, w = X[0], LONG[:3], LONG[:4, :3]
    last, every = sr.compile(model(SCAN), options=sr.Options(cache=False))(start, x, w)
    state, columns = start, [start] * 3
    for trip in range(3):
        element = x[2 - trip]
        state = state + element * w[:, trip]
        columns[2 - trip] = state - element
    np.testing.assert_allclose(last, state, rtol=1e-6)
    np.testing.assert_allclose(every, np.stack(columns, 1), rtol=1e-6)


def test_a_loop_may_have_no_condition():
    text = COUNTED.replace("(limit, yes, x)", "(limit, , x)")
    modules = [
        sr.compile(model(each), options=sr.Options(cache=False))
        for each in (COUNTED, text)
    ]
    for one, two in zip(*(each(X) for each in modules), strict=True):
        np.testing.assert_array_equal(one, two)


def test_one_compilation_serves_all_sizes():
    module = sr.compile(model(SLICED), options=sr.Options(cache=False))
    for size in (1, 4, 9, 2):
        for start in range(size):
            got = module(LONG[:size], [start], [size])
            np.testing.assert_allclose(got, np.exp(LONG[start:size]), rtol=1e-6)


def test_a_loop_is_planned_with_its_model():
    module = sr.compile(model(COUNTED), options=sr.Options(cache=False))
    assert module.plan.size == module.plan.lower_bound
    for _ in range(3):
        module(X)


OF_SIZES = {
    "a cache that one branch reads": ("Concat<axis=1> (p, x)", "Neg (x)"),
    "an axis of one": ("ReduceSum (x, i)", "Neg (x)"),
    "other numbers": ("Transpose (w)", "Relu (w)"),
    "a part": ("Slice (x, i, j, i)", "Concat<axis=1> (x, x, x)"),
}


@pytest.mark.parametrize("name", OF_SIZES)
def test_data_may_choose_between_sizes(name: str):
    first, second = OF_SIZES[name]
    source = model(
        f"""
    g (bool c, float[n, m] x, float[n, l] p, float[2, 4] w) => (float[a, b] y)
      <int64[1] i = {{1}}, int64[1] j = {{2}}> {{
      r = If (c) <
        then_branch = t () => (float[?, ?] a) {{ a = {first} }},
        else_branch = e () => (float[?, ?] b) {{ b = {second} }}
      >
      y = Exp (r)
    }}"""
    )
    module = sr.compile(source, options=sr.Options(cache=False))
    random, judge = np.random.default_rng(0), ReferenceEvaluator(source)
    for n, m, k in ((3, 4, 5), (1, 1, 1), (2, 3, 0), (2, 9, 2), (0, 2, 2)):
        given = {
            "x": random.standard_normal((n, m), np.float32),
            "p": random.standard_normal((n, k), np.float32),
            "w": random.standard_normal((2, 4), np.float32),
        }
        for taken in (True, False):
            c = np.array(taken)
            (wanted,) = judge.run(None, {**given, "c": c})
            got = module(c=c, **given)
            assert got.shape == wanted.shape, (n, m, k, taken)
            np.testing.assert_allclose(got, wanted, rtol=1e-5)


def test_branches_of_different_ranks_are_refused():
    text = """
    g (bool c, float[2, 4] x) => (float[n, m] y) {
      y = If (c) <
        then_branch = t () => (float[2, 4] a) { a = Neg (x) },
        else_branch = e () => (float b) { b = ReduceSum<keepdims=0> (x) }
      >
    }"""
    with pytest.raises(CompileError, match="branches with results of one type"):
        sr.compile(model(text), options=sr.Options(cache=False))


def test_a_loop_without_an_end_is_refused():
    text = """
    g (float[2] x) => (float[2] y) {
      y = Loop ( , , x) <
        body = b (int64 i, bool c, float[2] s) => (bool on, float[2] t) {
          on = Identity (c)
          t = Neg (s)
        }
      >
    }"""
    with pytest.raises(CompileError, match="a loop that ends"):
        sr.compile(model(text), options=sr.Options(cache=False))


def test_loops_of_one_trip_are_built_once_at_any_depth():
    depth, body = 24, "y0 = Neg (x)"
    for level in range(1, depth + 1):
        body = f"""y{level} = Loop (limit, yes, x) <
            body = b{level} (int64 i{level}, bool c{level}, float[n] s{level})
                => (bool on{level}, float[n] t{level}) {{
              on{level} = Not (yes)
              {body}
              e{level} = Exp (s{level})
              t{level} = Concat<axis = 0> (e{level}, y{level - 1})
            }}
          >"""
    text = f"""
    g (float[2] x) => (float[m] y) {{
      limit = Constant<value = int64 {{1}}>()
      yes = Constant<value = bool {{1}}>()
      {body}
      y = Identity (y{depth})
    }}"""
    x = np.array([0.5, -1], np.float32)
    (got,) = read(model(text)).run(x)
    np.testing.assert_allclose(got, [*np.tile(np.exp(x), depth), *-x], rtol=1e-6)


STATES = """
g (float[4] x) => (float[4] last) {
  limit = Constant<value = int64 {3}>()
  yes = Constant<value = bool {1}>()
  one = Constant<value = int64 {1}>()
  two = Constant<value = float {2}>()
  last, a, n = Loop (limit, yes, x, two, one) <
    body = b (int64 i, bool c, float[4] s, float t, int64 k)
        => (bool on, float[4] u, float v, int64 m) {
      on = Identity (c)
      zero = Constant<value = int64 {0}>()
      step = Constant<value = int64 {1}>()
      r = Range (zero, k, step)
      f = ReduceSum<keepdims = 0> (r)
      g = Cast<to = 1> (f)
      u = Add (s, g)
      v = Identity (t)
      m = Add (k, step)
    }
  >
}"""


def test_no_input_is_named_for_what_a_trip_of_a_loop_is_given():
    with pytest.raises(UnsupportedModelError) as caught:
        sr.compile(model(STATES, 18))
    assert "Range (a count that is computed" in str(caught.value)
    assert "constants=" not in str(caught.value)


RAGGED = """g (int64[b] l, float[b,2] h, float[b,t,2] x, float[b,t] u) =>
    (float y, float z, float w) { y, z, w = Scan<num_scan_inputs = 2,
    directions = [DIRECTIONS], body = g1 (float[2] a, float[2] e, float f) =>
    (float[2] c, float[2] d, float g) { p = Mul(a, f) c = Add(p, e) d = Neg(c)
    g = Identity(f) }>(l, h, x, u) }"""


@pytest.mark.parametrize("ways", ["0, 0", "1, 0", "1, 1"])
def test_a_scan_of_batches_ends_at_the_length_of_each_row(ways: str):
    module = sr.compile(
        model(RAGGED.replace("DIRECTIONS", ways), 8), options=sr.Options(cache=False)
    )
    random = np.random.default_rng(0)
    for lengths in ([4, 4], [1, 3, 2], [2, 0], [1]):
        batch, time = len(lengths), max(lengths)
        h, x, u = (
            random.standard_normal(shape).astype(np.float32)
            for shape in ((batch, 2), (batch, time, 2), (batch, time))
        )
        stacks, scales = np.zeros_like(x), np.zeros_like(u)
        states = h.copy()
        for row, count in enumerate(lengths):
            rows, factors = (
                each[row, :count][:: -1 if way == "1" else 1]
                for each, way in zip((x, u), ways.split(", "), strict=True)
            )
            for place in range(count):
                states[row] = states[row] * factors[place] + rows[place]
                stacks[row, place] = -states[row]
                scales[row, place] = factors[place]
        got = module(l=np.array(lengths), h=h, x=x, u=u)
        for found, expected in zip(got, (states, stacks, scales), strict=True):
            np.testing.assert_allclose(found, expected, 1e-5, 1e-6)
        for wrong in (time + 1, -1):
            several, most = np.array([*lengths[1:], wrong]), f"0 to {time}, got {wrong}"
            with pytest.raises(IndexError, match=f"expected an index from {most}"):
                module(l=several, h=h, x=x, u=u)


def test_a_scan_of_batches_is_over_rows_of_one_axis():
    text = """g (int64[2] s, float[2,3] h, float[{batch},5,3] x) => (float[2,3] y) {{
        y = Scan<num_scan_inputs = 1, directions = [{ways}], body = b (float[3] a,
        float[3] e) => (float[3] c) {{ c = Add(a, e) }}>({lengths}, h, x) }}"""
    with pytest.raises(CompileError, match="expected a direction for each tensor"):
        read(model(text.format(batch=2, ways="0, 1", lengths=""), 8))
    with pytest.raises(CompileError, match="tensors of one length to scan, got 2, 3"):
        read(model(text.format(batch=3, ways="0", lengths=""), 8))


SHORT = """g (float[b,1,n] x, bool long) => (float y) <float[1,1,8] w =
    {1,2,3,4,5,6,7,8}, int64[6] p = {0,0,4,0,0,4}> { y = If<then_branch = t () =>
    (float[b,1,k] q) { BODY q = Neg(h) }, else_branch = f () => (float[b,1,m] r)
    { r = Identity(x) }>(long) }"""


def test_sizes_of_a_branch_that_is_not_taken_may_be_below_zero():
    body = "h = ConvTranspose<pads=[8,8]>(x, w)"
    module = sr.compile(
        model(SHORT.replace("BODY", body), 16), options=sr.Options(cache=False)
    )
    x = np.ones((40, 1, 0), np.float32)
    assert module(x=x, long=np.array(False)).shape == (40, 1, 0)
    with pytest.raises(ValueError, match="expected a size from 0 to 0, got -9"):
        module(x=x, long=np.array(True))


def test_a_slice_of_a_branch_that_is_too_long_is_told_with_its_sizes():
    body = 'h = Pad<mode="reflect">(x, p)'
    module = sr.compile(
        model(SHORT.replace("BODY", body), 16), options=sr.Options(cache=False)
    )
    x = np.ones((2, 1, 3), np.float32)
    assert module(x=x, long=np.array(False)).shape == (2, 1, 3)
    with pytest.raises(
        ValueError, match=r"slice at y: .* has element 4 of n along axis 2, got 4 and 3"
    ):
        module(x=x, long=np.array(True))
