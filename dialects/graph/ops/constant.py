"""`graph.constant`: a tensor written out in the program."""

from __future__ import annotations

from xdsl.dialects.builtin import DenseIntOrFPElementsAttr
from xdsl.irdl import irdl_op_definition, prop_def, traits_def
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import ConstantLike, Pure
from xdsl.utils.hints import isa

from ...shape import ELEMENTS, Array, Tensor, tensor
from ..op import SingleResultOp


@irdl_op_definition
class ConstantOp(SingleResultOp):
    """
    A tensor written out in the program; a large one is a `graph.weight`.

    ```mlir
    %0 = graph.constant dense<[1.0, 2.0]> : tensor<2xf32>
    ```
    """

    name = "graph.constant"

    value = prop_def(DenseIntOrFPElementsAttr)

    traits = traits_def(Pure(), ConstantLike())

    @classmethod
    def infer(cls, value: Array) -> Tensor:
        return tensor(ELEMENTS[value.dtype], *value.shape)

    def reference(self, value: Array) -> Array:
        return value

    def print(self, printer: Printer) -> None:
        """Prints the literal with its type."""
        if self.attributes:
            printer.print_string(" ")
            printer.print_attr_dict(self.attributes)
        printer.print_string(" ")
        printer.print_attribute(self.value)

    @classmethod
    def parse(cls, parser: Parser) -> ConstantOp:
        """Reads what `print` prints."""
        attributes = parser.parse_optional_dictionary_attr_dict()
        value = parser.parse_attribute()
        if not isa(value, DenseIntOrFPElementsAttr):
            parser.raise_error("expected a literal such as dense<1.0> : tensor<2xf32>")
        return cls.create(
            result_types=[value.get_type()],
            properties={"value": value},
            attributes=attributes,
        )
