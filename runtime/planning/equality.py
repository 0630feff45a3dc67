"""
The planner `equality`: a record takes a free object of exactly its size, or a new one.

It suits models whose layers repeat, and memory that is allocated by size. Of several
free objects the one that was freed last is taken.
"""

from __future__ import annotations

from collections.abc import Sequence

from .record import Record
from .shared_objects import offsets_of
from .turns import objects_in_turn


def equality(records: Sequence[Record]) -> Sequence[int]:
    """The offset in bytes of each record, which is that of its object."""
    return offsets_of(records, objects_in_turn(records, _equal))


def _equal(size: int, free: Sequence[tuple[int, int]]) -> int | None:
    """The place of the last object of just this size, if there is one."""
    places = (at for at in reversed(range(len(free))) if free[at][0] == size)
    return next(places, None)
