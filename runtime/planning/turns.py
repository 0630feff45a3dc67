"""Walk the records in the order of their first op, with the objects that are free."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from heapq import heappop, heappush
from typing import TypeAlias

from .record import Record, are_branched

Choice: TypeAlias = Callable[[int, Sequence[tuple[int, int]]], int | None]
"""
From the size of a record, and the size and the number of each free object, in the order
in which they were freed, to the place of one of them; None for a new object.
"""


def objects_in_turn(records: Sequence[Record], choose: Choice) -> list[int]:
    """The object of each record; a record without a free one has a new object."""
    is_branched = are_branched(records)
    objects = [0] * len(records)
    sizes: list[int] = []
    reversed_ends: list[int] = []
    """For each object the last op of its records where branches are reversed."""
    free: list[tuple[int, int]] = []
    ends: list[tuple[int, int]] = []
    for index in sorted(range(len(records)), key=lambda i: records[i].first):
        record = records[index]
        while ends and ends[0][0] < record.first:
            _, number = heappop(ends)
            free.append((sizes[number], number))
        begin, usable = record.first + record.shift, free
        if is_branched:
            usable = [each for each in free if reversed_ends[each[1]] < begin]
        place = choose(record.size, usable) if usable else None
        if place is None:
            number = len(sizes)
            sizes.append(record.size)
            reversed_ends.append(-1)
        else:
            _, number = chosen = usable[place]
            free.remove(chosen)
            sizes[number] = max(sizes[number], record.size)
        reversed_ends[number] = max(reversed_ends[number], record.last + record.shift)
        objects[index] = number
        heappush(ends, (record.last, number))
    return objects
