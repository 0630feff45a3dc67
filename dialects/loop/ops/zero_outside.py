"""`loop.zero_outside`: says where what a k-loop adds up is zero."""

from __future__ import annotations

from collections.abc import Iterator

from xdsl.dialects.builtin import StringAttr
from xdsl.ir import SSAValue
from xdsl.irdl import (
    irdl_op_definition,
    prop_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer

from ...dims import Dim, dim
from ..subscript import (
    DIM,
    BlockedIndex,
    Subscript,
    SubscriptedOp,
    parse_number,
    parse_subscript,
    print_number,
    print_subscript,
    resolve_index,
)


@irdl_op_definition
class ZeroOutsideOp(SubscriptedOp):
    """
    Says of the k-loop that it stands in: where the value of a subscript is below the
    first bound, or not below the second, what is added to the accumulator is zero, and
    may be left out.

    So it is where a window sees only the padding of an image. It changes no value, and
    a lowering that leaves nothing out ignores it.

    ```mlir
    loop.zero_outside [%k + %row blocked 7 * 1 by 0] from 1 to 8
    ```
    """

    name = "loop.zero_outside"

    low = prop_def(DIM)
    high = prop_def(DIM)

    def __init__(self, at: Subscript, low: Dim, high: Dim):
        """All is zero outside of `low` to below `high`."""
        super().__init__(
            operands=[at.indices],
            properties={
                "strides": at.attribute(),
                "low": StringAttr(str(low)),
                "high": StringAttr(str(high)),
            },
        )

    @property
    def bounds(self) -> tuple[Dim, Dim]:
        """The first value that may count, and the one after the last."""
        return dim(self.low.data), dim(self.high.data)

    def along(self, index: SSAValue) -> tuple[Dim, Dim] | None:
        """How far the subscript moves by a unit of an index, and how much that is."""
        at = self.at
        if (blocks := at.blocks_of(index)) is not None:
            return (blocks.stride, blocks.size) if blocks.step == 0 else None
        step = at.step(index)
        return None if step == 0 else (step, 1)

    def within(self, index: SSAValue) -> BlockedIndex | None:
        """The blocks of an index within which alone the subscript moves."""
        blocks = self.at.blocks_of(index)
        return blocks if blocks is not None and blocks.stride == 0 else None

    def rows_of_taps(
        self, row: SSAValue, k: SSAValue, rows: int, count: int
    ) -> Iterator[tuple[range, int]]:
        """
        For each tap along an index of `count` k, the rows that it is not zero for, and
        its k, where these rows are a line of an image; nothing where they are not.
        """
        at, line, along = self.at, self.within(row), self.along(k)
        if line is None or along is None or any(i is not k for i, _ in at.terms):
            return
        known = at.offset, *self.bounds, line.size, line.step, *along
        numbers = [each for each in known if isinstance(each, int)]
        if len(numbers) < len(known) or line.size != rows:
            return
        offset, low, high, _, step, by, unit = numbers
        for tap in range(count // unit):
            start = offset + tap * by
            needs = [at for at in range(rows) if low <= start + at * step < high]
            yield range(needs[0], needs[-1] + 1) if needs else range(0), unit

    def print(self, printer: Printer) -> None:
        """Prints the subscript and its bounds."""
        printer.print_string(" ")
        print_subscript(printer, self.indices, self.strides)
        printer.print_string(" from ")
        print_number(printer, self.low)
        printer.print_string(" to ")
        print_number(printer, self.high)

    @classmethod
    def parse(cls, parser: Parser) -> ZeroOutsideOp:
        """Reads what `print` prints."""
        indices, strides = parse_subscript(parser)
        parser.parse_keyword("from")
        low = parse_number(parser)
        parser.parse_keyword("to")
        high = parse_number(parser)
        return cls.create(
            operands=[resolve_index(parser, each) for each in indices],
            properties={"strides": strides, "low": low, "high": high},
        )
