"""
Subscripts: an element of a buffer, at a sum of indices times strides.

    %a[%i * 32 + %j + 5]
    %a[%i * "32 * seq" + %j]
    %a[%i * 16 + %j blocked 16 * 512]
    %a[%i blocked 28 by 64 * 1920 + %j]
    %a[%i blocked "width" by 64 * "64 * width + 128" + %j]
    %a[%k blocked 2 * 32 + %j blocked 16 by 2 * 512]

A buffer is one row of elements. A stride is a number, or the text of a dimension that
the kernel's symbols give a value. A blocked index counts elements in blocks, here of
16: successive elements are 1 apart within a block, or as many as `by` says, and
successive blocks as many as stands after the star. So one index goes over the columns
of packed panels, or over both axes of an image. Two indices may be blocked: in the VNNI
layout the other one has blocks of the k that share a word.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from xdsl.dialects.builtin import ArrayAttr, IndexType, IntegerAttr, StringAttr, i64
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.irdl import (
    AttrConstraint,
    IntConstraint,
    IRDLOperation,
    VerificationContext,
    prop_def,
    var_operand_def,
)
from xdsl.irdl.declarative_assembly_format import (
    AttributeVariable,
    CustomDirective,
    ParsingState,
    PrintingState,
    irdl_custom_directive,
)
from xdsl.parser import Parser, UnresolvedOperand
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException

from ..dims import Dim, dim
from ..op_class import OpClass
from ..shape import verified_dim

_BLOCKED = " blocked "
"""Stands between the stride of a blocked index and the size of its blocks."""

_BY = " by "
"""Stands before how far apart elements of a block are, where not 1."""


@dataclass(frozen=True)
class BlockedIndex:
    """`index // size * stride + index % size * step`, in elements."""

    index: SSAValue
    size: Dim
    """One or more."""
    stride: Dim
    step: Dim = 1

    @property
    def text(self) -> str:
        """All but the index, as text."""
        step = "" if self.step == 1 else f"{_BY}{self.step}"
        return f"{self.stride}{_BLOCKED}{self.size}{step}"

    @staticmethod
    def of(index: SSAValue, text: str) -> BlockedIndex | None:
        """The blocked index that text says; None for the text of a stride."""
        stride, _, blocks = text.partition(_BLOCKED)
        size, _, step = blocks.partition(_BY)
        if not size:
            return None
        return BlockedIndex(index, dim(size), dim(stride), dim(step or "1"))

    @property
    def width(self) -> int:
        """The size of the blocks of a panel, which is a number."""
        assert isinstance(self.size, int), "the panels of a weight have a known width"
        return self.size


def is_computed_in(block: Block | Operation, index: SSAValue) -> bool:
    """Whether an index is no argument, and computed in a block or in a loop inside."""
    owner: Operation | Block | None = index.owner
    while isinstance(owner, Operation):
        if owner.parent is block:
            return True
        owner = owner.parent_op()
    return False


@dataclass(frozen=True)
class Subscript:
    """`offset + sum(stride * index)`, in elements, and blocked indices, if any."""

    terms: tuple[tuple[SSAValue, Dim], ...]
    offset: Dim = 0
    blocked: BlockedIndex | None = None
    vnni: BlockedIndex | None = None
    """Another blocked index: the k of a factor in the VNNI layout."""

    def step(self, index: SSAValue) -> Dim:
        """How far it is for one step of an index, but from a block to the next."""
        if (blocks := self.blocks_of(index)) is not None:
            return blocks.step
        return sum((stride for each, stride in self.terms if each is index), start=0)

    def is_computed_in(self, block: Block | Operation) -> bool:
        """Whether an index is no argument, and computed in a block or inside of it."""
        return any(is_computed_in(block, each) for each in self.indices)

    def is_contiguous(self, index: SSAValue) -> bool:
        """Whether lanes of an index have one element, or successive ones."""
        looked_up = any(isinstance(each.owner, Operation) for each in self.indices)
        return not looked_up and self.step(index) in (0, 1)

    def blocks_of(self, index: SSAValue) -> BlockedIndex | None:
        """How an index counts in blocks, if it does."""
        return next((e for e in self.blocked_indices if e.index is index), None)

    @property
    def blocked_indices(self) -> list[BlockedIndex]:
        """The indices that count in blocks."""
        return [each for each in (self.vnni, self.blocked) if each is not None]

    @property
    def indices(self) -> list[SSAValue]:
        """The indices, in the order of the strides; blocked ones are last."""
        last = (each.index for each in self.blocked_indices)
        return [*(index for index, _ in self.terms), *last]

    def attribute(self) -> ArrayAttr[StringAttr]:
        """The strides, then the offset, as text."""
        numbers = [str(stride) for _, stride in self.terms]
        numbers += [each.text for each in self.blocked_indices]
        return ArrayAttr([StringAttr(each) for each in (*numbers, str(self.offset))])

    @staticmethod
    def of(indices: Sequence[SSAValue], strides: ArrayAttr[StringAttr]) -> Subscript:
        """The subscript with these indices, whose strides and offset are text."""
        *factors, offset = (each.data for each in strides)
        terms: list[tuple[SSAValue, Dim]] = []
        vnni: BlockedIndex | None = None
        blocked: BlockedIndex | None = None
        for index, factor in zip(indices, factors, strict=True):
            if (found := BlockedIndex.of(index, factor)) is not None:
                vnni, blocked = blocked, found
            else:
                terms.append((index, dim(factor)))
        return Subscript(tuple(terms), dim(offset), blocked, vnni)


class SubscriptedOp(IRDLOperation, metaclass=OpClass):
    """An op whose last operands are the indices of a subscript."""

    indices = var_operand_def()
    strides = prop_def(ArrayAttr[StringAttr])

    @property
    def at(self) -> Subscript:
        """The subscript."""
        return Subscript.of(self.indices, self.strides)


def texts_of(strides: Attribute | None) -> list[str] | None:
    """The texts of strides, or of another list of texts; None of another attribute."""
    # By classes themselves: `isa` of a parametrized type takes longer than the rest.
    if not isinstance(strides, ArrayAttr):
        return None
    listed = cast("ArrayAttr[Attribute]", strides)
    texts = [each.data for each in listed if isinstance(each, StringAttr)]
    return texts if len(texts) == len(listed) else None


def print_subscript(
    printer: Printer, indices: Sequence[SSAValue], strides: ArrayAttr[StringAttr]
) -> None:
    """Prints `[%i * 32 + %j + 5]`."""
    *factors, offset = (each.data for each in strides)
    printer.print_string("[")
    for number, (index, factor) in enumerate(zip(indices, factors, strict=True)):
        if number:
            printer.print_string(" + ")
        printer.print_ssa_value(index)
        stride, _, blocks = factor.partition(_BLOCKED)
        size, _, step = blocks.partition(_BY)
        if size:
            by = f"{_BY}{_quoted(step)}" if step else ""
            blocks = f"{_BLOCKED}{_quoted(size)}{by}"
            printer.print_string(f"{blocks} * {_quoted(stride)}")
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
        blocks = ""
        if parser.parse_optional_keyword("blocked") is not None:
            size = parse_number(parser).data
            known = dim(size)
            if isinstance(known, int) and known < 1:
                parser.raise_error(f"expected blocks of 1 or more, got {known}")
            blocks = f"{_BLOCKED}{size}"
            if parser.parse_optional_keyword("by") is not None:
                blocks += f"{_BY}{parse_number(parser).data}"
        starred = parser.parse_optional_punctuation("*") is not None
        stride = parse_number(parser).data if starred else "1"
        strides.append(StringAttr(f"{stride}{blocks}"))
        if parser.parse_optional_punctuation("+") is None:
            break
    parser.parse_punctuation("]")
    return indices, ArrayAttr([*strides, offset])


@dataclass(frozen=True)
class _DimConstraint(AttrConstraint[StringAttr]):
    """Text that is a dimension."""

    def verify(self, attr: Attribute, constraint_context: VerificationContext) -> None:
        """Raises `VerifyException` for anything else."""
        if not isinstance(attr, StringAttr):
            raise VerifyException(f"expected the text of a dimension, got {attr}")
        verified_dim(attr.data)

    def mapping_type_vars(
        self, type_var_mapping: Mapping[Any, AttrConstraint | IntConstraint]
    ) -> _DimConstraint:
        """Itself, since no type belongs to it."""
        return self


DIM = _DimConstraint()
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


@irdl_custom_directive
class Number(CustomDirective):
    """A number, or the text of a dimension in quotes, as a part of a format."""

    number: AttributeVariable

    def parse(self, parser: Parser, state: ParsingState) -> None:
        self.number.set(state, parse_number(parser))

    def print(self, printer: Printer, state: PrintingState, op: IRDLOperation) -> None:
        state.print_whitespace(printer)
        if isinstance(number := self.number.get(op), StringAttr):
            print_number(printer, number)


def print_counts(printer: Printer, op: Operation, names: Sequence[str]) -> None:
    """Prints the name and the number of each named property that an op has."""
    for name in names:
        count = op.properties.get(name)
        if isinstance(count, IntegerAttr):
            printer.print_string(f" {name} {count.value.data}")


def parse_counts(parser: Parser, names: Sequence[str]) -> dict[str, Attribute]:
    """The properties that `print_counts` prints."""
    return {
        name: IntegerAttr(parser.parse_integer(), i64)
        for name in names
        if parser.parse_optional_keyword(name) is not None
    }


def _quoted(number: str) -> str:
    return number if number.lstrip("-").isdigit() else f'"{number}"'


def resolve_index(parser: Parser, index: UnresolvedOperand) -> SSAValue:
    """The value of an index."""
    return parser.resolve_operand(index, IndexType())
