"""
Tell whether rows of A evict each other from the first cache.

Where rows lie a power of two apart, their lines fall into few of its sets. A cache of
32 KiB has 8 lines in each of 64 sets, one of 48 KiB has 12.
"""

from __future__ import annotations

from math import gcd

from ...dialects import Dim
from ...dialects.loop import TargetAttr
from .register_tile import MOST_ROWS

_WAY = 4096
"""Bytes of one line of each set: 64 lines of 64 bytes."""


def rows_collide(pitch: Dim, target: TargetAttr) -> bool:
    """
    Whether the rows of the tallest tile, this many bytes apart, take more than half of
    the lines of a set, as the columns of B go by; and where the run decides it.
    """
    if not isinstance(pitch, int):
        return True
    in_a_set = MOST_ROWS * gcd(pitch, _WAY) // _WAY
    return 2 * in_a_set > (target.l1.data << 10) // _WAY
