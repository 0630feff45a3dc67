"""
Subscripts: an element of a buffer, at a sum of indices times strides.

    %a[%i * 32 + %j + 5]
    %a[%i * "32 * seq" + %j]
    %a[%i * 16 + %j panel 16 * 512]

A buffer is one row of elements. A stride is a number, or the text of a dimension that
the kernel's symbols give a value. The index of a panel counts elements that lie side by
side in panels of so many, here of 16, and from panel to panel it is so far, here 512.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.dialects.builtin import ArrayAttr, IndexType, StringAttr
from xdsl.ir import SSAValue
from xdsl.parser import Parser, UnresolvedOperand
from xdsl.printer import Printer

from ..dims import Dim, dim

PANEL = " panel "
"""What stands between the stride of an index in panels, and how wide they are."""


@dataclass(frozen=True)
class Panel:
    """`index // width * stride + index % width`, in elements."""

    index: SSAValue
    width: int
    stride: Dim


@dataclass(frozen=True)
class Subscript:
    """`offset + sum(stride * index)`, in elements, and an index in panels, if any."""

    terms: tuple[tuple[SSAValue, Dim], ...]
    offset: Dim = 0
    panel: Panel | None = None

    @property
    def indices(self) -> list[SSAValue]:
        """The indices, in the order of the strides; that of the panels is the last."""
        last = [] if self.panel is None else [self.panel.index]
        return [*(index for index, _ in self.terms), *last]

    def attribute(self) -> ArrayAttr[StringAttr]:
        """The strides, then the offset, as text."""
        numbers = [str(stride) for _, stride in self.terms]
        if self.panel is not None:
            numbers.append(f"{self.panel.stride}{PANEL}{self.panel.width}")
        return ArrayAttr([StringAttr(each) for each in (*numbers, str(self.offset))])

    @staticmethod
    def of(indices: Sequence[SSAValue], strides: ArrayAttr[StringAttr]) -> Subscript:
        """The subscript with these indices, whose strides and offset are text."""
        *factors, offset = (each.data for each in strides)
        terms: list[tuple[SSAValue, Dim]] = []
        panel: Panel | None = None
        for index, factor in zip(indices, factors, strict=True):
            stride, _, width = factor.partition(PANEL)
            if width:
                panel = Panel(index, int(width), dim(stride))
            else:
                terms.append((index, dim(stride)))
        return Subscript(tuple(terms), dim(offset), panel)


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
        stride, _, width = factor.partition(PANEL)
        if width:
            printer.print_string(f"{PANEL}{width} * {_quoted(stride)}")
        elif factor != "1":
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
        width = ""
        if parser.parse_optional_keyword("panel") is not None:
            width = f"{PANEL}{parser.parse_integer()}"
        starred = parser.parse_optional_punctuation("*") is not None
        stride = parse_number(parser).data if starred else "1"
        strides.append(StringAttr(f"{stride}{width}"))
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
