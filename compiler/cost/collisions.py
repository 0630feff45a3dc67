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


_MIN_PANELS = 16
"""Panels that must read a block of A for packing it to pay: for eight it did not."""

_MIN_PANELS_OF_OVERFULL_SETS = 4
"""
The same where the rows of one tile evict each other: then products of 100 to 196 rows
by 128 and 256 columns, 1,024 and 2,048 deep, take 0.7 to 0.85 of the time with A packed
(Skylake, AVX-512).
"""


def panels_that_pay(pitch: Dim | None, mr: int, target: TargetAttr) -> int | None:
    """
    How many panels must read tiles of MR rows of A, this many bytes apart, for packing
    A to pay; None where no rows collide. Without a pitch, elements of a row are apart.

    Rows collide where those of the tallest tile take more lines than a set has, or
    where the run decides whether they do. (Where they take 6 of 8, products of 64 to
    784 rows took 0.9 to 0.99 of the time without packing; where they take 12 of 12,
    products of 1,024 and 2,048 took 0.93 to 0.95, on a Zen 5: only lines of a few k are
    read at a time, while B goes through all sets.)
    """
    ways = (target.l1.data << 10) // _WAY
    if pitch is None:
        return _MIN_PANELS
    part = gcd(pitch, _WAY) if isinstance(pitch, int) else _WAY
    if isinstance(pitch, int) and mr * part // _WAY > ways:
        return _MIN_PANELS_OF_OVERFULL_SETS
    return _MIN_PANELS if MOST_ROWS * part // _WAY > ways else None
