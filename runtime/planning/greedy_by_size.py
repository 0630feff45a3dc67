"""The planner `greedy-by-size`: the largest record first, each in the tightest gap."""

from __future__ import annotations

from collections.abc import Sequence

from .best_fit import place
from .record import Record


def greedy_by_size(records: Sequence[Record]) -> Sequence[int]:
    """The offset in bytes of each record (arXiv 2001.03288, section 5.2)."""
    return place(records, order_by_size(records))


def order_by_size(records: Sequence[Record]) -> list[int]:
    """The indices of the records, from the largest down; equal ones stay in order."""
    return sorted(range(len(records)), key=lambda i: -records[i].size)
