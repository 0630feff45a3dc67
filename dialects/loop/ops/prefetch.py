"""`loop.prefetch`: says of an element of a buffer that it will be needed soon."""

from __future__ import annotations

from xdsl.dialects.builtin import MemRefType
from xdsl.ir import SSAValue
from xdsl.irdl import (
    irdl_op_definition,
    operand_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer

from ..subscript import Subscript, SubscriptedOp
from .memory import parse_element, print_element


@irdl_op_definition
class PrefetchOp(SubscriptedOp):
    """
    Asks for the element of a buffer at a subscript, which may be beyond its end.

    It changes no value. Memory comes in lines of many elements, so that it is asked for
    only where bodies run side by side, once for each line.

    ```mlir
    loop.prefetch %a[%i * 32 + %j + 32] : memref<?xf32>
    ```
    """

    name = "loop.prefetch"

    buffer = operand_def(MemRefType)

    def __init__(self, buffer: SSAValue, at: Subscript):
        """Asks for the element of `buffer` at `at`."""
        super().__init__(
            operands=[buffer, at.indices], properties={"strides": at.attribute()}
        )

    def print(self, printer: Printer) -> None:
        """Prints the buffer, the subscript and the type of the buffer."""
        printer.print_string(" ")
        print_element(printer, self.buffer, self.indices, self.strides)

    @classmethod
    def parse(cls, parser: Parser) -> PrefetchOp:
        """Reads what `print` prints."""
        operands, strides, _ = parse_element(parser)
        return cls.create(operands=operands, properties={"strides": strides})
