"""
Shared objects: memory that records take turns in, each object as large as its largest.

arXiv 2001.03288, section 4. A planner of this kind says which object each record has;
the objects lie one after the other. It needs no offsets within a block, so it also
suits memory that cannot be divided, and costs more bytes than offsets do.
"""

from __future__ import annotations

from bisect import insort
from collections.abc import Iterable, Sequence
from itertools import accumulate

from .record import Record, overlap


def offsets_of(records: Sequence[Record], objects: Sequence[int]) -> list[int]:
    """The offset in bytes of each record, by the number of its object."""
    sizes = [0] * (max(objects, default=-1) + 1)
    for record, number in zip(records, objects, strict=True):
        sizes[number] = max(sizes[number], record.size)
    starts = list(accumulate(sizes, initial=0))
    return [starts[number] for number in objects]


def assign(records: Sequence[Record], order: Iterable[int]) -> list[int]:
    """
    The object of each record when they choose in `order`, which names each once: the
    smallest free one that is large enough, or the largest free one, which grows.
    """
    objects = [0] * len(records)
    members: list[list[Record]] = []
    sizes: list[int] = []
    for index in order:
        record = records[index]
        free = [
            number
            for number, others in enumerate(members)
            if not any(overlap(record, other) for other in others)
        ]
        if not free:
            free = [len(members)]
            members.append([])
            sizes.append(0)
        fitting = [number for number in free if sizes[number] >= record.size]
        if fitting:
            chosen = min(fitting, key=lambda number: sizes[number])
        else:
            chosen = max(free, key=lambda number: sizes[number])
        objects[index] = chosen
        members[chosen].append(record)
        sizes[chosen] = max(sizes[chosen], record.size)
    return objects


def positional_maxima(records: Sequence[Record]) -> list[int]:
    """
    The greatest k-th largest size that lives during any op, for each k from the first.

    No more records live at one op than there are maxima, and their sum is the least
    that shared objects can take: there must be as many, of these sizes at least.
    """
    found: list[int] = []
    live: list[int] = []
    ends: list[tuple[int, int]] = []
    for record in sorted(records, key=lambda each: each.first):
        while ends and ends[0][0] < record.first:
            live.remove(ends.pop(0)[1])
        insort(live, record.size)
        insort(ends, (record.last, record.size))
        found += [0] * (len(live) - len(found))
        for k, size in enumerate(reversed(live)):
            found[k] = max(found[k], size)
    return found


def shared_lower_bound(records: Sequence[Record]) -> int:
    """The least bytes that shared objects can take for these records."""
    return sum(positional_maxima(records))
