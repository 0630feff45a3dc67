"""`BundleLayout`: the fields of a plan of a bundle, for a model of any size."""

from __future__ import annotations

from dataclasses import dataclass

from ....runtime import RowLayout


@dataclass(frozen=True)
class BundleLayout:
    """The fields of what a plan is, for so many inputs and outputs together."""

    tensors: int
    row: RowLayout

    MUTABLE = 0
    """The bytes of the mutable buffer."""
    ACTIVATIONS = 1
    """The bytes of the buffer of activations."""
    HEAD = 2
    """The offset of the first input in the mutable buffer."""

    @property
    def first_count(self) -> int:
        """How many elements the first input has."""
        return self.HEAD + self.tensors

    @property
    def first_row(self) -> int:
        """The first field of the plan row that the run reads."""
        return self.first_count + self.tensors

    @property
    def size(self) -> int:
        """How many fields there are."""
        return self.first_row + self.row.size
