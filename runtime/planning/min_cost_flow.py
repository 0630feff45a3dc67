"""
The planner `min-cost-flow`: which record follows which in an object, at the least cost.

A record takes memory of its own, which costs its size, or follows one that ended
before it begins, which costs the bytes by which it is larger. Each record is followed
by one at most. That is a matching of records with what they follow, and the cheapest is
found by shortest augmenting paths, as a flow (TensorFlow Lite's planner of this name).
Costs count two records at a time, so the plan is not the best of all: an object that
has grown once is as large for all who follow.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from .in_order import in_order
from .record import Record, overlap
from .shared_objects import offsets_of

_MAX_RECORDS = 1000
"""Records from which on a matching takes too long, and `in-order` is the answer."""

_FORBIDDEN = 1e300


def min_cost_flow(records: Sequence[Record]) -> Sequence[int]:
    """The offset in bytes of each record, which is that of its object."""
    if len(records) > _MAX_RECORDS:
        return in_order(records)
    order = sorted(range(len(records)), key=lambda i: records[i].first)
    # Of those that cost the same the tightest is followed, and of these the last.
    columns = sorted(range(len(order)), key=lambda k: (records[order[k]].size, -k))
    before = _matched(_costs([records[i] for i in order], columns))
    objects = [0] * len(records)
    count = 0
    for at, index in enumerate(order):
        if before[at] < len(order):
            objects[index] = objects[order[columns[before[at]]]]
        else:
            objects[index] = count
            count += 1
    return offsets_of(records, objects)


def _costs(
    records: Sequence[Record], columns: Sequence[int]
) -> npt.NDArray[np.float64]:
    """
    A row for each record: the cost of following each record, in the order of `columns`,
    then of being the first of each object.
    """
    count = len(records)
    costs = np.full((count, 2 * count), _FORBIDDEN)
    sizes = np.array([record.size for record in records], np.float64)
    costs[:, count:] = sizes[:, np.newaxis]
    for at, record in enumerate(records):
        for column, other in enumerate(columns):
            if other < at and not overlap(record, records[other]):
                costs[at, column] = max(record.size - records[other].size, 0)
    return costs


def _matched(costs: npt.NDArray[np.float64]) -> list[int]:
    """
    A column for each row, no two the same, of the least sum.

    Rows come in one by one. For each the shortest path to a free column is looked for,
    on which rows and columns that were matched before change partners; `rows` and
    `columns` are their prices, by which no step costs less than nothing.
    """
    count, width = costs.shape
    rows, columns = np.zeros(count), np.zeros(width)
    owner = np.full(width, -1)
    for row in range(count):
        least, via = np.full(width, np.inf), np.full(width, -1)
        is_done = np.zeros(width, bool)
        path: list[tuple[int, int]] = []
        current, at = row, -1
        while current >= 0:
            step = costs[current] - rows[current] - columns
            is_less = ~is_done & (step < least)
            least[is_less], via[is_less] = step[is_less], at
            at = int(np.where(is_done, np.inf, least).argmin())
            more = least[at]
            rows[row] += more
            for column, other in path:
                columns[column] -= more
                rows[other] += more
            least[~is_done] -= more
            is_done[at] = True
            current = int(owner[at])
            path.append((at, current))
        while via[at] >= 0:
            owner[at] = owner[via[at]]
            at = int(via[at])
        owner[at] = row
    found = [-1] * count
    for column, row in enumerate(owner.tolist()):
        if row >= 0:
            found[row] = column
    return found
