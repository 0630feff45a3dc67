"""The planner `shared-greedy-by-size`: the largest record chooses its object first."""

from __future__ import annotations

from collections.abc import Sequence

from .greedy_by_size import order_by_size
from .record import Record
from .shared_objects import assign, offsets_of


def shared_greedy_by_size(records: Sequence[Record]) -> Sequence[int]:
    """The offset in bytes of each record (arXiv 2001.03288, section 4.3)."""
    return offsets_of(records, assign(records, order_by_size(records)))
