"""`Record`: how large a value is, and for how long it must stay in memory."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Record:
    """
    A value that needs memory: its size in bytes, and the ops that it must outlive.

    The interval of ops is inclusive: `first` is the op that writes the value and `last`
    the last one that reads it. This is the tensor usage record of arXiv 2001.03288.
    Raises `ValueError` when the size is negative or the interval runs backwards.
    """

    size: int
    first: int
    last: int

    def __post_init__(self) -> None:
        if self.size < 0:
            raise ValueError(f"expected a size of at least 0 bytes, got {self.size}")
        if self.last < self.first:
            raise ValueError(
                f"expected an interval of ops that runs forward, "
                f"got {self.first} to {self.last}"
            )


def overlap(a: Record, b: Record) -> bool:
    """Whether there is an op during which both must be in memory."""
    return a.first <= b.last and b.first <= a.last
