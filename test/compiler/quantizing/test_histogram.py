"""Histograms add up exactly, in any order, however what was seen is divided."""

from __future__ import annotations

from functools import reduce
from itertools import permutations
from typing import Any

import numpy as np
import pytest

from static_runtime.compiler.quantizing import Histogram
from static_runtime.compiler.quantizing.histogram import HALF, LEAST_EXPONENT

RANDOM = np.random.default_rng(0)

PARTS = (
    RANDOM.standard_normal(300).astype(np.float32),
    (RANDOM.standard_normal(7) * 1000).astype(np.float32),
    (RANDOM.random(50) * 1e-4).astype(np.float32),
    np.zeros(3, np.float32),
    np.zeros(0, np.float32),
)
"""Of ranges that differ by powers of two, one below the width of others' bins."""


def merged(parts: Any) -> Histogram:
    """The histogram of arrays, each counted by itself."""
    return reduce(Histogram.merged, map(Histogram.of, parts), Histogram.empty())


def test_parts_add_up_to_the_whole_in_any_order():
    whole = Histogram.of(np.concatenate(PARTS))
    for order in permutations(PARTS):
        assert merged(order) == whole


def test_parts_add_up_however_they_are_grouped():
    a, b, c, *_ = map(Histogram.of, PARTS)
    assert a.merged(b).merged(c) == a.merged(b.merged(c)) == c.merged(a).merged(b)


def test_each_number_is_in_its_bin():
    array = np.array([-4, -3.999, -0.001, 0, 0.001, 2.5, 3.999], np.float32)
    seen = Histogram.of(array)
    assert (seen.exponent, seen.width) == (3, 8 / HALF)
    expected = np.zeros(2 * HALF, np.int64)
    for each in array.tolist():
        expected[int(np.floor(each / seen.width)) + HALF] += 1
    assert (seen.counts == expected).all()
    assert (seen.elements, seen.least, seen.greatest) == (7, -4.0, float(array[-1]))


@pytest.mark.parametrize("most", [1.0, 0.75, 2.0**-149, 3.4e38, -1.0, -(2.0**-126)])
def test_the_range_is_that_of_the_least_power_of_two(most: float):
    seen = Histogram.of(np.array([most], np.float32))
    number = abs(float(np.float32(most)))
    assert 2.0 ** (seen.exponent - 1) <= number < 2.0**seen.exponent
    assert seen.counts.sum() == 1


def test_zeros_are_in_the_bin_of_zero():
    seen = Histogram.of(np.zeros(5, np.float32))
    assert (seen.exponent, seen.counts[HALF]) == (LEAST_EXPONENT, 5)


@pytest.mark.parametrize("wrong", [np.nan, np.inf, -np.inf])
def test_numbers_that_are_not_finite_are_refused(wrong: float):
    with pytest.raises(ValueError, match="expected finite numbers, got 1 of 3 that"):
        Histogram.of(np.array([0, wrong, 1], np.float32))
