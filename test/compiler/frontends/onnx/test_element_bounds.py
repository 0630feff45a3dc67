"""Sizes that a run computes from many elements, which are bounded without the user."""

from __future__ import annotations

import numpy as np
import pytest
from onnx.reference import ReferenceEvaluator

import static_runtime as sr

from .cases import Case

MODELS = {
    "a sum of booleans": """bool[n] m | <int64[1] front = {0}> {
        a = Cast<to = 7>(m) k = ReduceSum<keepdims = 1>(a, front)
        y = ConstantOfShape(k) }""",
    "the greatest sum of a row": """bool[n,3] m | <int64[1] last = {1}> {
        a = Cast<to = 7>(m) b = ReduceSum<keepdims = 0>(a, last)
        k = ReduceMax<keepdims = 1>(b) y = ConstantOfShape(k) }""",
    "how often one is met": """bool[n] m | {
        a = Cast<to = 7>(m) u, first, inverse, counts = Unique<axis = 0>(a)
        k = ReduceMax<keepdims = 1>(counts) y = ConstantOfShape(k) }""",
    "the place of the greatest": """bool[n] m | {
        a = Cast<to = 6>(m) k = ArgMax<axis = 0, keepdims = 1>(a)
        y = ConstantOfShape(k) }""",
    "numbers that are chosen": """bool[n] m | <int64 four = {4}, int64 six = {6}> {
        a = Where(m, four, six) b = Add(a, four)
        k = ReduceMin<keepdims = 1>(b) top = Constant<value = int64[1] {8}>()
        least = Min(k, top) y = ConstantOfShape(least) }""",
}


@pytest.mark.parametrize("name", MODELS)
def test_elements_have_bounds(name: str):
    case = Case(MODELS[name])
    module, judge = sr.compile(case.model), ReferenceEvaluator(case.model)
    for rows in (3, 1, 8, 300):
        shape = (rows, 3) if "row" in name else (rows,)
        array = np.random.default_rng(rows).random(shape) < 0.7
        (wanted,) = judge.run(None, {"m": array})
        np.testing.assert_array_equal(module(m=array), wanted)


SCALED = {
    "the least scale of two sizes": "a = Div(eight, h) b = Div(eight, w)"
    " s = Min(a, b) c = Mul(s, h) d = Mul(s, w)",
    "the greatest part of two sizes": "a = Mul(part, h) b = Mul(part, w)"
    " s = Max(a, b) c = Div(h, s) d = Div(w, s)",
}


@pytest.mark.parametrize("name", SCALED)
def test_sizes_that_fit_a_square_have_bounds(name: str):
    case = Case(
        "float[h,w] x | <float eight = {8}, float part = {0.125}, int64[1] front = {0}>"
        "{ hs = Shape<start = 0, end = 1>(x) ws = Shape<start = 1>(x)"
        " h = Cast<to = 1>(hs) w = Cast<to = 1>(ws)"
        f" {SCALED[name]} e = Round(c) f = Round(d)"
        " i = Cast<to = 7>(e) j = Cast<to = 7>(f)"
        " k = Concat<axis = 0>(i, j) y = ConstantOfShape(k) }"
    )
    module, judge = sr.compile(case.model), ReferenceEvaluator(case.model)
    for shape in ((3, 4), (8, 8), (1, 100), (333, 7), (1000, 999)):
        x = np.zeros(shape, np.float32)
        (wanted,) = judge.run(None, {"x": x})
        assert module(x).shape == wanted.shape


def test_an_element_without_a_bound_is_refused():
    case = Case(
        "int64[n] x | { k = ReduceMax<keepdims = 1>(x) y = ConstantOfShape(k) }"
    )
    with pytest.raises(sr.CompileError, match="which needs a bound"):
        sr.compile(case.model)
