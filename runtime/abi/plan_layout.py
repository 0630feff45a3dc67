"""`PlanLayout`: the fields of the memory in which a call is planned."""

from __future__ import annotations

from dataclasses import dataclass

from .layout import RowLayout


@dataclass(frozen=True)
class PlanLayout:
    """
    The fields of a plan: its bytes, then an offset, a count of elements, and the sizes
    of each tensor that has a place, which are inputs and outputs one after the other;
    then the plan row.
    """

    row: RowLayout
    ranks: tuple[int, ...] = ()
    """The ranks of the tensors that have a place."""

    PLACED = 0
    """The bytes of the tensors together."""
    ACTIVATIONS = 1
    """The bytes of the block of activations."""
    LOWER_BOUND = 2
    """The least bytes of activations that any plan has."""
    HEAD = 3
    """The offset of the first tensor."""

    @property
    def first_count(self) -> int:
        """How many elements the first tensor has."""
        return self.HEAD + len(self.ranks)

    @property
    def first_size(self) -> int:
        """The first size of the first tensor; all other sizes follow."""
        return self.first_count + len(self.ranks)

    @property
    def first_row(self) -> int:
        """The first field of the plan row; its symbols are given."""
        return self.first_size + sum(self.ranks)

    @property
    def orders(self) -> int:
        """The address of the orders of slots, each of 32 bits; given to bytecode."""
        return self.first_row + self.row.size

    @property
    def size(self) -> int:
        """How many fields there are."""
        return self.orders + 1
