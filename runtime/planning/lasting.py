"""`LastingPlanner`: a planner that remembers what it planned for one module before."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from .record import Record


class LastingPlanner(Protocol):
    """
    Places the records of one call after the other, in memory that only grows.

    A copy of it is what it was when it was copied.
    """

    @property
    def size(self) -> int:
        """The bytes of the block that the last records were placed in."""
        ...

    @property
    def version(self) -> int:
        """A number that is another once records would be placed otherwise."""
        ...

    def __call__(self, records: Sequence[Record]) -> Sequence[int]:
        """The offset in bytes of each record."""
        ...
