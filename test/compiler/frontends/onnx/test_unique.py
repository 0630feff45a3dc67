"""`Unique` finds what numpy finds, in both orders, of elements and of slices."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pytest
from onnx.reference import ReferenceEvaluator

import static_runtime as sr

from .interpreter import Array, model

RESULTS = ("y", "first", "inverse", "counts")
CASES: dict[str, tuple[str, str, list[tuple[int, ...]]]] = {
    "elements": ("n", "sorted=1", [(1,), (2,), (7,), (40,), (3,)]),
    "elements of a matrix": (
        "n,m",
        "sorted=1",
        [(1, 1), (2, 3), (7, 2), (5, 8), (3, 1)],
    ),
    "as they are met": ("n", "sorted=0", [(1,), (2,), (7,), (40,), (3,)]),
    "rows": ("n,2", "axis=0", [(1, 2), (2, 2), (9, 2), (40, 2), (5, 2)]),
    "rows as they are met": (
        "n,2",
        "axis=0, sorted=0",
        [(1, 2), (2, 2), (9, 2), (40, 2), (5, 2)],
    ),
    "columns": ("2,n", "axis=-1", [(2, 1), (2, 2), (2, 9), (2, 40), (2, 5)]),
    "slices": ("2,n,2", "axis=1", [(2, 1, 2), (2, 2, 2), (2, 9, 2), (2, 60, 2)]),
}


def inputs(shape: tuple[int, ...]) -> Mapping[str, Array]:
    """Few different whole numbers."""
    numbers = np.random.default_rng(sum(shape)).integers(-2, 3, shape)
    return {"x": numbers.astype(np.float32)}


@pytest.mark.sampled(every=14)
@pytest.mark.parametrize("kind", ["float", "int64"])
@pytest.mark.parametrize("name", CASES)
def test_what_is_unique(name: str, kind: str):
    shape, attributes, runs = CASES[name]
    rank = ",".join("abc"[: shape.count(",") + 1] if "axis" in attributes else "a")
    counts = ", ".join(f"int64[u] {each}" for each in RESULTS[1:])
    source = model(
        f"g ({kind}[{shape}] x) => ({kind}[{rank}] y, {counts}) "
        f"{{ {', '.join(RESULTS)} = Unique<{attributes}>(x) }}"
    )
    module, judge = sr.compile(source), ReferenceEvaluator(source)
    for each in runs:
        x = inputs(each)["x"].astype(np.float32 if kind == "float" else np.int64)
        for got, wanted in zip(module(x), judge.run(None, {"x": x}), strict=True):
            np.testing.assert_array_equal(got, wanted)


def test_nan_is_one_of_many():
    source = model(
        "g (float[n] x) => (float[u] y, int64[u] i, int64[n] j, int64[u] c) "
        "{ y, i, j, c = Unique(x) }"
    )
    x = np.array([np.nan, 1, np.nan, -0.0, 0.0, np.inf, np.nan], np.float32)
    values, first, inverse, counts = sr.compile(source)(x)
    np.testing.assert_array_equal(values, [0, 1, np.inf, np.nan])
    np.testing.assert_array_equal(first, [3, 1, 5, 0])
    np.testing.assert_array_equal(inverse, [3, 1, 3, 0, 0, 2, 3])
    np.testing.assert_array_equal(counts, [2, 1, 1, 3])


def test_nothing_is_unique_in_nothing():
    source = model("g (float[n] x) => (float[u] y) { y = Unique(x) }")
    assert sr.compile(source)(np.zeros(0, np.float32)).shape == (0,)


def test_a_bound_of_what_is_unique():
    source = model("g (float[n] x) => (float[u] y) { [find] y = Unique(x) }")
    module = sr.compile(source, options=sr.Options(bounds={"find_count": 2}))
    np.testing.assert_array_equal(module(np.array([2, 1, 2], np.float32)), [1, 2])
    with pytest.raises(ValueError, match="at find: expected a size from 0 to 2, got 3"):
        module(np.array([2, 1, 3], np.float32))
