"""`loop.load` and `loop.store`: one element of a buffer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import ClassVar, TypeVar, cast

from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    ArrayAttr,
    MemRefType,
    StringAttr,
)
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.irdl import (
    irdl_op_definition,
    operand_def,
    result_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.utils.hints import isa

from ...dims import Dim
from ...element_type import ELEMENT_TYPES, loaded_type
from ..subscript import (
    Subscript,
    SubscriptedOp,
    parse_subscript,
    print_subscript,
    resolve_index,
)

_Access = TypeVar("_Access", "LoadOp", "StoreOp")


@lru_cache(64)
def buffer_type(element: Attribute) -> MemRefType:
    """The type of a buffer of elements."""
    return MemRefType(element, [DYNAMIC_INDEX])


def element_type(buffer: SSAValue) -> Attribute:
    """The type of the elements of a buffer."""
    type = buffer.type
    assert type.__class__ is MemRefType
    return cast("MemRefType[Attribute]", type).element_type


def byte_count(type: Attribute) -> int:
    """The bytes that an element takes in memory."""
    return ELEMENT_TYPES[type].dtype.itemsize


def print_element(
    printer: Printer,
    buffer: SSAValue,
    indices: Sequence[SSAValue],
    strides: ArrayAttr[StringAttr],
) -> None:
    """Prints a buffer, a subscript and the type of the buffer."""
    printer.print_ssa_value(buffer)
    print_subscript(printer, indices, strides)
    printer.print_string(" : ")
    printer.print_attribute(buffer.type)


def parse_element(
    parser: Parser,
) -> tuple[list[SSAValue], ArrayAttr[StringAttr], Attribute]:
    """Reads what `print_element` prints: buffer and indices, strides, element type."""
    buffer = parser.parse_unresolved_operand()
    indices, strides = parse_subscript(parser)
    parser.parse_punctuation(":")
    type = parser.parse_type()
    if not isa(type, MemRefType):
        parser.raise_error(f"expected a memref, got {type}")
    operands = [
        parser.resolve_operand(buffer, type),
        *(resolve_index(parser, each) for each in indices),
    ]
    return operands, strides, type.element_type


@irdl_op_definition
class LoadOp(SubscriptedOp):
    """
    The element of a buffer at a subscript; an integer is widened.

    ```mlir
    %x = loop.load %a[%i * 32 + %j] : memref<?xf32>
    ```
    """

    name = "loop.load"

    buffer = operand_def(MemRefType)
    result = result_def()

    def __init__(self, buffer: SSAValue, at: Subscript):
        """The element of `buffer` at `at`."""
        Operation.__init__(
            self,
            operands=[buffer, *at.indices],
            properties={"strides": at.attribute()},
            result_types=[loaded_type(element_type(buffer))],
        )

    @property
    def element(self) -> Attribute:
        """The type of what is loaded, in memory."""
        return element_type(self.buffer)

    def woven(self, index: SSAValue) -> Sequence[LoadOp]:
        """
        The loads of this body, itself among them, of elements side by side, in the
        order of the elements: as many as the elements lie apart that each of them loads
        along an index, a power of two, where nothing is stored to the buffer between
        them. Else none.
        """
        at, block, found = self.at, self.parent, dict[Dim, LoadOp]()
        step = _few_apart(at, index)
        if block is None or not step or step & (step - 1):
            return ()
        for op in block.ops:
            if isinstance(op, StoreOp) and op.buffer is self.buffer:
                break
            if isinstance(op, LoadOp) and op.buffer is self.buffer:
                if op.at.terms == at.terms:
                    found.setdefault(op.at.offset - at.offset, op)
        return _side_by_side(found, step) if self in found.values() else ()

    def print(self, printer: Printer) -> None:
        """Prints the buffer, the subscript and the type of the buffer."""
        printer.print_string(" ")
        print_element(printer, self.buffer, self.indices, self.strides)

    @classmethod
    def parse(cls, parser: Parser) -> LoadOp:
        """Reads what `print` prints."""
        operands, strides, element = parse_element(parser)
        return cls.create(
            operands=operands,
            properties={"strides": strides},
            result_types=[loaded_type(element)],
        )


def _few_apart(at: Subscript, index: SSAValue) -> int:
    """
    How far apart elements lie along an index, if by so few that their vectors may be
    woven, and by indices of loops alone; else 0.
    """
    step = at.step(index)
    if not isinstance(step, int) or not 2 <= step <= StoreOp.MOST_WOVEN:
        return 0
    computed = any(isinstance(each.owner, Operation) for each in at.indices)
    return 0 if at.blocked_indices or computed else step


def _side_by_side(found: Mapping[Dim, _Access], count: int) -> Sequence[_Access]:
    """As many accesses as elements lie side by side from the first place on, or none."""
    if len(found) != count or not all(isinstance(each, int) for each in found):
        return ()
    places = sorted(cast("Mapping[int, _Access]", found))
    if places != [*range(places[0], places[0] + count)]:
        return ()
    return [found[each] for each in places]


@irdl_op_definition
class StoreOp(SubscriptedOp):
    """
    Sets the element of a buffer at a subscript; an integer is narrowed.

    ```mlir
    loop.store %x, %a[%i * 32 + %j] : memref<?xf32>
    ```
    """

    name = "loop.store"
    MOST_WOVEN: ClassVar = 8
    """Stores, at most, that are woven: each takes a shuffle for each power of two."""

    value = operand_def()
    buffer = operand_def(MemRefType)

    def __init__(self, value: SSAValue, buffer: SSAValue, at: Subscript):
        """Sets the element of `buffer` at `at` to `value`."""
        Operation.__init__(
            self,
            operands=[value, buffer, *at.indices],
            properties={"strides": at.attribute()},
        )

    def woven(self, index: SSAValue) -> Sequence[StoreOp]:
        """
        The stores of this body, itself among them, that set elements side by side, in
        the order of the elements: as many as the elements lie apart that each of them
        sets along an index, so that together they leave none out. Else none.
        """
        at, block, found = self.at, self.parent, dict[Dim, StoreOp]()
        step = _few_apart(at, index)
        if block is None or not step:
            return ()
        for op in block.ops:
            if isinstance(op, StoreOp | LoadOp) and op.buffer is self.buffer:
                if isinstance(op, LoadOp) and not found:
                    continue
                place = op.at.offset - at.offset
                # What is loaded between them tells in which order they are.
                if isinstance(op, LoadOp) or op.at.terms != at.terms or place in found:
                    return ()
                found[place] = op
        return _side_by_side(found, step)

    def print(self, printer: Printer) -> None:
        """Prints the value, the buffer, the subscript and the type of the buffer."""
        printer.print_string(" ")
        printer.print_ssa_value(self.value)
        printer.print_string(", ")
        print_element(printer, self.buffer, self.indices, self.strides)

    @classmethod
    def parse(cls, parser: Parser) -> StoreOp:
        """Reads what `print` prints."""
        value = parser.parse_unresolved_operand()
        parser.parse_punctuation(",")
        operands, strides, element = parse_element(parser)
        return cls.create(
            operands=[parser.resolve_operand(value, loaded_type(element)), *operands],
            properties={"strides": strides},
        )
