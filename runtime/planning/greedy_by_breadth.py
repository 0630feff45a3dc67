"""
The planner `greedy-by-breadth`: the records of the fullest op first, best fit.

The breadth of an op is the number of bytes that live during it. It grows only where a
record begins, so the ops between two beginnings have nothing to add.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from .best_fit import place
from .greedy_by_size import order_by_size
from .record import Record


def greedy_by_breadth(records: Sequence[Record]) -> Sequence[int]:
    """The offset in bytes of each record (arXiv 2001.03288, offsets by breadth)."""
    return place(records, order_by_breadth(records))


def order_by_breadth(records: Sequence[Record]) -> list[int]:
    """The indices of the records, op by op from the broadest; in an op by size."""
    by_size = order_by_size(records)
    waiting = np.array(by_size, np.int64)
    firsts = np.array([records[i].first for i in by_size], np.int64)
    lasts = np.array([records[i].last for i in by_size], np.int64)
    order: list[int] = []
    for op in _ops_by_breadth(records):
        live = (firsts <= op) & (lasts >= op)
        order += waiting[live].tolist()
        waiting, firsts, lasts = waiting[~live], firsts[~live], lasts[~live]
    return order


def _ops_by_breadth(records: Sequence[Record]) -> list[int]:
    """The ops in which a record begins, from the broadest; equal ones in order."""
    changes = [(record.first, record.size) for record in records]
    changes += [(record.last + 1, -record.size) for record in records]
    breadths: dict[int, int] = {}
    live = 0
    for op, change in sorted(changes):
        live += change
        breadths[op] = live
    begins = sorted({record.first for record in records})
    return sorted(begins, key=lambda op: -breadths[op])
