"""
The planner `standard_resizing`: storage groups that record their largest size.

    sizes of a call    groups
    16, 8, 64          [64, 8]     the first call: as `storage-groups`
    8, 32, 16          [64, 32]    the second group grows, the first stays as it is
    8, 4, 16           [64, 32]    what fits changes nothing

So it is in PyTorch's static runtime, where a group grows for the run after the one that
needed more; here it does for the run itself, as sizes are known before.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate, zip_longest

from .record import Record
from .storage_groups import groups_of


def standard_resizing(records: Sequence[Record]) -> Sequence[int]:
    """The offset in bytes of each record, where no sizes were met before."""
    return StandardResizing()(records)


class StandardResizing:
    """The groups of one module."""

    def __init__(self) -> None:
        """No groups yet."""
        self._sizes: Sequence[int] = ()
        self._version = 0

    @property
    def size(self) -> int:
        """The bytes of all groups."""
        return sum(self._sizes)

    @property
    def version(self) -> int:
        """How many times groups grew."""
        return self._version

    def __call__(self, records: Sequence[Record]) -> Sequence[int]:
        """The offset in bytes of each record; groups grow by what they lack."""
        groups, sizes = groups_of(records)
        grown = [max(pair) for pair in zip_longest(self._sizes, sizes, fillvalue=0)]
        if grown != self._sizes:
            self._sizes, self._version = grown, self._version + 1
        starts = list(accumulate(self._sizes, initial=0))
        return [starts[group] for group in groups]
