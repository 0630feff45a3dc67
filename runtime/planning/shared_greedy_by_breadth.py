"""The planner `shared-greedy-by-breadth`: records of the fullest op choose first."""

from __future__ import annotations

from collections.abc import Sequence

from .greedy_by_breadth import order_by_breadth
from .record import Record
from .shared_objects import assign, offsets_of


def shared_greedy_by_breadth(records: Sequence[Record]) -> Sequence[int]:
    """The offset in bytes of each record (arXiv 2001.03288, shared objects)."""
    return offsets_of(records, assign(records, order_by_breadth(records)))
