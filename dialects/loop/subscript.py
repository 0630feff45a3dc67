"""
Subscripts: an element of a buffer, at a sum of indices times strides.

    %a[%i * 32 + %j + 5]
    %a[%i * "32 * seq" + %j]
    %a[%i * 16 + %j panel 16 * 512]
    %a[%i panel 28 by 64 * 1920 + %j]
    %a[%k panel 2 * 32 + %j panel 16 by 2 * 512]

A buffer is one row of elements. A stride is a number, or the text of a dimension that
the kernel's symbols give a value. The index of a panel counts elements in panels of so
many, here of 16, and from panel to panel it is so far, here 512. In a panel they lie
side by side, or so far apart as it says, here 64: so one index goes over two axes. Two
indices may be in panels, where those of one are pairs between those of the other.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from xdsl.dialects.builtin import ArrayAttr, IndexType, StringAttr
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import AttrConstraint, IntConstraint, VerificationContext
from xdsl.parser import Parser, UnresolvedOperand
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException

from ..dims import Dim, dim

PANEL = " panel "
"""What stands between the stride of an index in panels, and how wide they are."""

BY = " by "
"""What stands before how far apart elements in a panel are, where not side by side."""


@dataclass(frozen=True)
class Panel:
    """`index // width * stride + index % width * step`, in elements."""

    index: SSAValue
    width: int
    stride: Dim
    step: Dim = 1

    @property
    def text(self) -> str:
        """All but the index, as text."""
        step = "" if self.step == 1 else f"{BY}{self.step}"
        return f"{self.stride}{PANEL}{self.width}{step}"

    @staticmethod
    def of(index: SSAValue, text: str) -> Panel | None:
        """The index in panels that text says; None for the text of a stride."""
        stride, _, panel = text.partition(PANEL)
        width, _, step = panel.partition(BY)
        if not width:
            return None
        return Panel(index, int(width), dim(stride), dim(step or "1"))


@dataclass(frozen=True)
class Subscript:
    """`offset + sum(stride * index)`, in elements, and an index in panels, if any."""

    terms: tuple[tuple[SSAValue, Dim], ...]
    offset: Dim = 0
    panel: Panel | None = None
    pair: Panel | None = None
    """Another index in panels, of two elements each."""

    def step(self, index: SSAValue) -> Dim:
        """How far it is for one step of an index, but from a panel to the next."""
        if self.panel is not None and self.panel.index is index:
            return self.panel.step
        if self.pair is not None and self.pair.index is index:
            return self.pair.step
        return sum((stride for each, stride in self.terms if each is index), start=0)

    @property
    def indices(self) -> list[SSAValue]:
        """The indices, in the order of the strides; those of the panels are last."""
        last = [each.index for each in (self.pair, self.panel) if each is not None]
        return [*(index for index, _ in self.terms), *last]

    def attribute(self) -> ArrayAttr[StringAttr]:
        """The strides, then the offset, as text."""
        numbers = [str(stride) for _, stride in self.terms]
        panels = (each for each in (self.pair, self.panel) if each is not None)
        numbers += [each.text for each in panels]
        return ArrayAttr([StringAttr(each) for each in (*numbers, str(self.offset))])

    @staticmethod
    def of(indices: Sequence[SSAValue], strides: ArrayAttr[StringAttr]) -> Subscript:
        """The subscript with these indices, whose strides and offset are text."""
        *factors, offset = (each.data for each in strides)
        terms: list[tuple[SSAValue, Dim]] = []
        pair: Panel | None = None
        panel: Panel | None = None
        for index, factor in zip(indices, factors, strict=True):
            if (found := Panel.of(index, factor)) is not None:
                pair, panel = panel, found
            else:
                terms.append((index, dim(factor)))
        return Subscript(tuple(terms), dim(offset), panel, pair)


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
        stride, _, panel = factor.partition(PANEL)
        width, _, step = panel.partition(BY)
        if width:
            by = f"{BY}{_quoted(step)}" if step else ""
            printer.print_string(f"{PANEL}{width}{by} * {_quoted(stride)}")
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
        panel = ""
        if parser.parse_optional_keyword("panel") is not None:
            width = parser.parse_integer(allow_boolean=False)
            if width < 1:
                parser.raise_error(f"expected a panel of 1 or more, got {width}")
            panel = f"{PANEL}{width}"
            if parser.parse_optional_keyword("by") is not None:
                panel += f"{BY}{parse_number(parser).data}"
        starred = parser.parse_optional_punctuation("*") is not None
        stride = parse_number(parser).data if starred else "1"
        strides.append(StringAttr(f"{stride}{panel}"))
        if parser.parse_optional_punctuation("+") is None:
            break
    parser.parse_punctuation("]")
    return indices, ArrayAttr([*strides, offset])


@dataclass(frozen=True)
class DimConstraint(AttrConstraint[StringAttr]):
    """Text that is a dimension."""

    def verify(self, attr: Attribute, constraint_context: VerificationContext) -> None:
        """Raises `VerifyException` for anything else."""
        if not isinstance(attr, StringAttr):
            raise VerifyException(f"expected the text of a dimension, got {attr}")
        try:
            dim(attr.data)
        except ValueError as error:
            raise VerifyException(str(error)) from error

    def mapping_type_vars(
        self, type_var_mapping: Mapping[Any, AttrConstraint | IntConstraint]
    ) -> DimConstraint:
        """Itself, since no type belongs to it."""
        return self


DIM = DimConstraint()
"""What the text of a dimension, a property of an op, must be."""


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
