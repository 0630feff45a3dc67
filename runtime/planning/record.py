"""`Record`: how large a value is, and for how long it must stay in memory."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt


@dataclass(frozen=True, eq=False)
class Branch:
    """
    Ops that run while those of other branches of one fork do (`branches.py`).

    In the order in which the branches of each fork are reversed, its ops have the
    numbers that they have and `shift`.
    """

    fork: tuple[int, int]
    """The op at which all branches begin, and the one at which they have ended."""

    first: int
    last: int
    shift: int
    parent: Branch | None = None
    """The branch that the fork is in."""


@dataclass(frozen=True)
class Record:
    """
    A value that needs memory: its size in bytes, and the ops that it must outlive.

    The interval of ops is inclusive: `first` is the op that writes the value and `last`
    the last one that reads it. This is the tensor usage record of arXiv 2001.03288.
    A value of a branch lives within it alone. Raises `ValueError` when the size is
    negative or the interval runs backwards.
    """

    size: int
    first: int
    last: int
    branch: Branch | None = field(default=None, kw_only=True)

    def __post_init__(self) -> None:
        if self.size < 0:
            raise ValueError(f"expected a size of at least 0 bytes, got {self.size}")
        if self.last < self.first:
            raise ValueError(
                f"expected an interval of ops that runs forward, "
                f"got {self.first} to {self.last}"
            )

    @property
    def shift(self) -> int:
        """What to add to the ops for their numbers where branches are reversed."""
        return 0 if self.branch is None else self.branch.shift


def overlap(a: Record, b: Record) -> bool:
    """
    Whether both may have to be in memory at one time: unless one ends before the other
    begins, in the order of ops and in that in which branches are reversed.
    """
    return not (_is_before(a, b) or _is_before(b, a))


def _is_before(a: Record, b: Record) -> bool:
    """Whether one record ends before another begins, whichever branch is ahead."""
    return a.last < b.first and a.last + a.shift < b.first + b.shift


def are_branched(records: Iterable[Record]) -> bool:
    """Whether a record lives in a branch; else the order of ops says it all."""
    return any(each.branch is not None for each in records)


def overlapping(
    record: Record,
    firsts: npt.NDArray[np.int64],
    lasts: npt.NDArray[np.int64],
    shifts: npt.NDArray[np.int64],
) -> npt.NDArray[np.bool_]:
    """`overlap` of a record and of each of others, which are given by their fields."""
    first, last, shift = record.first, record.last, record.shift
    before = (lasts < first) & (lasts + shifts < first + shift)
    after = (firsts > last) & (firsts + shifts > last + shift)
    return ~(before | after)
