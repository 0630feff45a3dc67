"""The control flow of a program, and the sizes that it computes itself."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import (
    ArrayAttr,
    IndexType,
    MemRefType,
    StringAttr,
)
from xdsl.ir import Block, Region, SSAValue
from xdsl.irdl import (
    AttrSizedOperandSegments,
    IRDLOperation,
    irdl_op_definition,
    operand_def,
    opt_operand_def,
    prop_def,
    region_def,
    result_def,
    traits_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import NoTerminator
from xdsl.utils.hints import isa

from ...dims import Dim, dim
from ...op_class import OpClass
from ..subscript import DIM, Number, parse_number, print_number, resolve_index

_UNREACHED_TRIPS = 1 << 32
"""Trips that no loop makes: it is a condition that ends one with a limit above that."""


def is_unlimited(trips: Dim) -> bool:
    """Whether a condition alone ends a loop of at most `trips` trips."""
    return isinstance(trips, int) and trips > _UNREACHED_TRIPS


@irdl_op_definition
class IfOp(IRDLOperation, metaclass=OpClass):
    """
    Runs one of two lists of calls: the first when the element of a buffer is true.

    ```mlir
    loop.if %0 : memref<?xi1> {
      loop.call @a(%1) symbols [] : memref<?xf32>
    } {
      loop.call @b(%1) symbols [] : memref<?xf32>
    }
    ```
    """

    name = "loop.if"

    condition = operand_def(MemRefType)
    then = region_def("single_block")
    otherwise = region_def("single_block")

    traits = traits_def(NoTerminator())

    def __init__(self, condition: SSAValue, then: Block, otherwise: Block):
        """The choice between two blocks."""
        super().__init__(
            operands=[condition], regions=[Region(then), Region(otherwise)]
        )

    def print(self, printer: Printer) -> None:
        """Prints the condition, and what is run when it is true, and when not."""
        printer.print_string(" ")
        printer.print_ssa_value(self.condition)
        printer.print_string(" : ")
        printer.print_attribute(self.condition.type)
        for region in self.regions:
            printer.print_string(" ")
            printer.print_region(region)

    @classmethod
    def parse(cls, parser: Parser) -> IfOp:
        """Reads what `print` prints; a list of calls may be empty."""
        name = parser.parse_unresolved_operand()
        parser.parse_punctuation(":")
        condition = parser.resolve_operand(name, parser.parse_type())
        op = cls(condition, Block(), Block())
        for region in op.regions:
            read = parser.parse_region()
            if read.blocks:
                region.detach_block(0)
                read.move_blocks(region)
        return op


@irdl_op_definition
class RepeatOp(IRDLOperation, metaclass=OpClass):
    """
    Runs calls up to `trips` times, while the elements of two buffers are true: of
    `before` the first time, of `after`, which the calls write, every other time.

    ```mlir
    loop.repeat %i to "seq" {
      loop.call @step(%1) symbols [] : memref<?xf32>
    }
    loop.repeat %i to 10 while %0 then %2 : memref<?xi1> {
      loop.call @step(%1, %2) symbols [] : memref<?xf32>, memref<?xi1>
    }
    ```
    """

    name = "loop.repeat"

    before = opt_operand_def(MemRefType)
    after = opt_operand_def(MemRefType)
    trips = prop_def(DIM)
    body = region_def("single_block")

    irdl_options = (AttrSizedOperandSegments(as_property=True),)
    traits = traits_def(NoTerminator())

    def __init__(
        self,
        trips: Dim,
        body: Block,
        before: SSAValue | None = None,
        after: SSAValue | None = None,
    ):
        """The repetition of `body`, which takes the number of the trip."""
        super().__init__(
            operands=[before, after],
            properties={"trips": StringAttr(str(trips))},
            regions=[Region(body)],
        )

    @property
    def limit(self) -> Dim:
        """The most trips."""
        return dim(self.trips.data)

    def print(self, printer: Printer) -> None:
        """Prints the index, the most trips, the conditions and the body."""
        printer.print_string(" ")
        printer.print_ssa_value(self.body.block.args[0])
        printer.print_string(" to ")
        print_number(printer, self.trips)
        if self.before is not None and self.after is not None:
            printer.print_string(" while ")
            printer.print_ssa_value(self.before)
            printer.print_string(" then ")
            printer.print_ssa_value(self.after)
            printer.print_string(" : ")
            printer.print_attribute(self.before.type)
        printer.print_string(" ")
        printer.print_region(self.body, print_entry_block_args=False)

    @classmethod
    def parse(cls, parser: Parser) -> RepeatOp:
        """Reads what `print` prints."""
        index = parser.parse_argument(expect_type=False).resolve(IndexType())
        parser.parse_keyword("to")
        trips = parse_number(parser)
        conditions: list[SSAValue] = []
        if parser.parse_optional_keyword("while") is not None:
            names = [parser.parse_unresolved_operand()]
            parser.parse_keyword("then")
            names.append(parser.parse_unresolved_operand())
            parser.parse_punctuation(":")
            type = parser.parse_type()
            conditions = [parser.resolve_operand(each, type) for each in names]
        body = parser.parse_region([index])
        op = cls(dim(trips.data), Block(), *conditions)
        op.detach_region(op.body)
        op.add_region(body)
        return op


@irdl_op_definition
class ElementOp(IRDLOperation, metaclass=OpClass):
    """
    The part of a buffer that begins `stride` elements times a trip's number after its
    own beginning; counted from the last of `backward` parts when it is given.

    ```mlir
    %1 = loop.element %0[%i * 256] : memref<?xf32>
    %2 = loop.element %0[%i * 256] backward "seq" : memref<?xf32>
    ```
    """

    name = "loop.element"

    buffer = operand_def(MemRefType)
    index = operand_def(IndexType)
    stride = prop_def(DIM)
    backward = prop_def(DIM)
    """How many parts there are, or 0 for the order of the trips."""
    result = result_def(MemRefType)

    def __init__(
        self, buffer: SSAValue, index: SSAValue, stride: Dim, backward: Dim = 0
    ):
        """The part number `index`, of `stride` elements, of a buffer."""
        super().__init__(
            operands=[buffer, index],
            properties={
                "stride": StringAttr(str(stride)),
                "backward": StringAttr(str(backward)),
            },
            result_types=[buffer.type],
        )

    def print(self, printer: Printer) -> None:
        """Prints the buffer, the index, the stride, the direction and the type."""
        printer.print_string(" ")
        printer.print_ssa_value(self.buffer)
        printer.print_string("[")
        printer.print_ssa_value(self.index)
        printer.print_string(" * ")
        print_number(printer, self.stride)
        printer.print_string("]")
        if self.backward.data != "0":
            printer.print_string(" backward ")
            print_number(printer, self.backward)
        printer.print_string(" : ")
        printer.print_attribute(self.result.type)

    @classmethod
    def parse(cls, parser: Parser) -> ElementOp:
        """Reads what `print` prints."""
        buffer = parser.parse_unresolved_operand()
        with parser.in_square_brackets():
            index = resolve_index(parser, parser.parse_unresolved_operand())
            parser.parse_punctuation("*")
            stride = parse_number(parser)
        backward: Dim = 0
        if parser.parse_optional_keyword("backward") is not None:
            backward = dim(parse_number(parser).data)
        parser.parse_punctuation(":")
        value = parser.resolve_operand(buffer, parser.parse_type())
        return cls(value, index, dim(stride.data), backward)


@irdl_op_definition
class DefineOp(IRDLOperation, metaclass=OpClass):
    """
    Gives a symbol of the program the value of a buffer's first element, from here on.

    A value out of the range ends the run with an error.

    ```mlir
    loop.define "count" = %0 from 0 to "batch" : memref<?xi64>
    ```
    """

    name = "loop.define"

    symbol = prop_def(StringAttr)
    value = operand_def(MemRefType)
    low = prop_def(DIM)
    high = prop_def(DIM)

    custom_directives = (Number,)
    assembly_format = (
        "$symbol `=` $value `from` custom<Number>($low) `to` custom<Number>($high) "
        "attr-dict `:` type($value)"
    )

    def __init__(self, symbol: str, value: SSAValue, low: Dim, high: Dim):
        """The definition of a symbol by what a buffer holds."""
        super().__init__(
            operands=[value],
            properties={
                "symbol": StringAttr(symbol),
                "low": StringAttr(str(low)),
                "high": StringAttr(str(high)),
            },
        )

    @property
    def range(self) -> tuple[Dim, Dim]:
        """The least and the greatest that the symbol can be."""
        return dim(self.low.data), dim(self.high.data)


@irdl_op_definition
class RequireOp(IRDLOperation, metaclass=OpClass):
    """
    Ends the run with an error when a quantity, computed from sizes, is below zero.

    ```mlir
    loop.require "batch - count" {source = "graph.slice at cut: expected ..."}
    ```
    """

    name = "loop.require"

    quantity = prop_def(StringAttr)

    assembly_format = "$quantity attr-dict"

    def __init__(self, quantity: Dim, source: str, shown: Sequence[Dim] = ()):
        """
        The requirement that a quantity is zero or more; `source` says of what, and the
        values of `shown`, which are two sizes or none, are part of the error.
        """
        super().__init__(properties={"quantity": StringAttr(str(quantity))})
        self.attributes["source"] = StringAttr(source)
        if shown:
            texts = [StringAttr(str(each)) for each in shown]
            self.attributes["shown"] = ArrayAttr(texts)

    @property
    def shown(self) -> tuple[Dim, ...]:
        """The sizes whose values the error shows: two, or none."""
        texts = self.attributes.get("shown", ArrayAttr([]))
        assert isa(texts, ArrayAttr[StringAttr]), "sizes are texts"
        return tuple(dim(each.data) for each in texts)
