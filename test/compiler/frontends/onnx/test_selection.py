"""Slices and pads by numbers that are computed from sizes, whatever these are."""

from __future__ import annotations

import numpy as np
import pytest
from onnx.reference import ReferenceEvaluator

import static_runtime as sr

from .cases import Case
from .interpreter import read, slice_of

NUMBERS = (
    "<int64[1] i0 = {0}, int64[1] i1 = {1}, int64[1] i2 = {2}, int64[1] i3 = {3},"
    " int64[1] i4 = {4}, int64[1] far = {9223372036854775807},"
    " int64[1] back = {-9223372036854775807}, int64[1] m1 = {-1}, int64[1] m2 = {-2},"
    " float v = {2.5}>"
)
SIZE = "s = Shape(x) n = Gather<axis=0>(s, i1)"

BODIES = {
    "an end before the last": "e = Sub(n, i3) y = Slice(x, i0, e, i1)",
    "a start before the last": "b = Sub(n, i3) y = Slice(x, b, far, i1)",
    "both": "b = Sub(n, i4) e = Sub(n, i2) y = Slice(x, b, e, i1)",
    "a step": "b = Sub(i3, n) y = Slice(x, b, far, i1, i2)",
    "backwards": "b = Sub(n, i3) y = Slice(x, b, back, i1, m1)",
    "backwards to an end": "e = Sub(n, i4) y = Slice(x, m1, e, i1, m2)",
    "two of one size": """e = Sub(n, i3) a = Slice(x, i0, e, i1) b = Slice(x, i0, e, i1)
        y = Mul(a, b)""",
    "a triangle of a size": "k = Sub(n, i3) q = Squeeze(k) y = Trilu(x, q)",
    "as many numbers": """a = Cast<to = 7>(x) d = Sub(n, i1) b = Max(d, i1)
        r = Squeeze(b) o = Constant<value = float[2] {0.5, 2}>() y = OneHot(a, r, o)""",
    "padded to a multiple": """a = Add(n, i3) d = Div(a, i4) e = Mul(d, i4)
        r = Sub(e, n) p = Concat<axis=0>(i0, i0, i0, r) w = Pad(x, p)
        t = Concat<axis=0>(i2, d, i4) q = Reshape(w, t)
        y = ReduceSum<keepdims=0>(q, i2)""",
    "padded to a size": """r = Sub(i4, n) q = Max(r, i0)
        p = Concat<axis=0>(i1, q, i0, n) y = Pad(x, p, v)""",
}


@pytest.mark.sampled(every=3)
@pytest.mark.parametrize("name", BODIES)
def test_numbers_from_sizes(name: str):
    case = Case(f"float[2,n] x | {NUMBERS} {{ {SIZE} {BODIES[name]} }}")
    module, judge = sr.compile(case.model), ReferenceEvaluator(case.model)
    for size in (0, 1, 2, 3, 4, 5, 7, 8, 41):
        x = np.arange(2 * size, dtype=np.float32).reshape(2, size) + 1
        (wanted,) = judge.run(None, {"x": x})
        if name == "backwards":
            # The evaluator does as numpy.
            wanted = x[:, slice_of(size, size - 3, -(2**63) + 1, -1)]
        got = module(x)
        assert got.shape == wanted.shape, size
        np.testing.assert_array_equal(got, wanted)


CUTS = (
    *((0, 1, 1), (0, 2, 1), (1, 2, 1), (2, 1, 1), (-1, 9, 1), (-2, -1, 1)),
    *((0, -1, 1), (0, 1, 2), (1, 9, 2), (-1, -9, -1), (2, 0, -2), (-9, 1, 1)),
    # From before the first element, with a step that leaves one element at most.
    *((-4, -2, 3), (-3, -1, 9), (-9, 2, 9), (-4, -1, 1 << 40)),
    # Steps that are beyond all sizes.
    *((0, 9, (1 << 63) - 1), (-1, -9, -(1 << 63)), (1, 9, 1 << 62), (2, -9, -7 << 60)),
)


