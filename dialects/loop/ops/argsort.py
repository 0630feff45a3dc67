"""`loop.argsort`: the numbers of the elements that come first by their keys."""

from __future__ import annotations

from xdsl.dialects.builtin import (
    AnyFloat,
    IndexType,
    IntegerAttr,
    IntegerType,
    MemRefType,
    StringAttr,
    UnitAttr,
    i64,
)
from xdsl.ir import Attribute, Block, Region, SSAValue
from xdsl.irdl import (
    irdl_op_definition,
    operand_def,
    opt_prop_def,
    prop_def,
    region_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException

from ...dims import Dim, dim
from ..subscript import (
    DIM,
    Subscript,
    SubscriptedOp,
    parse_counts,
    parse_number,
    parse_subscript,
    print_counts,
    print_number,
    print_subscript,
    resolve_index,
)
from .for_loop import YieldOp
from .memory import element_type

_NUMBERS = ("lanes", "whole")
"""The properties that are numbers, as they are printed."""

_MOVES_PER_ELEMENT = 8
"""How often an element that comes first is moved; chosen by hand."""


@irdl_op_definition
class ArgsortOp(SubscriptedOp):
    """
    Stores which elements come first by their keys, from the subscript on.

    The numbers of the first `count` of `size` elements are stored, in ascending or
    descending order of the keys, which the region yields. Of equal keys the lesser
    number comes first. Zeros of both signs are equal, and NaN is equal to itself and
    above all numbers.

    The first elements are found by a heap, with which `lanes` keys are compared at a time.
    With `whole` a row with `count` equal to `size` is sorted by the digits of its keys,
    or by insertion where it has no more elements than `whole` says. The memory of the
    numbers that are stored is all that sorting needs, but for some kilobytes of the
    stack.

    ```mlir
    loop.argsort %out[%row * 3] first 3 of 7 descending : memref<?xi64> key (%i) {
      %x = loop.load %keys[%row * 7 + %i] : memref<?xf32>
      loop.yield %x : f32
    }
    ```
    """

    name = "loop.argsort"

    buffer = operand_def(MemRefType)
    count = prop_def(DIM)
    size = prop_def(DIM)
    descending = opt_prop_def(UnitAttr)
    lanes = opt_prop_def(IntegerAttr.constr(i64))
    whole = opt_prop_def(IntegerAttr.constr(i64))
    key = region_def("single_block")

    def __init__(
        self,
        buffer: SSAValue,
        at: Subscript,
        count: Dim,
        size: Dim,
        descending: bool,
        key: Block,
    ):
        """The first `count` of `size` elements; `key` takes the number of one."""
        properties: dict[str, Attribute] = {
            "strides": at.attribute(),
            "count": StringAttr(str(count)),
            "size": StringAttr(str(size)),
        }
        if descending:
            properties["descending"] = UnitAttr()
        super().__init__(
            operands=[buffer, at.indices], properties=properties, regions=[Region(key)]
        )

    @property
    def sizes(self) -> tuple[Dim, Dim]:
        """How many numbers are stored, and how many elements there are."""
        return dim(self.count.data), dim(self.size.data)

    @property
    def points(self) -> Dim:
        """The iterations of loops that sorting takes, about."""
        count, size = self.sizes
        return size + count * _MOVES_PER_ELEMENT

    @property
    def end(self) -> YieldOp:
        """The end of the region, which has the key."""
        end = self.key.block.last_op
        assert isinstance(end, YieldOp), "the verifier says so"
        return end

    def verify_(self) -> None:
        """The region takes an index, and yields one number."""
        if element_type(self.buffer) != i64:
            raise VerifyException(f"expected a buffer of i64, got {self.buffer.type}")
        takes = tuple(each.type for each in self.key.block.args)
        if takes != (IndexType(),):
            raise VerifyException(f"expected a key of 1 index, got {takes}")
        if not isinstance(self.key.block.last_op, YieldOp):
            raise VerifyException("expected a region that ends in loop.yield")
        types = [each.type for each in self.end.values]
        if len(types) != 1 or not isinstance(types[0], AnyFloat | IntegerType):
            got = ", ".join(map(str, types)) or "none"
            raise VerifyException(f"expected a number as key, got {got}")
        count, size = self.sizes
        if any(isinstance(each, int) and each < 0 for each in (count, size - count)):
            raise VerifyException(f"expected {count} of as many or more, got {size}")

    def print(self, printer: Printer) -> None:
        """Prints the buffer with the subscript, the sizes, and the region."""
        printer.print_string(" ")
        printer.print_ssa_value(self.buffer)
        print_subscript(printer, self.indices, self.strides)
        printer.print_string(" first ")
        print_number(printer, self.count)
        printer.print_string(" of ")
        print_number(printer, self.size)
        if self.descending is not None:
            printer.print_string(" descending")
        print_counts(printer, self, _NUMBERS)
        printer.print_string(" : ")
        printer.print_attribute(self.buffer.type)
        printer.print_string(" key (")
        printer.print_list(self.key.block.args, printer.print_ssa_value)
        printer.print_string(") ")
        printer.print_region(self.key, print_entry_block_args=False)

    @classmethod
    def parse(cls, parser: Parser) -> ArgsortOp:
        """Reads what `print` prints."""
        buffer = parser.parse_unresolved_operand()
        indices, strides = parse_subscript(parser)
        parser.parse_keyword("first")
        properties: dict[str, Attribute] = {"strides": strides}
        properties["count"] = parse_number(parser)
        parser.parse_keyword("of")
        properties["size"] = parse_number(parser)
        if parser.parse_optional_keyword("descending") is not None:
            properties["descending"] = UnitAttr()
        properties |= parse_counts(parser, _NUMBERS)
        parser.parse_punctuation(":")
        type = parser.parse_type()
        parser.parse_keyword("key")
        names = parser.parse_comma_separated_list(
            parser.Delimiter.PAREN,
            lambda: parser.parse_argument(expect_type=False).resolve(IndexType()),
        )
        return cls.create(
            operands=[
                parser.resolve_operand(buffer, type),
                *(resolve_index(parser, each) for each in indices),
            ],
            properties=properties,
            regions=[parser.parse_region(names)],
        )
