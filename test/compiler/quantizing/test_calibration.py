"""The divergence is that of plain loops over bins; outliers do not decide a range."""

from __future__ import annotations

from math import log

import numpy as np
import pytest

from static_runtime.compiler.quantizing import Histogram
from static_runtime.compiler.quantizing.calibration import (
    calibrated_range,
    divergence,
    without_zeros,
)
from static_runtime.compiler.quantizing.histogram import HALF


def by_loops(counts: list[int], low: int, high: int, levels: int) -> float:
    """The divergence, a bin at a time."""
    inside = [float(each) for each in counts[low:high]]
    seen = [*inside]
    seen[0] += sum(counts[:low])
    seen[-1] += sum(counts[high:])
    bins = len(inside)
    shares = [0.0] * bins
    for level in range(levels):
        own = [at for at in range(bins) if at * levels // bins == level]
        filled = [at for at in own if seen[at] > 0]
        for at in filled:
            shares[at] = sum(inside[each] for each in own) / len(filled)
    total = 0.0
    p, q = smoothed(seen), smoothed(shares)
    for a, b in zip(p, q, strict=True):
        total += a / sum(p) * log((a / sum(p)) / (b / sum(q)))
    return total


def smoothed(counts: list[float]) -> list[float]:
    """The counts without zeros, of the same sum."""
    zeros = counts.count(0)
    taken = 1e-4 * zeros / (len(counts) - zeros)
    return [each - taken if each else 1e-4 for each in counts]


@pytest.mark.parametrize("seed", range(6))
def test_the_divergence_is_that_of_plain_loops(seed: int):
    random = np.random.default_rng(seed)
    bins, levels = int(random.integers(24, 60)), int(random.integers(5, 20))
    counts = random.integers(0, 50, bins) * (random.random(bins) < 0.8)
    counts = counts.astype(np.int64)
    counts[[3, -4]] += 1
    low, high = (0, bins - 3) if seed % 2 else (2, bins)
    found = divergence(counts, low, high, levels)
    assert found == pytest.approx(
        by_loops(counts.tolist(), low, high, levels), rel=1e-9
    )


def test_nothing_is_lost_where_each_bin_has_a_level():
    counts = np.arange(1, 33, dtype=np.int64)
    assert divergence(counts, 0, 32, 32) == pytest.approx(0, abs=1e-12)
    assert divergence(counts, 0, 32, 16) > 1e-5


@pytest.mark.parametrize(("levels", "is_symmetric"), [(255, True), (256, False)])
def test_the_threshold_is_the_best_of_those_that_are_tried(
    levels: int, is_symmetric: bool
):
    random = np.random.default_rng(3)
    array = np.abs(random.laplace(0, 1, 20_000)).astype(np.float32)
    seen = Histogram.of(array)
    least, greatest = calibrated_range(seen, levels, is_symmetric)
    assert least == float(array.min())
    counts, last = without_zeros(seen.counts), int(seen.counts.nonzero()[0][-1]) + 1
    found: dict[int, float] = {}
    for each in range(last - HALF, 0, -8):
        low = HALF - each if is_symmetric else HALF
        if HALF + each - low >= levels:
            found[each] = divergence(counts, low, HALF + each, levels)
    best = min(found, key=lambda each: found[each])
    assert greatest == pytest.approx(min(best * seen.width, float(array.max())))


def test_an_outlier_saturates():
    array = np.random.default_rng(0).standard_normal(50_000).astype(np.float32)
    array[7] = 100.0
    for levels, is_symmetric in ((255, True), (256, False)):
        least, greatest = calibrated_range(Histogram.of(array), levels, is_symmetric)
        assert greatest < 50
        assert least >= float(array.min())


def test_what_was_not_seen_is_in_no_range():
    array = np.array([-0.1, 0.2, 3.0] * 100, np.float32)
    least, greatest = calibrated_range(Histogram.of(array), 256, False)
    assert (least, greatest) >= (float(array.min()), 0)
    assert greatest <= 3.0


def test_zeros_say_nothing():
    random = np.random.default_rng(5)
    array = np.abs(random.standard_normal(5_000)).astype(np.float32)
    with_zeros = np.concatenate([array, np.zeros(100_000, np.float32)])
    one, other = (
        calibrated_range(Histogram.of(each), 256, False) for each in (array, with_zeros)
    )
    assert one[1] == other[1]
