"""
bf16: numbers of 16 bits, with the sign, the exponent and 7 fraction bits of an f32.

numpy has no such type; an array of them holds their bits.
"""

from __future__ import annotations

import numpy as np

from ..shape import Array

QUIET = 0x40
"""The fraction bit that marks a quiet NaN, so that a narrowed NaN stays one."""


def narrow(array: Array) -> Array:
    """The bf16 nearest to each f32, ties to even; NaN stays NaN."""
    bits = np.ascontiguousarray(array, np.float32).view(np.uint32)
    high = bits >> np.uint32(16)
    # Round up when the dropped bits are more than half, or half and the kept part is
    # odd.
    rounded = (bits + np.uint32(0x7FFF) + (high & np.uint32(1))) >> np.uint32(16)
    return np.where(np.isnan(array), high | np.uint32(QUIET), rounded).astype(np.uint16)


def widen(array: Array) -> Array:
    """The f32 that each bf16 is, exactly."""
    return (array.astype(np.uint32) << np.uint32(16)).view(np.float32)
