"""
Shapes that only the run knows: computed from data, and bounded by the user.

Without bounds the refusal has the names that the bounds go by.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from onnx.reference import ReferenceEvaluator

import static_runtime as sr

from .cases import Case


@dataclass(frozen=True)
class Sized:
    """A model whose input k has the sizes, with bounds, and what k may be."""

    text: str
    bounds: Mapping[str, int]
    runs: Sequence[Any]
    refused: Sequence[tuple[Any, str]] = ()


ROWS = (1, 3, 2, 4, 5)
"""What the symbol n is in each run."""

CASES = {
    "Expand": Sized(
        "float[1,3] x, int64[2] k | { y = Expand(x, k) }",
        {"k_0": 4, "k_1": 3},
        [[4, 1], [0, 3], [1, 1], [2, 3], [3, 3]],
        [
            ([5, 1], "at y: expected a size from 0 to 4, got 5"),
            ([4, 2], "at y: expected equal sizes 3 and k_1, or k_1 of 1"),
            ([-1, 1], "at y: expected a size from 0 to 4, got -1"),
        ],
    ),
    "Expand of more axes": Sized(
        """float[n,1] x, int64[1] k | <int64[1] c = {2}> {
        s = Shape<end=1>(x) t = Concat<axis=0>(c, s, k) [wide] y = Expand(x, t) }""",
        {"k": 8},
        [[4], [0], [1], [8], [3]],
        [([9], "at wide: expected a size from 0 to 8, got 9")],
    ),
    "ConstantOfShape": Sized(
        "int64[2] k | { y = ConstantOfShape<value = float[1] {2.5}>(k) }",
        {"k_0": 4, "k_1": 3},
        [[4, 1], [0, 3], [1, 1], [2, 3], [0, 0]],
        [([4, 4], "at y: expected a size from 0 to 3, got 4")],
    ),
    "Range": Sized(
        "int64 k | <int64 a = {-1}, int64 d = {3}> { y = Range(a, k, d) }",
        {"y_count": 5},
        [11, -1, 0, 12, -9],
        [(15, "at y: expected a size from 0 to 5, got 6")],
    ),
    "Range of floats backwards": Sized(
        "float k | <float b = {-2}, float d = {-0.25}> { y = Range(k, b, d) }",
        {"y_count": 50},
        [3.0, 0.5, -2.0, 7.0, -9.0],
    ),
    "Range of a step": Sized(
        "int64 k | <int64 a = {5}, int64 b = {-5}> { y = Range(a, b, k) }",
        {"y_count": 50},
        [-1, -3, 2, -20, -10],
        [(0, "at y: expected a size from 0 to 50, got")],
    ),
    "Tile": Sized(
        "float[n,3] x, int64[2] k | { y = Tile(x, k) }",
        {"k_0": 3, "k_1": 2},
        [[1, 1], [0, 2], [3, 0], [2, 1], [3, 2]],
        [([1, 3], "at y: expected a size from 0 to 2, got 3")],
    ),
    "Pad as PyTorch writes it, whose elements are moved": Sized(
        """float[2,n] x, int64[1] k | <int64[1] o = {0}, int64[2] oo = {0, 0},
        int64[2] pairs = {-1, 2}, int64[1] last = {-1}, int64[1] first = {-99}> {
        c = Concat<axis=0>(o, k, oo) p = Reshape(c, pairs)
        s = Slice(p, last, first, o, last) t = Transpose<perm=[1,0]>(s)
        e = Reshape(t, last) [wide] y = Pad(x, e) }""",
        {"k": 8},
        [[4], [0], [1], [8], [3]],
        [([9], "at wide: expected a size from 0 to 8, got 9")],
    ),
    "Reshape": Sized(
        "float[n,12] x, int64[2] k | { y = Reshape(x, k) }",
        {"y_size0": 36, "y_size1": 12},
        [[12, 1], [4, -1], [-1, 6], [0, 12], [30, 2]],
        [
            ([5, -1], "at y: expected equal sizes"),
            ([-2, 6], "at y: expected a size from 0 to 36, got -2"),
        ],
    ),
    "Reshape with what is not empty": Sized(
        "float[n,12] x, int64[2] k | { y = Reshape(x, k) }",
        {"y_size0": 36, "y_size1": 12},
        [[-1, 12], [4, -1], [-1, 6], [0, -1], [-1, 0]],
        [([-1, -1], "at y: expected a size from 0 to 36, got -1")],
    ),
    "Reshape without copies": Sized(
        "float[n,12] x, int64[2] k | { y = Reshape<allowzero = 1>(x, k) }",
        {"y_size0": 60, "y_size1": 12},
        [[-1, 12], [4, -1], [-1, 6], [12, 4], [-1, 1]],
        [
            ([0, -1], "at y: expected a size from 0 to 12, got -1"),
            ([0, 0], "at y: expected equal sizes"),
        ],
    ),
    "Reshape of a part": Sized(
        """float[n,12] x, int64[1] k | <int64[2] c = {0, 3}> {
        s = Concat<axis=0>(c, k) y = Reshape(x, s) }""",
        {},
        [[4], [-1], [4], [-1], [4]],
        [([5], "at y: expected a size from 4 to 4, got 5")],
    ),
}


def inputs(case: Case, rows: int, number: Any) -> dict[str, Any]:
    """Arrays for the inputs; k is given."""
    arrays: dict[str, Any] = case.inputs({"n": rows})
    arrays["k"] = np.array(number, arrays["k"].dtype)
    return arrays


@pytest.mark.sampled(every=3)
@pytest.mark.parametrize("name", CASES)
def test_sizes_of_the_run_within_bounds(name: str):
    sized = CASES[name]
    case = Case(sized.text)
    module = sr.compile(case.model, options=sr.Options(bounds=sized.bounds))
    judge = ReferenceEvaluator(case.model)
    for rows, number in zip(ROWS, sized.runs, strict=True):
        arrays = inputs(case, rows, number)
        (wanted,) = judge.run(None, arrays)
        got = module(**{name: arrays[name] for name in module.input_names})
        assert (got.dtype, got.shape) == (wanted.dtype, np.shape(wanted)), number
        np.testing.assert_allclose(got, wanted, 1e-6)
    for number, message in sized.refused:
        with pytest.raises(ValueError, match=message):
            module(**inputs(case, 3, number))


@pytest.mark.parametrize("name", [name for name in CASES if CASES[name].bounds])
def test_a_refusal_has_the_names_of_bounds(name: str):
    sized = CASES[name]
    wanted = ", ".join(f"'{each}': 4096" for each in sized.bounds)
    with pytest.raises(sr.CompileError, match=re.escape(f"bounds={{{wanted}}}")):
        sr.compile(Case(sized.text).model)


def test_nodes_that_read_one_size_share_its_bound():
    case = Case(
        """float[n,3] x, int64 k | <int64[1] three = {3}, int64[1] front = {0}> {
        size = Unsqueeze(k, front) shape = Concat<axis = 0>(size, three)
        a = Expand(x, shape) b = ConstantOfShape(shape) y = Add(a, b) }"""
    )
    module = sr.compile(case.model, options=sr.Options(bounds={"k": 8}))
    x = np.ones((1, 3), np.float32)
    np.testing.assert_array_equal(module(x, 5), np.ones((5, 3), np.float32))
    with pytest.raises(ValueError, match="expected a size from 0 to 8, got 9"):
        module(x, 9)


def test_a_shape_of_a_count_that_only_the_run_knows():
    case = Case(
        "float[n,4] x, float[m] w | <int64[1] rest = {-1}> { q = NonZero(w)"
        " s = Shape<start=1>(q) t = Concat<axis=0>(s, rest) y = Reshape(x, t) }"
    )
    module, judge = sr.compile(case.model), ReferenceEvaluator(case.model)
    for rows, true in ((3, 4), (3, 1), (3, 12), (0, 2), (5, 10)):
        x = np.arange(4 * rows, dtype=np.float32).reshape(rows, 4)
        arrays = {"x": x, "w": np.ones(true, np.float32)}
        (wanted,) = judge.run(None, arrays)
        np.testing.assert_array_equal(module(**arrays), wanted)
    x = np.ones((3, 4), np.float32)
    with pytest.raises(ValueError, match="beside -1 whose product q_count is not 0"):
        module(x=x, w=np.zeros(2, np.float32))
    with pytest.raises(ValueError, match="to be a multiple of q_count, got 12 and 5"):
        module(x=x, w=np.ones(5, np.float32))


def test_a_size_within_one_that_only_the_run_knows():
    case = Case(
        "float[n] x, float k | <float one = {1}> { a = Greater(x, k)"
        " b = Compress<axis=0>(x, a) c = Less(b, one) y = Compress<axis=0>(b, c) }"
    )
    module, judge = sr.compile(case.model), ReferenceEvaluator(case.model)
    for rows in ROWS:
        x = np.random.default_rng(rows).standard_normal(rows).astype(np.float32)
        arrays = {"x": x, "k": np.array(0.5 - rows % 2, np.float32)}
        (wanted,) = judge.run(None, arrays)
        np.testing.assert_array_equal(module(**arrays), wanted)


def test_a_bound_of_an_input():
    case = Case("float[n,3] x | { y = Relu(x) }")
    module = sr.compile(case.model, options=sr.Options(bounds={"n": 4}))
    assert module(np.ones((4, 3), np.float32)).shape == (4, 3)
    with pytest.raises(ValueError, match="expected n from 0 to 4, got 5"):
        module(np.ones((5, 3), np.float32))


def test_a_bound_of_nothing():
    case = Case("float[n,3] x | { y = Relu(x) }")
    with pytest.raises(sr.CompileError, match=r"of the model \(n\), got one of m"):
        sr.compile(case.model, options=sr.Options(bounds={"m": 4}))
