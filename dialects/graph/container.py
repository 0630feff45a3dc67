"""
Types of values that hold tensors: lists, tuples and dictionaries, and futures.

    !graph.list<tensor<2xf32>, tensor<3xf32>>
    !graph.tuple<tensor<2xf32>, tensor<3xi64>>
    !graph.dict<"mask", tensor<2xi1>, "score", tensor<2xf32>>
    !graph.future<tensor<2xf32>>

Front ends make containers where a program has them, and `eliminate-list-constructs`
removes them: their length is part of the type, so they need no code at run time.
`eliminate-futures` removes futures.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import ArrayAttr, StringAttr
from xdsl.ir import Attribute, ParametrizedAttribute, TypeAttribute
from xdsl.irdl import irdl_attr_definition, param_def
from xdsl.parser import AttrParser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException


class _Types(ParametrizedAttribute, TypeAttribute):
    """Types in angle brackets."""

    elements: ArrayAttr[Attribute]

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        return [
            ArrayAttr(
                parser.parse_comma_separated_list(
                    parser.Delimiter.ANGLE, parser.parse_type
                )
            )
        ]

    def print_parameters(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            printer.print_list(self.elements.data, printer.print_attribute)


@irdl_attr_definition
class ListType(_Types):
    """A list of values of these types."""

    name = "graph.list"

    elements: ArrayAttr[Attribute] = param_def()


@irdl_attr_definition
class TupleType(_Types):
    """A tuple of values of these types."""

    name = "graph.tuple"

    elements: ArrayAttr[Attribute] = param_def()


@irdl_attr_definition
class FutureType(_Types):
    """Values of these types, which may be computed later."""

    name = "graph.future"

    elements: ArrayAttr[Attribute] = param_def()


@irdl_attr_definition
class DictType(ParametrizedAttribute, TypeAttribute):
    """A dictionary from names to values of these types."""

    name = "graph.dict"

    keys: ArrayAttr[StringAttr] = param_def()
    elements: ArrayAttr[Attribute] = param_def()

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        def entry() -> tuple[StringAttr, Attribute]:
            key = StringAttr(parser.parse_str_literal())
            parser.parse_punctuation(",")
            return key, parser.parse_type()

        entries = parser.parse_comma_separated_list(parser.Delimiter.ANGLE, entry)
        return [
            ArrayAttr([key for key, _ in entries]),
            ArrayAttr([type for _, type in entries]),
        ]

    def print_parameters(self, printer: Printer) -> None:
        def entry(each: tuple[StringAttr, Attribute]) -> None:
            printer.print_attribute(each[0])
            printer.print_string(", ")
            printer.print_attribute(each[1])

        with printer.in_angle_brackets():
            printer.print_list(list(zip(self.keys, self.elements, strict=True)), entry)

    def verify(self) -> None:
        """Every key has one value."""
        if len(self.keys) != len(self.elements) or len(set(self.keys)) < len(self.keys):
            raise VerifyException(f"expected keys that differ, got {self.keys}")