@pytest.mark.parametrize("step", [4, pytest.param(1, marks=pytest.mark.full)])
@pytest.mark.parametrize("axis", [0, 1])
def test_slices_between_numbers_of_an_axis_that_may_be_empty(axis: int, step: int):
    chosen = CUTS[axis % step :: step]
    shape = ("n", 2) if axis == 0 else (2, "n")
    text = "".join(
        f"c{at} = Slice(x, s{at}, e{at}, i{axis}, t{at}) " for at in range(len(chosen))
    )
    numbers = "".join(
        f", int64[1] s{at} = {{{s}}}, int64[1] e{at} = {{{e}}}, "
        f"int64[1] t{at} = {{{t}}}"
        for at, (s, e, t) in enumerate(chosen)
    )
    names = ", ".join(f"c{at}" for at in range(len(chosen)))
    case = Case(
        f"float[{shape[0]},{shape[1]}] x | {NUMBERS[:-1]}{numbers}> "
        f"{{ {text} y = Concat<axis={axis}>({names}) }}"
    )
    module = sr.compile(case.model)
    for size in range(5):
        x = np.arange(2 * size, dtype=np.float32).reshape(2, size) + 1
        x = np.ascontiguousarray(x.T) if axis == 0 else x
        parts = [slice_of(size, *each) for each in chosen]
        cuts = [x[each] if axis == 0 else x[:, each] for each in parts]
        np.testing.assert_array_equal(module(x), np.concatenate(cuts, axis))


@pytest.mark.full(beside="test_slices_between_numbers_of_an_axis_that_may_be_empty")
def test_slices_of_a_known_axis_whatever_start_end_and_step():
    places, steps = (-9, -5, -4, -3, -1, 0, 1, 3, 9), (1, 2, 5, 1 << 40)
    cuts = [
        (start, end, step * sign)
        for start in places
        for end in places
        for step in steps
        for sign in (1, -1)
    ]
    numbers, text = "", ""
    for at, (start, end, step) in enumerate(cuts):
        numbers += f", int64[1] s{at} = {{{start}}}, int64[1] e{at} = {{{end}}}"
        numbers += f", int64[1] t{at} = {{{step}}}"
        text += f"c{at} = Slice(x, s{at}, e{at}, i0, t{at}) "
    text += f"y = Concat<axis=0>({', '.join(f'c{at}' for at in range(len(cuts)))})"
    case = Case(f"float[4] x | {NUMBERS[:-1]}{numbers}> {{ {text} }}")
    x = np.arange(4, dtype=np.float32)
    wanted = [x[slice_of(4, *each)] for each in cuts]
    np.testing.assert_array_equal(sr.compile(case.model)(x), np.concatenate(wanted))


@pytest.mark.parametrize(("end", "step"), [(1, 1), (1, 2), (2, 3)])
def test_one_element_of_an_axis_that_may_be_empty_broadcasts(end: int, step: int):
    case = Case(
        f"float[2,n] x | {NUMBERS[:-1]}, int64[1] t = {{{step}}}> "
        f"{{ a = Slice(x, i0, i{end}, i1, t) y = Add(a, x) }}"
    )
    module = sr.compile(case.model)
    for size in range(4):
        x = np.arange(2 * size, dtype=np.float32).reshape(2, size)
        np.testing.assert_array_equal(module(x), x[:, :end:step] + x)


@pytest.mark.parametrize(
    "body",
    [
        "q, y = TopK<axis=0>(x, i0)",
        "q, y = TopK<axis=1>(x, i0)",
        "e = Slice(x, i0, i0, i0) y = Cast<to=7>(e)",
        "e = Slice(x, i0, i0, i1) y = Cast<to=6>(e)",
        "e = Slice(x, i0, i0, i0) y = Less(e, v)",
    ],
)
def test_integers_of_floats_that_are_none_keep_their_shape(body: str):
    case = Case(f"float[2,3,4] x | {NUMBERS} {{ {body} }}")
    x = np.ones((2, 3, 4), np.float32)
    (wanted,) = ReferenceEvaluator(case.model).run(None, {"x": x})
    got = sr.compile(case.model)(x)
    assert (got.shape, got.dtype) == (wanted.shape, wanted.dtype)


