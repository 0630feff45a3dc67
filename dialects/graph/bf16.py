"""
Numbers of 16 bits with the range of f32: its sign, exponent, 7 bits of its fraction.

numpy has no such type; an array of them is one of their bits.
"""

from __future__ import annotations

import numpy as np

from ..shape import Array

QUIET = 0x40
"""The bit of the fraction by which a NaN stays one, whatever the others were."""


def narrow(array: Array) -> Array:
    """The bf16 nearest to each f32, of two the even one; NaN stays NaN."""
    bits = np.ascontiguousarray(array, np.float32).view(np.uint32)
    high = bits >> np.uint32(16)
    # Where what is cut off is more than half, or half and the rest is odd.
    rounded = (bits + np.uint32(0x7FFF) + (high & np.uint32(1))) >> np.uint32(16)
    return np.where(np.isnan(array), high | np.uint32(QUIET), rounded).astype(np.uint16)


def widen(array: Array) -> Array:
    """The f32 that each bf16 is, exactly."""
    return (array.astype(np.uint32) << np.uint32(16)).view(np.float32)
