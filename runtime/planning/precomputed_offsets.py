"""
The planner `precomputed_offsets`: offsets that smaller sizes keep.

    sizes of a call    offsets
    16, 8, 64          placed for 16, 8, 64
    8, 8, 32           the same: every record fits where it was
    8, 32, 16          placed anew, for 16, 32, 64

Records are placed the largest first, each in the tightest gap. Where one of them
outgrows what it had, all are placed anew with the greatest of each record.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TypeAlias

from .greedy_by_size import greedy_by_size
from .record import Record

_Lives: TypeAlias = tuple[tuple[int, int], ...]

_MAX_KEPT_SETS = 64
"""Sets of lives whose offsets are kept; what a call skips decides on them."""


class PrecomputedOffsets:
    """The offsets of one module."""

    def __init__(self) -> None:
        """No offsets yet."""
        self._known: dict[_Lives, tuple[Sequence[int], Sequence[int]]] = {}
        self._size = 0
        self._version = 0

    @property
    def size(self) -> int:
        """The bytes of the block that the last records were placed in."""
        return self._size

    @property
    def version(self) -> int:
        """How many times records were placed."""
        return self._version

    def __call__(self, records: Sequence[Record]) -> Sequence[int]:
        """The offset in bytes of each record."""
        lives = tuple((each.first, each.last) for each in records)
        sizes: Sequence[int] = [each.size for each in records]
        most, offsets = self._known.get(lives, ((), ()))
        if len(most) != len(sizes) or any(map(int.__gt__, sizes, most)):
            if most:
                sizes = [*map(max, sizes, most)]
            pairs = zip(records, sizes, strict=True)
            offsets = greedy_by_size([replace(each, size=size) for each, size in pairs])
            known = self._known if len(self._known) < _MAX_KEPT_SETS else {}
            self._known = {**known, lives: (sizes, offsets)}
            self._version += 1
            most = sizes
        self._size = max(map(int.__add__, offsets, most), default=0)
        return offsets
