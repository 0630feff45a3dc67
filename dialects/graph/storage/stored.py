"""`StoredOp`: the base of ops that name an entry of the weight store."""

from __future__ import annotations

from abc import ABC

from xdsl.dialects.builtin import StringAttr, TensorType
from xdsl.ir import Operation
from xdsl.irdl import IRDLOperation, prop_def, result_def, traits_def
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import Pure
from xdsl.utils.exceptions import VerifyException

from ...dims import Polynomial
from ...op_class import OpClass
from ...shape import Tensor, sizes, tensor_type


class StoredOp(IRDLOperation, ABC, metaclass=OpClass):
    """A tensor that the weight store holds as `key`; its size is known."""

    key = prop_def(StringAttr)
    result = result_def(TensorType)

    traits = traits_def(Pure())

    def __init__(self, key: str, type: Tensor):
        """The entry `key` of the store, as a tensor of this type."""
        properties = {"key": StringAttr(key)}
        Operation.__init__(self, properties=properties, result_types=[type])

    def verify_(self) -> None:
        """Every dimension is a number."""
        if any(
            isinstance(size, Polynomial) for size in sizes(tensor_type(self.result))
        ):
            raise VerifyException(f"expected a known shape, got {self.result.type}")

    def print(self, printer: Printer) -> None:
        """Prints the key, attributes and type."""
        printer.print_string(" ")
        printer.print_attribute(self.key)
        if self.attributes:
            printer.print_string(" ")
            printer.print_attr_dict(self.attributes)
        printer.print_string(" : ")
        printer.print_attribute(self.result.type)

    @classmethod
    def parse(cls, parser: Parser) -> StoredOp:
        """Reads what `print` prints."""
        key = StringAttr(parser.parse_str_literal())
        attributes = parser.parse_optional_dictionary_attr_dict()
        parser.parse_punctuation(":")
        return cls.create(
            result_types=[parser.parse_type()],
            properties={"key": key},
            attributes=attributes,
        )
