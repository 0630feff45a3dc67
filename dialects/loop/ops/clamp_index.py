"""`loop.clamp_index`: the index that an integer of a buffer is, never out of range."""

from __future__ import annotations

from xdsl.dialects.builtin import (
    IndexType,
    IntegerAttr,
    IntegerType,
    StringAttr,
    UnitAttr,
    i1,
)
from xdsl.ir import SSAValue
from xdsl.irdl import (
    IRDLOperation,
    irdl_op_definition,
    operand_def,
    opt_prop_def,
    prop_def,
    result_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer

from ...dims import Dim, dim
from ...op_class import OpClass
from ..index_range import parse_range, print_range


@irdl_op_definition
class ClampIndexOp(IRDLOperation, metaclass=OpClass):
    """
    The index that an integer is: counted from the end if it `wraps` and is negative.

    An integer that `loop.check_index` lets pass is that index. Any other becomes one
    below `bound` as well: the integer may have changed since the check, where it lies
    in memory that others write to. So a kernel never leaves its buffers. Where the
    bound is zero a check has let nothing pass, and the kernel has ended before. Without a
    check an integer that `saturates` becomes the last index if it is no other, whatever
    its high bits are.

    ```mlir
    %i = loop.clamp_index %x below 1000 : i64
    %k = loop.clamp_index %z saturates below 1000 : i64
    %j = loop.clamp_index %y wraps below "rows" : i32
    ```
    """

    name = "loop.clamp_index"

    value = operand_def(IntegerType)
    bound = prop_def(StringAttr)
    wraps = prop_def(IntegerAttr.constr(i1))
    saturates = opt_prop_def(UnitAttr)
    result = result_def(IndexType)

    def __init__(
        self, value: SSAValue, bound: Dim, wraps: bool = False, saturates: bool = False
    ):
        """The index that `value` is, below `bound`."""
        super().__init__(
            operands=[value],
            properties={
                "bound": StringAttr(str(bound)),
                "wraps": IntegerAttr(int(wraps), i1),
            },
            result_types=[IndexType()],
        )
        if saturates:
            self.saturates = UnitAttr()

    @property
    def size(self) -> Dim:
        """What the index is below."""
        return dim(self.bound.data)

    def print(self, printer: Printer) -> None:
        """Prints the integer, the bound and the type of the integer."""
        printer.print_string(" ")
        printer.print_ssa_value(self.value)
        printer.print_string("" if self.saturates is None else " saturates")
        print_range(printer, self.bound, bool(self.wraps.value.data))
        printer.print_string(" : ")
        printer.print_attribute(self.value.type)

    @classmethod
    def parse(cls, parser: Parser) -> ClampIndexOp:
        """Reads what `print` prints."""
        value = parser.parse_unresolved_operand()
        saturates = parser.parse_optional_keyword("saturates") is not None
        bound, wraps = parse_range(parser)
        parser.parse_punctuation(":")
        integer = parser.resolve_operand(value, parser.parse_type())
        return cls(integer, bound, wraps, saturates)
