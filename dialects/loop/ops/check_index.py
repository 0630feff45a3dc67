"""
`loop.check_index`: that every index of a buffer is in its range, before it is used.
"""

from __future__ import annotations

from xdsl.dialects.builtin import IntegerAttr, MemRefType, StringAttr, i1
from xdsl.ir import SSAValue
from xdsl.irdl import IRDLOperation, irdl_op_definition, operand_def, prop_def
from xdsl.parser import Parser
from xdsl.printer import Printer

from ...dims import Dim, dim
from ..index_range import parse_range, print_range
from ..subscript import DIM, parse_number, print_number


@irdl_op_definition
class CheckIndexOp(IRDLOperation):
    """
    Leaves the kernel with an error when an index is not below `bound`.

    The kernel then answers 1 and says which index it was; no memory has been read by
    it. Below zero an index is refused too, unless it `wraps`: then it counts from the
    end. Indices may be strided: they begin `from` an offset, `by` elements apart.

    ```mlir
    loop.check_index %indices[20] below 1000 : memref<?xi64>
    loop.check_index %indices["2 * batch"] wraps below "rows" : memref<?xi64>
    loop.check_index %pairs[20 from 1 by 2] below 1000 : memref<?xi64>
    ```
    """

    name = "loop.check_index"

    indices = operand_def(MemRefType)
    count = prop_def(DIM)
    start = prop_def(DIM)
    step = prop_def(DIM)
    bound = prop_def(DIM)
    wraps = prop_def(IntegerAttr.constr(i1))

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
        parser.parse_punctuation(":")
        indices = parser.resolve_operand(buffer, parser.parse_type())
        return cls(indices, dim(count.data), bound, wraps, dim(start), dim(step))
