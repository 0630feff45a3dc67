"""
The planner `in-order`: records in the order of their first op take the free object of
the nearest size, be it larger or smaller, in which case it grows.

    op        0    1    2    3
    record 0  [16]----                object 0, free from op 2 on
    record 1       [64]----           object 1, free from op 3 on
    record 2            [24]----      object 0, which grows to 24 bytes
    record 3                 [60]     object 1, which is nearer than none
"""

from __future__ import annotations

from collections.abc import Sequence

from .record import Record
from .shared_objects import offsets_of
from .turns import objects_in_turn


def in_order(records: Sequence[Record]) -> Sequence[int]:
    """The offset in bytes of each record, which is that of its object."""
    return offsets_of(records, objects_in_turn(records, _nearest))


def _nearest(size: int, free: Sequence[tuple[int, int]]) -> int:
    """The place of the object of the nearest size; of equal ones the larger, first."""
    return min(
        range(len(free)),
        key=lambda at: (abs(free[at][0] - size), free[at][0] < size, free[at][1]),
    )
