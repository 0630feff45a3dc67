"""`loop.choose`: the candidates that are in conflict with no better one."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import (
    AnyFloat,
    IndexType,
    MemRefType,
    StringAttr,
    i1,
    i64,
)
from xdsl.ir import Attribute, Block, Region, SSAValue
from xdsl.irdl import (
    irdl_op_definition,
    operand_def,
    prop_def,
    region_def,
    result_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException

from ...dims import Dim, dim
from ..subscript import (
    DIM,
    Subscript,
    SubscriptedOp,
    parse_number,
    parse_subscript,
    print_number,
    print_subscript,
    resolve_index,
)
from .for_loop import YieldOp
from .memory import element_type


@irdl_op_definition
class ChooseOp(SubscriptedOp):
    """
    Appends to a buffer the candidates that are in conflict with none before them.

    The candidates, from zero up to the bound, whose `score` says that they are admitted
    are taken by falling score, of equal scores the first one first. One is chosen unless
    it is in `conflict` with one chosen by this op, which is the first index that the
    region takes; until there are `most`. The region yields conditions that all hold
    where there is a conflict, and no more of it may run than shows that one does not.
    What is appended is the candidate plus the subscript. It is stored `from` an element
    of the buffer on, and the result is the element after the last.

    The last elements `within` a size of the buffer, as many as there are candidates, are
    where they are sorted; what is chosen must lie before them.

    ```mlir
    %next = loop.choose %out[%row * 7] to 7 from %start most %limit within 22 : memref<?xi64> score (%i) {
      %x = loop.load %scores[%row * 7 + %i] : memref<?xf32>
      %good = arith.cmpf ogt, %x, %least : f32
      loop.yield %x, %good : f32, i1
    } conflict (%chosen, %other) {
      loop.yield %no : i1
    }
    ```
    """

    name = "loop.choose"

    buffer = operand_def(MemRefType)
    start = operand_def(i64)
    most = operand_def(i64)
    bound = prop_def(DIM)
    within = prop_def(DIM)
    score = region_def("single_block")
    conflict = region_def("single_block")
    end = result_def(i64)

    def __init__(
        self,
        buffer: SSAValue,
        at: Subscript,
        bounds: tuple[Dim, Dim],
        start: SSAValue,
        most: SSAValue,
        score: Block,
        conflict: Block,
    ):
        """The choice of candidates; `bounds` are their number and the buffer's size."""
        bound, within = (StringAttr(str(each)) for each in bounds)
        super().__init__(
            operands=[buffer, start, most, at.indices],
            properties={
                "strides": at.attribute(),
                "bound": bound,
                "within": within,
            },
            regions=[Region(score), Region(conflict)],
            result_types=[i64],
        )

    @property
    def sizes(self) -> tuple[Dim, Dim]:
        """How many candidates there are, and elements of the buffer."""
        return dim(self.bound.data), dim(self.within.data)

    def verify_(self) -> None:
        """The regions take indices; they yield a score, and conditions."""
        if element_type(self.buffer) != i64:
            raise VerifyException(f"expected a buffer of i64, got {self.buffer.type}")
        for region, count in ((self.score, 1), (self.conflict, 2)):
            takes = tuple(each.type for each in region.block.args)
            if takes != (IndexType(),) * count:
                raise VerifyException(f"expected {count} indices, got {takes}")
            if not isinstance(region.block.last_op, YieldOp):
                raise VerifyException("expected regions that end in loop.yield")
        types = _yields(self.score)
        if len(types) != 2 or not isinstance(types[0], AnyFloat) or types[1] != i1:
            got = ", ".join(map(str, types))
            raise VerifyException(f"expected a score and an i1, got {got}")
        if {*(types := _yields(self.conflict))} != {i1}:
            got = ", ".join(map(str, types)) or "none"
            raise VerifyException(f"expected conditions of a conflict, got {got}")

    def print(self, printer: Printer) -> None:
        """Prints the buffer with the subscript, the sizes, and the regions."""
        printer.print_string(" ")
        printer.print_ssa_value(self.buffer)
        print_subscript(printer, self.indices, self.strides)
        printer.print_string(" to ")
        print_number(printer, self.bound)
        printer.print_string(" from ")
        printer.print_ssa_value(self.start)
        printer.print_string(" most ")
        printer.print_ssa_value(self.most)
        printer.print_string(" within ")
        print_number(printer, self.within)
        printer.print_string(" : ")
        printer.print_attribute(self.buffer.type)
        for name, region in (("score", self.score), ("conflict", self.conflict)):
            printer.print_string(f" {name} (")
            printer.print_list(region.block.args, printer.print_ssa_value)
            printer.print_string(") ")
            printer.print_region(region, print_entry_block_args=False)

    @classmethod
    def parse(cls, parser: Parser) -> ChooseOp:
        """Reads what `print` prints."""
        buffer = parser.parse_unresolved_operand()
        indices, strides = parse_subscript(parser)
        parser.parse_keyword("to")
        bound = parse_number(parser)
        parser.parse_keyword("from")
        start = parser.parse_unresolved_operand()
        parser.parse_keyword("most")
        most = parser.parse_unresolved_operand()
        parser.parse_keyword("within")
        within = parse_number(parser)
        parser.parse_punctuation(":")
        type = parser.parse_type()
        regions: list[Region] = []
        for name in ("score", "conflict"):
            parser.parse_keyword(name)
            names = parser.parse_comma_separated_list(
                parser.Delimiter.PAREN,
                lambda: parser.parse_argument(expect_type=False).resolve(IndexType()),
            )
            regions.append(parser.parse_region(names))
        return cls.create(
            operands=[
                parser.resolve_operand(buffer, type),
                parser.resolve_operand(start, i64),
                parser.resolve_operand(most, i64),
                *(resolve_index(parser, each) for each in indices),
            ],
            properties={"strides": strides, "bound": bound, "within": within},
            regions=regions,
            result_types=[i64],
        )


def _yields(region: Region) -> Sequence[Attribute]:
    """The types of what a region yields."""
    end = region.block.last_op
    return [] if end is None else [each.type for each in end.operands]
