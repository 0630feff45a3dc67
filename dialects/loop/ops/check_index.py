"""
`loop.check_index`: that every index of a buffer is in its range, before it is used.
"""

from __future__ import annotations

from xdsl.dialects.builtin import IntegerAttr, MemRefType, StringAttr, i1, i64
from xdsl.ir import SSAValue
from xdsl.irdl import (
    IRDLOperation,
    irdl_op_definition,
    operand_def,
    opt_prop_def,
    prop_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer

from ...dims import Dim, dim
from ...op_class import OpClass
from ..index_range import parse_range, print_range
from ..subscript import DIM, parse_counts, parse_number, print_counts, print_number

_NUMBERS = ("lanes", "unroll")
"""The properties that are numbers, as they are printed."""


@irdl_op_definition
class CheckIndexOp(IRDLOperation, metaclass=OpClass):
    """
    Leaves the kernel with an error when an index is not below `bound`.

    The kernel then answers 1 and says which index it was; no memory has been read by
    it. Below zero an index is refused too, unless it `wraps`: then it counts from the
    end. Indices may be strided: they begin `from` an offset, `by` elements apart. With
    `lanes` they are compared in vectors, `unroll` of them for each branch.

    ```mlir
    loop.check_index %indices[20] below 1000 : memref<?xi64>
    loop.check_index %indices["2 * batch"] wraps below "rows" : memref<?xi64>
    loop.check_index %pairs[20 from 1 by 2] below 1000 : memref<?xi64>
    loop.check_index %indices[20] below 1000 lanes 4 unroll 4 : memref<?xi64>
    ```
    """

    name = "loop.check_index"

    indices = operand_def(MemRefType)
    count = prop_def(DIM)
    start = prop_def(DIM)
    step = prop_def(DIM)
    bound = prop_def(DIM)
    wraps = prop_def(IntegerAttr.constr(i1))
    lanes = opt_prop_def(IntegerAttr.constr(i64))
    unroll = opt_prop_def(IntegerAttr.constr(i64))

    def __init__(
        self,
        indices: SSAValue,
        count: Dim,
        bound: Dim,
        wraps: bool,
        start: Dim = 0,
        step: Dim = 1,
    ):
        """The check of `count` elements of `indices` against `bound`."""
        super().__init__(
            operands=[indices],
            properties={
                "count": StringAttr(str(count)),
                "start": StringAttr(str(start)),
                "step": StringAttr(str(step)),
                "bound": StringAttr(str(bound)),
                "wraps": IntegerAttr(int(wraps), i1),
            },
        )

    @property
    def vectors(self) -> tuple[int, int] | None:
        """The lanes and the number of the vectors for a branch; None for scalars."""
        if self.lanes is None:
            return None
        return self.lanes.value.data, self.unroll.value.data if self.unroll else 1

    @property
    def sizes(self) -> tuple[Dim, Dim]:
        """The count of the indices, and their bound."""
        return dim(self.count.data), dim(self.bound.data)

    @property
    def range(self) -> tuple[Dim, Dim]:
        """The offset of the first index, and how far the next is from it."""
        return dim(self.start.data), dim(self.step.data)

    def print(self, printer: Printer) -> None:
        """Prints the buffer, its count, the bound and the type of the buffer."""
        printer.print_string(" ")
        printer.print_ssa_value(self.indices)
        printer.print_string("[")
        print_number(printer, self.count)
        if self.range != (0, 1):
            printer.print_string(" from ")
            print_number(printer, self.start)
            printer.print_string(" by ")
            print_number(printer, self.step)
        printer.print_string("]")
        print_range(printer, self.bound, bool(self.wraps.value.data))
        print_counts(printer, self, _NUMBERS)
        printer.print_string(" : ")
        printer.print_attribute(self.indices.type)

    @classmethod
    def parse(cls, parser: Parser) -> CheckIndexOp:
        """Reads what `print` prints."""
        buffer = parser.parse_unresolved_operand()
        with parser.in_square_brackets():
            count = parse_number(parser)
            start, step = "0", "1"
            if parser.parse_optional_keyword("from") is not None:
                start = parse_number(parser).data
                parser.parse_keyword("by")
                step = parse_number(parser).data
        bound, wraps = parse_range(parser)
        numbers = parse_counts(parser, _NUMBERS)
        parser.parse_punctuation(":")
        indices = parser.resolve_operand(buffer, parser.parse_type())
        made = cls(indices, dim(count.data), bound, wraps, dim(start), dim(step))
        made.properties |= numbers
        return made
