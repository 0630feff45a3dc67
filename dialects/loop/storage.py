"""
The memory of a program: its constants, the slots of its activations, and their plan.

    #loop.constant<"fc.weight", offset = 256, size = 1024>
    #loop.slot<size = "4096", offset = 128, live = 2 to 5>
    #loop.slot<size = "4 * batch", offset = ?, live = 3 to 4>
    #loop.plan<"conflict-driven", steps = 9, bytes = 4224, lower_bound = 4224>
    #loop.plan<"conflict-driven", steps = 9, bytes = ?, lower_bound = ?,
      orders = [[1, 0, 2]]>
    #loop.plan<"conflict-driven", steps = 9, bytes = 4224, lower_bound = 4224,
      branches = [[1, 6, 2, 3], [1, 6, 4, 5]]>

Sizes and offsets are in bytes, each from the beginning of the block of constants or of
activations. A slot lives from one step to another: steps are numbered as the ops of the
function were that the program computes. An offset that depends on symbols is `?`, and
with it the bytes of the plan: the runtime plans once it knows the symbols. It stacks
the slots in one of the plan's orders, which name them from the bottom up. Slots of two
branches of one op live at one time, whichever steps they name.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from xdsl.dialects.builtin import ArrayAttr, IntAttr, StringAttr
from xdsl.irdl import irdl_attr_definition, param_def
from xdsl.utils.exceptions import VerifyException

from ..dims import Dim, dim
from ..entries import MAYBE, ROWS, TEXT, UNKNOWN, EntriesAttr, bare, entry, pair
from ..shape import verified_dim


@irdl_attr_definition
class ConstantAttr(EntriesAttr):
    """A constant: its key in the weight store, and its bytes."""

    name = "loop.constant"

    key: StringAttr = param_def()
    offset: IntAttr = param_def()
    size: IntAttr = param_def()

    FORM: ClassVar = (bare("key", TEXT), entry("offset"), entry("size"))

    @staticmethod
    def of(key: str, offset: int, size: int) -> ConstantAttr:
        """The constant of `size` bytes at `offset`."""
        return ConstantAttr(StringAttr(key), IntAttr(offset), IntAttr(size))

    @property
    def end(self) -> int:
        """The byte after its last."""
        return self.offset.data + self.size.data

    def verify(self) -> None:
        """It lies within a block."""
        if self.offset.data < 0 or self.size.data < 0:
            raise VerifyException(
                f"expected an offset and a size of zero or more, got {self}"
            )


@irdl_attr_definition
class SlotAttr(EntriesAttr):
    """Memory of activations: its size, its offset, and the steps in which it lives."""

    name = "loop.slot"

    bytes: StringAttr = param_def()
    offset: IntAttr = param_def()
    first: IntAttr = param_def()
    last: IntAttr = param_def()
    source: StringAttr = param_def()
    """What computes it in the model, where its size depends on symbols."""

    FORM: ClassVar = (
        entry("size", TEXT, of="bytes"),
        entry("offset", MAYBE),
        pair("live", "first", "to", "last"),
        entry("source", TEXT, default=""),
    )

    @staticmethod
    def of(size: Dim, offset: int, first: int, last: int, source: str = "") -> SlotAttr:
        """The slot of `size` bytes that lives from the step `first` to `last`."""
        return SlotAttr(
            StringAttr(str(size)),
            IntAttr(offset),
            IntAttr(first),
            IntAttr(last),
            StringAttr(source),
        )

    @property
    def size(self) -> Dim:
        """The size in bytes."""
        return dim(self.bytes.data)

    @property
    def is_planned(self) -> bool:
        """Whether the offset is known already."""
        return self.offset.data != UNKNOWN

    def verify(self) -> None:
        """It has bytes, at an offset that is known or not, and lives for a step."""
        size = verified_dim(self.bytes.data)
        if self.offset.data < UNKNOWN or (isinstance(size, int) and size < 0):
            raise VerifyException(
                f"expected an offset and a size of zero or more, got {self}"
            )
        if not 0 <= self.first.data <= self.last.data:
            raise VerifyException(
                f"expected a slot to live from one step to the same or a later one, "
                f"got {self}"
            )


@irdl_attr_definition
class PlanAttr(EntriesAttr):
    """How slots share memory: the planner, the bytes it takes, their lower bound."""

    name = "loop.plan"

    planner: StringAttr = param_def()
    steps: IntAttr = param_def()
    """How many steps lifetimes count."""
    bytes: IntAttr = param_def()
    lower_bound: IntAttr = param_def()
    orders: ArrayAttr[ArrayAttr[IntAttr]] = param_def()
    """Orders of the slots, from the bottom up, while bytes depend on symbols."""

    branches: ArrayAttr[ArrayAttr[IntAttr]] = param_def()
    """
    For each list of calls that may run while others do, the first and the last step of
    the op that has them, then of the list.
    """

    FORM: ClassVar = (
        bare("planner", TEXT),
        entry("steps"),
        entry("bytes", MAYBE),
        entry("lower_bound", MAYBE),
        entry("orders", ROWS, default=()),
        entry("branches", ROWS, default=()),
    )

    @staticmethod
    def of(
        planner: str,
        steps: int,
        bytes: int = UNKNOWN,
        lower_bound: int = UNKNOWN,
        orders: Sequence[Sequence[int]] = (),
        branches: Sequence[Sequence[int]] = (),
    ) -> PlanAttr:
        """The plan of a planner; without bytes while they depend on symbols."""
        numbers = map(IntAttr, (steps, bytes, lower_bound))
        tables = [
            ArrayAttr(ArrayAttr(map(IntAttr, each)) for each in rows)
            for rows in (orders, branches)
        ]
        return PlanAttr.new([StringAttr(planner), *numbers, *tables])

    @property
    def branch_rows(self) -> tuple[tuple[int, ...], ...]:
        """The branches as numbers."""
        return tuple(tuple(one.data for one in each) for each in self.branches)

    def verify(self) -> None:
        """No plan takes less than the lower bound; an order names each slot once."""
        for order in self.orders:
            numbers = [each.data for each in order]
            if sorted(numbers) != list(range(len(numbers))):
                raise VerifyException(
                    f"expected orders that name each slot once, got {numbers}"
                )
        for row in self.branch_rows:
            if len(row) != 4:
                raise VerifyException(f"expected four steps of a branch, got {[*row]}")
        if not UNKNOWN <= self.lower_bound.data <= self.bytes.data:
            raise VerifyException(f"expected as much as the lower bound, got {self}")