@pytest.mark.parametrize("op", ["Gather<axis=1>", "ai.onnx.ml.ArrayFeatureExtractor"])
@pytest.mark.parametrize(
    "indices", [[2], [1, 2, 3], [0, 2, 4], [4, 3, 2], [3, 1], [0, 1, 2, 3, 4]]
)
def test_known_indices_in_steps_are_a_slice(indices: list[int], op: str):
    several = ", ".join(map(str, indices))
    case = Case(
        f"float[n,5] x | <int64[{len(indices)}] i = {{{several}}}> {{ y = {op}(x, i) }}"
    )
    x = np.arange(20, dtype=np.float32).reshape(4, 5)
    assert "graph.index_select" not in {each.name for each in read(case.model).ops}
    np.testing.assert_array_equal(sr.compile(case.model)(x), x[:, indices])


@pytest.mark.parametrize(
    ("shape", "indices"),
    [
        ((), [-1]),
        ((), [3]),
        ((2, 2), [1, 2, 3, 4]),
        ((1, 3), [-5, -3, -1]),
        ((2,), [4, -5]),
    ],
)
def test_known_indices_that_count_from_the_end_or_have_axes(
    shape: tuple[int, ...], indices: list[int]
):
    at = np.array(indices, np.int64).reshape(shape)
    sizes = f"[{','.join(map(str, shape))}]" if shape else ""
    several = ", ".join(map(str, indices))
    case = Case(
        f"float[3,5,n] x | <int64{sizes} i = {{{several}}}> "
        "{ y = Gather<axis=1>(x, i) }"
    )
    x = np.arange(30, dtype=np.float32).reshape(3, 5, 2)
    assert "graph.index_select" not in {each.name for each in read(case.model).ops}
    np.testing.assert_array_equal(sr.compile(case.model)(x), np.take(x, at, 1))


@pytest.mark.parametrize("indices", [[0, 1, 3], [2, 2], [5], [-6]])
def test_other_known_indices_are_looked_up(indices: list[int]):
    several = ", ".join(map(str, indices))
    case = Case(
        f"float[n,5] x | <int64[{len(indices)}] i = {{{several}}}> "
        "{ y = Gather<axis=1>(x, i) }"
    )
    module, x = sr.compile(case.model), np.arange(10, dtype=np.float32).reshape(2, 5)
    if -5 <= min(indices) <= max(indices) < 5:
        np.testing.assert_array_equal(module(x), x[:, indices])
    else:
        with pytest.raises(IndexError, match="from -5 to 4"):
            module(x)


def test_an_axis_cropped_and_one_padded_by_a_size():
    case = Case(
        f"float[2,n] x | {NUMBERS} {{ {SIZE} p = Concat<axis=0>(m1, n, i2, m1)"
        " y = Pad(x, p, v) }"
    )
    module = sr.compile(case.model)
    for size in (1, 2, 7):
        x = np.arange(2 * size, dtype=np.float32).reshape(2, size)
        wide = ((0, 2), (size, 0))
        wanted = np.pad(x[1:, :-1], wide, constant_values=np.float32(2.5))
        np.testing.assert_array_equal(module(x), wanted)


def test_a_pad_below_zero_crops():
    case = Case(
        f"float[2,n] x | {NUMBERS} {{ {SIZE} r = Sub(i4, n)"
        " p = Concat<axis=0>(i0, i0, i0, r) y = Pad(x, p) }"
    )
    module = sr.compile(case.model)
    for size in (0, 3, 4, 9):
        x = np.ones((2, size), np.float32)
        wanted = np.pad(x, ((0, 0), (0, max(4 - size, 0))))[:, :4]
        np.testing.assert_array_equal(module(x), wanted)


@pytest.mark.sampled(every=3)
@pytest.mark.parametrize("size", [1, 2, 3])
def test_an_axis_is_wrapped_around_as_often_as_it_must(size: int):
    for before, after in ((0, 1), (3, 0), (4, 7), (size, 2 * size), (-1, 9)):
        case = Case(
            f"float[2,{size}] x | <int64[4] p = {{0,{before},0,{after}}}> "
            '{ y = Pad<mode="wrap">(x, p) }',
            opset=19,
        )
        x = np.arange(2 * size, dtype=np.float32).reshape(2, size) + 1
        rest = x[:, max(-before, 0) :]
        if rest.size:
            wanted = np.pad(rest, ((0, 0), (max(before, 0), after)), "wrap")
            np.testing.assert_array_equal(sr.compile(case.model)(x), wanted)
