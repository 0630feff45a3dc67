"""
Count how often a value was near each number, so that counts of several runs add up.

The range is that of all numbers below a power of two, `2**exponent`, and is divided
into 4096 bins. A number beyond it doubles the range: each bin then has the counts of
two. A bin holds what is rounded down to a multiple of its width, and rounding down by a
width, then by twice that, is rounding down by the latter: so a histogram depends on
what was seen alone, neither on its order nor on how it was divided among files.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

Counts = npt.NDArray[np.int64]

HALF = 2048
"""The bins on either side of zero: as TensorRT's calibration has for magnitudes."""

LEAST_EXPONENT, MOST_EXPONENT = -149, 128
"""The exponents of the least and the greatest f32."""


@dataclass(frozen=True, eq=False)
class Histogram:
    """What was seen of one value: elements, least, greatest, and counts of bins."""

    elements: int
    least: float
    greatest: float
    exponent: int
    counts: Counts
    """Of bin `at`, which begins at `(at - HALF) * width`."""

    @property
    def width(self) -> float:
        """How wide a bin is."""
        return float(np.ldexp(1.0, self.exponent) / HALF)

    @staticmethod
    def empty() -> Histogram:
        """Of a value that was never seen."""
        return Histogram(0, 0.0, 0.0, LEAST_EXPONENT, np.zeros(2 * HALF, np.int64))

    @staticmethod
    def of(array: npt.NDArray[Any]) -> Histogram:
        """
        Of the elements of an array of f32; raises `ValueError` where it has NaN or
        infinities, with how many.
        """
        if not array.size:
            return Histogram.empty()
        numbers = array.ravel().astype(np.float64)
        if wrong := int(numbers.size - np.isfinite(numbers).sum()):
            raise ValueError(
                f"expected finite numbers, got {wrong} of {numbers.size} that are NaN "
                "or infinite"
            )
        least, greatest = float(numbers.min()), float(numbers.max())
        exponent = _exponent(max(abs(least), abs(greatest)))
        # A power of two: the product is exact.
        places = np.floor(np.ldexp(numbers, -exponent) * HALF).astype(np.int64)
        counts = np.bincount(places + HALF, minlength=2 * HALF).astype(np.int64)
        return Histogram(numbers.size, least, greatest, exponent, counts)

    def merged(self, other: Histogram) -> Histogram:
        """Of what both have seen."""
        if not self.elements or not other.elements:
            return self if self.elements else other
        exponent = max(self.exponent, other.exponent)
        return Histogram(
            self.elements + other.elements,
            min(self.least, other.least),
            max(self.greatest, other.greatest),
            exponent,
            self._widened(exponent) + other._widened(exponent),
        )

    def _widened(self, exponent: int) -> Counts:
        """The counts in a range that is as large or larger."""
        places = (np.arange(-HALF, HALF) >> min(exponent - self.exponent, 62)) + HALF
        counts = np.zeros(2 * HALF, np.int64)
        np.add.at(counts, places, self.counts)
        return counts

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Histogram) and (
            (self.elements, self.least, self.greatest, self.exponent)
            == (other.elements, other.least, other.greatest, other.exponent)
            and bool((self.counts == other.counts).all())
        )


def _exponent(most: float) -> int:
    """That of the least power of two above a magnitude."""
    return max(int(np.frexp(most)[1]), LEAST_EXPONENT) if most else LEAST_EXPONENT
