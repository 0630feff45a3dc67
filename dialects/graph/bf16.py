"""
bf16: numbers of 16 bits, with the sign, the exponent and 7 fraction bits of an f32.

numpy has no such type; an array of them holds their bits, as `BFLOAT16`.
"""

from __future__ import annotations

import numpy as np

from ..element_type import BFLOAT16
from ..shape import Array

_QUIET = 0x40
"""The fraction bit that marks a quiet NaN, so that a narrowed NaN stays one."""


def narrow(array: Array) -> Array:
    """The bf16 nearest to each f32, ties to even; NaN stays NaN."""
    bits = np.ascontiguousarray(array, np.float32).view(np.uint32)
    high = bits >> np.uint32(16)
    # Round up when the dropped bits are more than half, or half and the kept part is
    # odd.
    rounded = (bits + np.uint32(0x7FFF) + (high & np.uint32(1))) >> np.uint32(16)
    is_nan = np.isnan(bits.view(np.float32))
    found = np.where(is_nan, high | np.uint32(_QUIET), rounded).astype(np.uint16)
    return found.view(BFLOAT16).reshape(np.shape(array))


def widen(array: Array) -> Array:
    """The f32 that each bf16 is, exactly."""
    bits = np.ascontiguousarray(array).view(np.uint16).astype(np.uint32)
    return (bits << np.uint32(16)).view(np.float32).reshape(array.shape)
