"""`loop.position` and `loop.extent`: an index, or a dimension, as an integer."""

from __future__ import annotations

from xdsl.dialects.builtin import StringAttr, i64
from xdsl.irdl import (
    IRDLOperation,
    irdl_op_definition,
    prop_def,
    result_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer

from ...dims import Dim, dim
from ...op_class import OpClass
from ..subscript import (
    DIM,
    Number,
    Subscript,
    SubscriptedOp,
    parse_subscript,
    print_subscript,
    resolve_index,
)


@irdl_op_definition
class PositionOp(SubscriptedOp):
    """
    The value of a subscript, as an i64.

    ```mlir
    %x = loop.position [%i * 2 + 1]
    ```
    """

    name = "loop.position"

    result = result_def(i64)

    def __init__(self, at: Subscript):
        """The value of `at`."""
        super().__init__(
            operands=[at.indices],
            properties={"strides": at.attribute()},
            result_types=[i64],
        )

    def print(self, printer: Printer) -> None:
        """Prints the subscript."""
        printer.print_string(" ")
        print_subscript(printer, self.indices, self.strides)

    @classmethod
    def parse(cls, parser: Parser) -> PositionOp:
        """Reads what `print` prints."""
        indices, strides = parse_subscript(parser)
        return cls.create(
            operands=[resolve_index(parser, each) for each in indices],
            properties={"strides": strides},
            result_types=[i64],
        )


@irdl_op_definition
class ExtentOp(IRDLOperation, metaclass=OpClass):
    """
    The value of a dimension in this run, as an i64.

    ```mlir
    %n = loop.extent "2 * batch"
    ```
    """

    name = "loop.extent"

    size = prop_def(DIM)
    result = result_def(i64)

    custom_directives = (Number,)
    assembly_format = "custom<Number>($size) attr-dict"

    def __init__(self, size: Dim):
        """The value of `size`."""
        super().__init__(properties={"size": StringAttr(str(size))}, result_types=[i64])

    @property
    def value(self) -> Dim:
        """The dimension."""
        return dim(self.size.data)
