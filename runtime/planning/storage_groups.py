"""
The planner `storage-groups`: records take turns in groups, the group freed last first.

    op        0    1    2    3
    record 0  [16]----          group 0, free after op 1
    record 1       [8]----      group 1, free after op 2
    record 2            [64]--  group 0, which grows to 64 bytes

It walks the ops in order, as PyTorch's static runtime does on its first run, when no
size is known: a group is as large as its largest member, and sizes decide nothing else.
"""

from __future__ import annotations

from collections.abc import Sequence
from heapq import heappop, heappush
from itertools import accumulate

from .record import Record


def storage_groups(records: Sequence[Record]) -> Sequence[int]:
    """The offset in bytes of each record, which is that of its group."""
    groups = [0] * len(records)
    sizes: list[int] = []
    free: list[int] = []
    ends: list[tuple[int, int]] = []
    for index in sorted(range(len(records)), key=lambda i: records[i].first):
        record = records[index]
        while ends and ends[0][0] < record.first:
            _, old = heappop(ends)
            free.append(groups[old])
        if not free:
            free.append(len(sizes))
            sizes.append(0)
        group = groups[index] = free.pop()
        sizes[group] = max(sizes[group], record.size)
        heappush(ends, (record.last, index))
    starts = list(accumulate(sizes, initial=0))
    return [starts[group] for group in groups]
