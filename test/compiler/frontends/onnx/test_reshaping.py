"""
A Reshape that computes a size of 0 in a run, where ONNX keeps the size of the input.

A run in which that is another tensor than the one with the size that was computed is
refused; where ONNX has no answer, the computed sizes are.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pytest
from onnx.reference import ReferenceEvaluator

import static_runtime as sr

from .cases import Case


@dataclass(frozen=True)
class Reading:
    """A model, with shapes of its inputs that run, and those that are refused."""

    text: str
    runs: Sequence[Sequence[Sequence[int]]]
    refused: Sequence[tuple[Sequence[Sequence[int]], str]] = ()
    computed: Sequence[tuple[Sequence[Sequence[int]], Sequence[int]]] = ()
    """Shapes that ONNX has no answer for, with the shape that was computed."""


NUMBERS = "<int64[1] zero = {0}, int64[1] one = {1}, int64[1] rest = {-1}>"
SWAPPED = f"""| {NUMBERS} {{
    s = Shape(x) a = Gather<axis=0>(s, one) b = Gather<axis=0>(s, zero)"""

CASES = {
    "sizes of another axis": Reading(
        f"float[n,m] x {SWAPPED} t = Concat<axis=0>(a, b) y = Reshape(x, t) }}",
        [[[2, 3]], [[0, 0]], [[1, 5]]],
        computed=[([[0, 3]], [3, 0]), ([[3, 0]], [0, 3])],
    ),
    "a product of sizes": Reading(
        f"""float[n,m,4] x {SWAPPED} p = Mul(a, b) s2 = Shape<start=2>(x)
        t = Concat<axis=0>(p, s2) y = Reshape(x, t) }}""",
        [[[2, 3, 4]], [[0, 3, 4]], [[0, 0, 4]]],
        computed=[([[3, 0, 4]], [0, 4])],
    ),
    "sizes that are both 0": Reading(
        """float[n,5] x, float[m] w | { s = Shape<end=1>(x) q = Shape(w)
        t = Concat<axis=0>(q, s) y = Reshape(x, t) }""",
        [[[3, 5], [5]], [[1, 5], [5]]],
        [([[0, 5], [0]], "sizes n and m that are not both 0, which keeps the sizes 5")],
        [([[0, 5], [5]], [5, 0])],
    ),
    "and are meant": Reading(
        """float[n,5] x, float[m] w | { s = Shape<end=1>(x) q = Shape(w)
        t = Concat<axis=0>(q, s) y = Reshape<allowzero = 1>(x, t) }""",
        [[[3, 5], [5]], [[0, 5], [0]], [[0, 5], [5]]],
    ),
    "a size beside -1": Reading(
        f"""float[n,5] x, float[m] w | {NUMBERS} {{ q = Shape(w)
        t = Concat<axis=0>(q, rest) y = Reshape(x, t) }}""",
        [[[3, 5], [5]], [[4, 5], [2]], [[0, 5], [2]]],
        [
            ([[0, 5], [0]], "sizes beside -1 whose product m is not 0"),
            ([[3, 5], [0]], "sizes beside -1 whose product m is not 0"),
            ([[3, 5], [4]], "15 and 4"),
        ],
    ),
    "a factor beside -1": Reading(
        f"""float[n,m,5] x {SWAPPED} t = Concat<axis=0>(a, rest)
        y = Reshape(x, t) }}""",
        [[[3, 2, 5]], [[0, 2, 5]]],
        [
            (
                [[3, 0, 5]],
                "m other than 0, which keeps the size n of axis 0, got 0 and 3",
            )
        ],
        [([[0, 0, 5]], [0, 0])],
    ),
    "the same size beside -1": Reading(
        f"""float[n,m,5] x {SWAPPED} t = Concat<axis=0>(b, rest)
        y = Reshape(x, t) }}""",
        [[[3, 2, 5]], [[3, 0, 5]]],
        computed=[([[0, 2, 5]], [0, 10])],
    ),
    "a size that is 0 and no axis": Reading(
        """float[n] x, float[m] w | <int64[1] two = {2}> { q = Shape(w)
        t = Concat<axis=0>(two, q) y = Reshape(x, t) }""",
        [[[4], [2]], [[6], [3]]],
        computed=[([[0], [0]], [2, 0])],
    ),
    "a size that is -1": Reading(
        """float[n,4] x, float[m] w | <int64[1] two = {2}> { q = Shape(w)
        s = Shape<start=1>(x) d = Sub(q, two) t = Concat<axis=0>(d, s)
        y = Reshape(x, t) }""",
        [[[3, 4], [5]], [[0, 4], [2]]],
        [
            (
                [[3, 4], [1]],
                "expected equal sizes 4 \\* n and 4 \\* m - 8, got 12 and -4",
            ),
            ([[0, 4], [1]], "expected equal sizes"),
        ],
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_one_reading(name: str):
    reading = CASES[name]
    case = Case(reading.text)
    module, judge = sr.compile(case.model), ReferenceEvaluator(case.model)

    def arrays(shapes: Sequence[Sequence[int]]) -> dict[str, np.ndarray]:
        numbers = (np.arange(np.prod(each)).reshape(each) for each in shapes)
        found = (each.astype(np.float32) for each in numbers)
        return dict(zip(module.input_names, found, strict=True))

    for shapes in reading.runs:
        given = arrays(shapes)
        (wanted,) = judge.run(None, given)
        got = module(**given)
        assert got.shape == wanted.shape
        np.testing.assert_array_equal(got, wanted)
    for shapes, message in reading.refused:
        with pytest.raises(ValueError, match=message):
            module(**arrays(shapes))
    for shapes, wanted in reading.computed:
        with pytest.raises((ValueError, IndexError)):
            judge.run(None, arrays(shapes))
        assert module(**arrays(shapes)).shape == tuple(wanted)
