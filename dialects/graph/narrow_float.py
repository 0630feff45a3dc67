"""
Floats of 8 bits and fewer as arrays: what the bits of each mean, and the nearest one.

A format has at most 256 numbers, so both are looked up.
"""

from __future__ import annotations

from functools import cache

import numpy as np

from ..float_format import FloatFormat
from ..shape import Array


@cache
def _numbers(format: FloatFormat) -> Array:
    """
    The finite numbers of a format from zero on, and what would follow them, in f64.
    """
    codes = np.arange(format.largest + 2)
    exponents, rest = codes >> format.fraction, codes & (1 << format.fraction) - 1
    # An exponent of zero counts the least number, unless there is no fraction.
    is_least = (exponents == 0) & (format.fraction > 0)
    parts = rest / (1 << format.fraction) + ~is_least
    return np.ldexp(parts, exponents - format.bias + is_least)


@cache
def _table(format: FloatFormat) -> Array:
    """The f32 of each byte; bits that the format has not are ignored."""
    codes = np.arange(256) & ((1 << format.bits) - 1)
    amounts = codes & format.amount
    found = np.append(_numbers(format), np.nan)[np.minimum(amounts, format.largest + 2)]
    found = np.where(amounts > format.largest, np.nan, found)
    found = np.where(amounts == format.infinity, np.inf, found)
    found = np.where(codes == amounts, found, -found)
    if not format.has_negative_zero:
        found = np.where(codes == format.nan, np.nan, found)
    return found.astype(np.float32)


def widen(array: Array, format: FloatFormat) -> Array:
    """The f32 that each element is, exactly."""
    return _table(format)[np.ascontiguousarray(array).view(np.uint8)]


def narrow(array: Array, format: FloatFormat) -> Array:
    """
    The bits of the number nearest to each f32, of two the even one; of two without a
    fraction, the greater.
    """
    numbers = np.asarray(array, np.float32)
    known = _numbers(format)
    between = (known[:-1] + known[1:]) / 2
    amounts = np.abs(numbers).astype(np.float64)
    codes = np.searchsorted(between, amounts)
    is_tie = amounts == np.append(between, np.nan)[codes]
    codes += is_tie & ((codes & 1 == 1) | (format.fraction == 0))
    codes = np.where(codes > format.largest, format.beyond, codes)
    codes = np.where(np.isnan(numbers), format.nan, codes)
    if not format.has_sign:
        codes = np.where(numbers > 0, codes, format.nan)
    elif format.has_negative_zero:
        codes = codes ^ np.where(np.signbit(numbers), format.sign, 0)
    else:
        has_sign = np.signbit(numbers) & (codes > 0)
        codes = codes | np.where(has_sign, format.sign, 0)
    return codes.astype(np.uint8)
