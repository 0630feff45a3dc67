"""
Subscripts: an element of a buffer, at a sum of indices times strides.

    %a[%i * 32 + %j + 5]
    %a[%i * "32 * seq" + %j]

A buffer is one row of elements. A stride is a number, or the text of a dimension that
the kernel's symbols give a value.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.dialects.builtin import ArrayAttr, IndexType, StringAttr
from xdsl.ir import SSAValue
from xdsl.parser import Parser, UnresolvedOperand
from xdsl.printer import Printer

from ..dims import Dim, dim


@dataclass(frozen=True)
class Subscript:
    """`offset + sum(stride * index)`, in elements."""

    terms: tuple[tuple[SSAValue, Dim], ...]
    offset: Dim = 0

    @property
    def indices(self) -> list[SSAValue]:
        """The indices, in the order of the strides."""
        return [index for index, _ in self.terms]

    def attribute(self) -> ArrayAttr[StringAttr]:
        """The strides, then the offset, as text."""
        numbers = [*(stride for _, stride in self.terms), self.offset]
        return ArrayAttr([StringAttr(str(each)) for each in numbers])

    @staticmethod
    def of(indices: Sequence[SSAValue], strides: ArrayAttr[StringAttr]) -> Subscript:
        """The subscript with these indices, whose strides and offset are text."""
        *factors, offset = (dim(each.data) for each in strides)
        return Subscript(tuple(zip(indices, factors, strict=True)), offset)


def print_subscript(
    printer: Printer, indices: Sequence[SSAValue], strides: ArrayAttr[StringAttr]
) -> None:
    """Prints `[%i * 32 + %j + 5]`."""
    *factors, offset = (each.data for each in strides)
    printer.print_string("[")
    for place, (index, factor) in enumerate(zip(indices, factors, strict=True)):
        if place:
            printer.print_string(" + ")
        printer.print_ssa_value(index)
        if factor != "1":
            printer.print_string(f" * {_quoted(factor)}")
    if offset != "0" or not indices:
        printer.print_string(f" + {_quoted(offset)}" if indices else _quoted(offset))
    printer.print_string("]")


def parse_subscript(
    parser: Parser,
) -> tuple[list[UnresolvedOperand], ArrayAttr[StringAttr]]:
    """Reads what `print_subscript` prints."""
    indices: list[UnresolvedOperand] = []
    strides: list[StringAttr] = []
    offset = StringAttr("0")
    parser.parse_punctuation("[")
    while True:
        if (index := parser.parse_optional_unresolved_operand()) is None:
            offset = parse_number(parser)
            break
        indices.append(index)
        starred = parser.parse_optional_punctuation("*") is not None
        strides.append(parse_number(parser) if starred else StringAttr("1"))
        if parser.parse_optional_punctuation("+") is None:
            break
    parser.parse_punctuation("]")
    return indices, ArrayAttr([*strides, offset])


def parse_number(parser: Parser) -> StringAttr:
    """
    Reads a number, or the text of a dimension; raises a parse error on other text.
    """
    text = parser.parse_optional_str_literal()
    if text is None:
        return StringAttr(str(parser.parse_integer()))
    try:
        return StringAttr(str(dim(text)))
    except ValueError as error:
        parser.raise_error(str(error))


def print_number(printer: Printer, number: StringAttr) -> None:
    """Prints a number, or the text of a dimension in quotes."""
    printer.print_string(_quoted(number.data))


def _quoted(number: str) -> str:
    return number if number.lstrip("-").isdigit() else f'"{number}"'


def resolve_index(parser: Parser, index: UnresolvedOperand) -> SSAValue:
    """The value of an index."""
    return parser.resolve_operand(index, IndexType())
