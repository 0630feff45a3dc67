"""
Discrete Fourier transforms of known lengths, as products with tables of numbers.

A table has a row for each part of an element and a column for each part of a frequency;
a number has one part if it is real, and two if it is complex.
"""

from __future__ import annotations

from math import prod
from typing import TypeVar

import numpy as np

from ...dialects import Array, Dim

MOST_NUMBERS = 1 << 24
"""The most numbers that a table should have."""


def _table_shape(
    length: int, taken: int, parts: int, *, inverse: bool, onesided: bool
) -> tuple[int, int, int, int]:
    """The elements that are taken, their parts, the frequencies, and their parts."""
    count = length // 2 + 1 if onesided and not inverse else length
    return taken, parts, count, 1 if onesided and inverse else 2


_Length = TypeVar("_Length", int, Dim)


def most_taken(length: _Length, *, inverse: bool, onesided: bool) -> _Length:
    """The most elements that a transform of this length takes."""
    return length // 2 + 1 if inverse and onesided else length


def is_long(
    length: int, taken: int, parts: int, *, inverse: bool, onesided: bool
) -> bool:
    """Whether the table of a transform has too many numbers."""
    shape = _table_shape(length, taken, parts, inverse=inverse, onesided=onesided)
    return prod(shape) > MOST_NUMBERS


def table(
    length: int, taken: int, parts: int, *, inverse: bool, onesided: bool
) -> Array:
    """
    The numbers that the parts of `taken` elements are multiplied by, for each part of
    each frequency, or of each sample of an inverse; nothing is divided by the length.
    """
    shape = _table_shape(length, taken, parts, inverse=inverse, onesided=onesided)
    *_, count, results = shape
    cosine, sine = turned(np.outer(np.arange(taken), np.arange(count)), length)
    sine = sine if inverse else -sine
    found = np.empty(shape)
    found[:, 0, :, 0] = cosine
    if results == 2:
        found[:, 0, :, 1] = sine
    if parts == 2:
        found[:, 1, :, 0] = -sine
        if results == 2:
            found[:, 1, :, 1] = cosine
    if inverse and onesided:
        # A frequency that is not there is the conjugate of one that is.
        found[1 : (length + 1) // 2] *= 2
    return found


def turned(steps: Array, length: int) -> tuple[Array, Array]:
    """
    The cosine and the sine after steps, where `length` steps are a turn. Quarters of a
    turn are exact, so that what cancels leaves zero.
    """
    quarter, rest = np.divmod(4 * (steps % length), length)
    angle = rest * (np.pi / (2 * length))
    cosine, sine = np.cos(angle), np.sin(angle)
    which = [quarter == each for each in range(4)]
    return (
        np.select(which, [cosine, -sine, -cosine, sine]),
        np.select(which, [sine, cosine, -sine, -cosine]),
    )
