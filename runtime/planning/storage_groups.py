"""
The planner `storage-groups`: records take turns in groups, the group freed last first.

    op        0    1    2    3
    record 0  [16]----          group 0, free after op 1
    record 1       [8]----      group 1, free after op 2
    record 2            [64]--  group 0, which grows to 64 bytes

It walks the ops in order, as PyTorch's static runtime does on its first run, when no
size is known: a group is as large as its largest member, and sizes decide nothing else.
A group that is free may have members that live in another branch: it is left to others.
"""

from __future__ import annotations

from collections.abc import Sequence
from heapq import heappop, heappush
from itertools import accumulate

from .record import Record


def storage_groups(records: Sequence[Record]) -> Sequence[int]:
    """The offset in bytes of each record, which is that of its group."""
    groups, sizes = groups_of(records)
    starts = list(accumulate(sizes, initial=0))
    return [starts[group] for group in groups]


def groups_of(records: Sequence[Record]) -> tuple[list[int], list[int]]:
    """The group of each record, and the size in bytes of each group."""
    groups = [0] * len(records)
    sizes: list[int] = []
    reversed_ends: list[int] = []
    """For each group the last op of its members where branches are reversed."""
    free: list[int] = []
    ends: list[tuple[int, int]] = []
    for index in sorted(range(len(records)), key=lambda i: records[i].first):
        record = records[index]
        while ends and ends[0][0] < record.first:
            _, old = heappop(ends)
            free.append(groups[old])
        begin, at = record.first + record.shift, len(free) - 1
        while at >= 0 and reversed_ends[free[at]] >= begin:
            at -= 1
        if at < 0:
            free.append(len(sizes))
            sizes.append(0)
            reversed_ends.append(-1)
        group = groups[index] = free.pop(at)
        sizes[group] = max(sizes[group], record.size)
        reversed_ends[group] = max(reversed_ends[group], record.last + record.shift)
        heappush(ends, (record.last, index))
    return groups, sizes
