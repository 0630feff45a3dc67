"""`Plan`: where in one block of memory each record lies, and the proof that it may."""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Sequence
from dataclasses import dataclass
from heapq import heappop, heappush

import numpy as np

from .branches import branched_bound
from .record import Record, are_branched, overlapping


class OverlapError(ValueError):
    """Two values that live at one time share bytes, or one lies outside the block."""


@dataclass(frozen=True)
class Plan:
    """
    The offset of every record within a block of `size` bytes.

    No plan is smaller than `lower_bound` bytes, so a plan of that size is optimal.
    """

    offsets: tuple[int, ...]
    size: int
    lower_bound: int

    @property
    def is_optimal(self) -> bool:
        """Whether this plan is as small as its lower bound, hence as any can be."""
        return self.size == self.lower_bound


def lower_bound(records: Sequence[Record]) -> int:
    """
    The most bytes that are alive at one time: during one op, in O(n log n), where there
    are no branches.
    """
    if are_branched(records):
        return branched_bound(records)
    changes = [(record.first, record.size) for record in records]
    changes += [(record.last + 1, -record.size) for record in records]
    # At one op the negative changes sort first: what has ended makes room.
    live = most = 0
    for _, change in sorted(changes):
        live += change
        most = max(most, live)
    return most


def verify(records: Sequence[Record], plan: Plan) -> None:
    """
    Checks that records which live at one time are apart, and that all are in the block.

    Raises `OverlapError` with both records and their bytes where they are not, and
    `ValueError` when the plan is of another number of records.

    Sweeps over time with the living records in order of their offset. They are disjoint
    up to the first overlap, so a new one can only touch the two that it comes between.
    Records in branches are compared with all that they may live beside.
    """
    if len(plan.offsets) != len(records):
        raise ValueError(
            f"expected {len(records)} offsets, one for each record, "
            f"got {len(plan.offsets)}"
        )
    if are_branched(records):
        _verify_pairs(records, plan)
        return
    live: list[tuple[int, int]] = []
    ends: list[tuple[int, int]] = []
    for new in sorted(range(len(records)), key=lambda i: records[i].first):
        while ends and ends[0][0] < records[new].first:
            _, old = heappop(ends)
            del live[bisect_left(live, (plan.offsets[old], old))]
        _verify_within(records, plan, new)
        if not records[new].size:
            continue
        here = plan.offsets[new], new
        at = bisect_left(live, here)
        for _, old in live[max(at - 1, 0) : at + 1]:
            _verify_apart(records, plan, old, new)
        insort(live, here)
        heappush(ends, (records[new].last, new))


def _verify_pairs(records: Sequence[Record], plan: Plan) -> None:
    """Checks each record, and each pair of records that may live at one time."""
    lives = np.array([(it.first, it.last, it.shift) for it in records], np.int64).T
    starts = np.array(plan.offsets, np.int64)
    ends = starts + [it.size for it in records]
    for new, record in enumerate(records):
        _verify_within(records, plan, new)
        meets = (
            overlapping(record, *lives) & (starts < ends[new]) & (starts[new] < ends)
        )
        for old in np.flatnonzero(meets[:new]).tolist():
            _verify_apart(records, plan, old, new)


def _verify_within(records: Sequence[Record], plan: Plan, index: int) -> None:
    start = plan.offsets[index]
    end = start + records[index].size
    if start < 0 or end > plan.size:
        raise OverlapError(
            f"record {index}: expected to lie within bytes 0 to {plan.size}, "
            f"got {start} to {end}"
        )


def _verify_apart(records: Sequence[Record], plan: Plan, old: int, new: int) -> None:
    pair = records[old], records[new]
    (a, b), (c, d) = (
        (plan.offsets[index], plan.offsets[index] + records[index].size)
        for index in (old, new)
    )
    if a < d and c < b:
        raise OverlapError(
            f"expected records {old} and {new} to be apart, as {_why(*pair)}, "
            f"got bytes {a} to {b} and {c} to {d}"
        )


def _why(old: Record, new: Record) -> str:
    """Why two records may live at one time."""
    if new.first <= old.last and old.first <= new.last:
        return f"both live at op {max(old.first, new.first)}"
    return "they live in branches of one fork"
