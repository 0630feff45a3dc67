"""Rounding to bf16: to the nearest, to even between two, with NaN and infinities."""

from __future__ import annotations

import numpy as np
import pytest

from static_runtime.dialects.graph.bf16 import narrow, widen
from static_runtime.dialects.shape import Array

EVERY = np.arange(1 << 16, dtype=np.uint16)


def bits(*numbers: int) -> Array:
    """The f32 of these bits."""
    return np.array(numbers, np.uint32).view(np.float32)


def test_every_bf16_stays_what_it_is():
    wide = widen(EVERY)
    there_and_back = narrow(wide)
    is_nan = np.isnan(wide)
    np.testing.assert_array_equal(
        there_and_back.view(np.uint16)[~is_nan], EVERY[~is_nan]
    )
    assert np.isnan(widen(there_and_back[is_nan])).all()


@pytest.mark.parametrize(
    ("number", "expected"),
    [
        # Below, at and above half of what is cut off, after an even and an odd number.
        *((0x3F80_7FFF, 0x3F80), (0x3F80_8000, 0x3F80), (0x3F80_8001, 0x3F81)),
        *((0x3F81_7FFF, 0x3F81), (0x3F81_8000, 0x3F82), (0x3F81_8001, 0x3F82)),
        # The same of a negative number and of a subnormal one, and zeros of both signs.
        *((0xBF81_8000, 0xBF82), (0x0000_8001, 0x0001), (0x0000_8000, 0x0000)),
        *((0x0000_0000, 0x0000), (0x8000_0000, 0x8000)),
        # Infinities, and what is nearer to one than to the greatest number.
        *((0x7F80_0000, 0x7F80), (0xFF80_0000, 0xFF80), (0x7F7F_FFFF, 0x7F80)),
        # NaN of both signs; one has bits only in what is cut off.
        *((0x7FC0_0000, 0x7FC0), (0xFFFF_FFFF, 0xFFFF), (0x7F80_0001, 0x7FC0)),
    ],
)
def test_rounds_to_the_nearest(number: int, expected: int):
    (got,) = narrow(bits(number)).view(np.uint16)
    assert hex(got) == hex(expected)


def test_nothing_is_nearer():
    values = np.random.default_rng(0).standard_normal(5000).astype(np.float32)
    got = narrow(values)
    best = np.abs(widen(got).astype(np.float64) - values)
    for step in (-1, 1):
        other = widen((got.view(np.uint16) + np.int32(step)).astype(np.uint16))
        assert (best <= np.abs(other.astype(np.float64) - values)).all()
    assert (best <= np.abs(values) / 256).all()
