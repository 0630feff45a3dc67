"""
The planner `size-improved`: by size in stages, and in a stage the tightest fit in time.

The first stage is the records larger than the second positional maximum, the next those
larger than the third, and so on. Within a stage sizes are alike, so that any order is
one by size: the record and the object with the smallest gap between their lives come
first. So objects stay free in longer pieces.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from .record import Record, overlap
from .shared_greedy_by_size import shared_greedy_by_size
from .shared_objects import offsets_of, positional_maxima

_MAX_RECORDS = 2000
"""Records from which on gaps take seconds, and sizes alone decide."""

_NEVER = 2**62
"""The gap between a record and an object that is not free for it, or has no record."""


def size_improved(records: Sequence[Record]) -> Sequence[int]:
    """The offset in bytes of each record (arXiv 2001.03288, section 4.4)."""
    if len(records) > _MAX_RECORDS:
        return shared_greedy_by_size(records)
    return offsets_of(records, _assigned(records))


def _assigned(records: Sequence[Record]) -> list[int]:
    """The object of each record."""
    objects = [-1] * len(records)
    gaps: list[npt.NDArray[np.int64]] = []
    for stage in _stages(records):
        waiting = np.array(stage, np.int64)
        while waiting.size:
            nearest = np.full(waiting.size, _NEVER)
            if gaps:
                nearest = np.array([gap[waiting] for gap in gaps]).min(axis=0)
            # The records of a stage are in order of their sizes.
            place = int(nearest.argmin())
            index = int(waiting[place])
            number = len(gaps)
            if nearest[place] < _NEVER:
                number = next(
                    k for k in range(number) if gaps[k][index] == nearest[place]
                )
                gaps[number] = _joined(gaps[number], _gaps(records, index))
            else:
                gaps.append(_gaps(records, index))
            objects[index] = number
            waiting = np.delete(waiting, place)
    return objects


def _stages(records: Sequence[Record]) -> list[list[int]]:
    """The indices of the records by stages, each from the largest down."""
    ascending = positional_maxima(records)[::-1]
    stages: list[list[int]] = [[] for _ in ascending]
    for index in sorted(range(len(records)), key=lambda i: -records[i].size):
        # How many maxima are at least as large, from the last one on.
        stages[len(ascending) - bisect_left(ascending, records[index].size) - 1].append(
            index
        )
    return stages


def _gaps(records: Sequence[Record], member: int) -> npt.NDArray[np.int64]:
    """How many ops are between each record and one; `_NEVER` where they meet."""
    one = records[member]
    found = [
        _NEVER
        if overlap(one, other)
        else max(one.first - other.last, other.first - one.last)
        for other in records
    ]
    return np.array(found, np.int64)


def _joined(
    one: npt.NDArray[np.int64], other: npt.NDArray[np.int64]
) -> npt.NDArray[np.int64]:
    """The gaps to an object of the records of two."""
    never = (one == _NEVER) | (other == _NEVER)
    return np.where(never, _NEVER, np.minimum(one, other))
