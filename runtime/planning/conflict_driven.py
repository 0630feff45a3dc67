"""
The planner `conflict-driven`: best fit again and again, what sticks out ever earlier.

Best fit needs an order. First come the orders of the greedy planners, and that of the
longest lives. When none gives a plan as small as the lower bound, a search begins: a
record at the very top of the plan is in conflict with what was placed before it, so it
moves to an earlier place in the order, and only what that changes is placed again.
After some moves the search begins anew, with equal records in another order.

Where very many records live at one time even one order takes too long, and what does
not depend on that is taken: storage groups.

It stops at the lower bound, which proves the plan optimal. Otherwise it stops after an
amount of work that depends on the records alone, never on time: the same records always
have the same plan.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from heapq import heapify, heappop, heappush
from random import Random

import numpy as np

from .best_fit import place, tightest_gap
from .greedy_by_breadth import order_by_breadth
from .greedy_by_size import order_by_size
from .plan import lower_bound
from .record import Record, are_branched, overlapping
from .storage_groups import storage_groups

_MOVES_PER_START = 50
"""Moves before the search begins anew."""

_MOVES_PER_RECORD = 100
"""Moves in all, for each record: so that a few records never search for long."""

_MAX_VISITS = 3_000_000
"""Records looked at in all: about half a second of Python."""

_MAX_PAIRS = 1_000_000
"""Pairs of records that meet; a table of more would cost too much memory and time."""


MEETINGS = 30_000_000
"""Pairs of records that meet, from which on none is placed by what it meets."""


def conflict_driven(records: Sequence[Record]) -> Sequence[int]:
    """
    The offset in bytes of each record; never a larger plan than the greedy ones, but
    for more records than these have time for.
    """
    meetings = _count_meetings(records)
    if meetings > MEETINGS:
        return storage_groups(records)
    bound = lower_bound(records)
    best: list[int] = []
    best_top = sum(record.size for record in records) + 1
    for order in (order_by_size, _order_by_life, order_by_breadth):
        offsets = place(records, order(records))
        top = max((at + it.size for at, it in zip(offsets, records)), default=0)
        if top < best_top:
            best, best_top = offsets, top
        if best_top == bound:
            return best
    if meetings > _MAX_PAIRS:
        return best
    return _Search(records).improve(best, best_top, bound)


def _order_by_life(records: Sequence[Record]) -> list[int]:
    """The indices of the records, from the longest life down, then by size."""
    by_size = order_by_size(records)
    return sorted(by_size, key=lambda i: records[i].first - records[i].last)


def _count_meetings(records: Sequence[Record]) -> int:
    """
    The number of pairs of records that live at one time, in O(n log n); with branches
    those that might, all pairs.
    """
    if are_branched(records):
        return len(records) * (len(records) - 1) // 2
    changes = [(record.first, 1) for record in records]
    changes += [(record.last + 1, -1) for record in records]
    live = pairs = 0
    for _, change in sorted(changes):
        pairs += live if change > 0 else 0
        live += change
    return pairs


class _Search:
    """An order of the records, the offsets that follow from it, and how it changes."""

    def __init__(self, records: Sequence[Record]) -> None:
        self.records = records
        self.sizes = [record.size for record in records]
        self.meets = _contemporaries(records)
        self.random = Random(0)
        self.order: list[int] = []
        self.rank = [0] * len(records)
        """Where each record stands in the order."""
        self.offsets = [0] * len(records)
        self.work = 0

    def improve(self, best: list[int], best_top: int, bound: int) -> list[int]:
        """The smallest plan on the way, or `best`; one of `bound` bytes is the end."""
        orders = self.orders()
        for move in range(_MOVES_PER_RECORD * len(self.records)):
            if move % _MOVES_PER_START == 0:
                self.place_all(next(orders))
            ends = [at + size for at, size in zip(self.offsets, self.sizes)]
            top = max(ends)
            if top < best_top:
                best, best_top = self.offsets.copy(), top
            if best_top == bound or self.work > _MAX_VISITS:
                break
            # `Random.random` is the one method whose numbers no release changes.
            highest = [index for index, end in enumerate(ends) if end == top]
            moved = highest[int(self.random.random() * len(highest))]
            self.move(moved, int(self.random.random() * self.rank[moved]))
        return best

    def orders(self) -> Iterator[list[int]]:
        """By size and by life in turn, the equal records each time in another order."""
        records = self.records
        by_size, by_life = order_by_size(records), _order_by_life(records)
        while True:
            yield by_size.copy()
            yield by_life.copy()
            ties = [self.random.random() for _ in records]
            by_size.sort(key=lambda i: (-records[i].size, ties[i]))
            by_life = sorted(by_size, key=lambda i: records[i].first - records[i].last)

    def place_all(self, order: list[int]) -> None:
        """Places every record anew."""
        self.order = order
        for rank, index in enumerate(order):
            self.rank[index] = rank
        for index in order:
            self.offsets[index] = self.fit(index)

    def fit(self, index: int) -> int:
        """The offset of a record among those of its time that come before it."""
        offsets, sizes, rank = self.offsets, self.sizes, self.rank
        own = rank[index]
        meets = self.meets[index]
        self.work += len(meets) + 2
        busy = sorted(
            [(offsets[i], offsets[i] + sizes[i]) for i in meets if rank[i] < own]
        )
        return tightest_gap(busy, sizes[index])

    def move(self, index: int, to: int) -> None:
        """
        Moves a record to an earlier rank, and places again what that touches.

        These are the record itself and those of its time that it overtakes; then, in
        order, whatever lives at one time with a record that has moved in memory.
        """
        since = self.rank[index]
        self.order.insert(to, self.order.pop(since))
        for rank in range(to, since + 1):
            self.rank[self.order[rank]] = rank
        self.work += len(self.order) // 2
        touched = {i for i in self.meets[index] if to < self.rank[i] <= since}
        touched.add(index)
        waiting = [self.rank[i] for i in touched]
        heapify(waiting)
        while waiting:
            rank = heappop(waiting)
            current = self.order[rank]
            offset = self.fit(current)
            if offset == self.offsets[current]:
                continue
            self.offsets[current] = offset
            for other in self.meets[current]:
                if self.rank[other] > rank and other not in touched:
                    touched.add(other)
                    heappush(waiting, self.rank[other])


def _contemporaries(records: Sequence[Record]) -> list[list[int]]:
    """For each record the indices of the others that live at one time with it."""
    if are_branched(records):
        lives = np.array([(it.first, it.last, it.shift) for it in records], np.int64).T
        rows = (np.flatnonzero(overlapping(each, *lives)) for each in records)
        return [
            [at for at in row.tolist() if at != own] for own, row in enumerate(rows)
        ]
    meets: list[list[int]] = [[] for _ in records]
    live: list[int] = []
    for new in sorted(range(len(records)), key=lambda i: records[i].first):
        live = [old for old in live if records[old].last >= records[new].first]
        for old in live:
            meets[old].append(new)
            meets[new].append(old)
        live.append(new)
    return meets
