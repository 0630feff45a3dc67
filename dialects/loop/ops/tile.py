"""`loop.tile`: a contraction, whose accumulators are in registers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from xdsl.dialects import arith
from xdsl.dialects.builtin import (
    ArrayAttr,
    IndexType,
    IntegerAttr,
    StringAttr,
    UnitAttr,
    i64,
)
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.irdl import (
    IRDLOperation,
    irdl_op_definition,
    operand_def,
    opt_prop_def,
    prop_def,
    region_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException

from ...dims import Dim, dim, product
from ...op_class import OpClass
from ..factors import find_factors, made_of
from ..schedule import ScheduleAttr
from ..subscript import DIM, parse_counts, parse_number, print_counts, print_number
from ..target import IN_FLIGHT, STEPS_IN_FLIGHT
from .for_loop import ForOp, YieldOp
from .memory import LoadOp, StoreOp

_NUMBERS = ("transposed", "unroll", "prefetch", "ahead")
"""The properties that are numbers, as they are printed."""

_FLAGS = ("slides", "fetches")
"""The properties that are there or not."""

_SHARED = ("rows", "columns")
"""What threads may share."""


@irdl_op_definition
class TileOp(IRDLOperation, metaclass=OpClass):
    """
    For every row and column: the `k_loop` over all that is reduced, then the `epilogue`.

    The k-loop takes row, column, the indices that are reduced, and the accumulator,
    which is `initial` at first; it yields the accumulator with one element more. The
    epilogue takes row, column and the accumulator, and stores what becomes of it. An
    accumulator takes elements in the order of the reduced indices, whatever the tile:
    so its bits do not depend on the tile.

    `mr`, `nr` and `lanes` say how many accumulators are in registers at a time: MR rows
    of NR columns, in vectors of `lanes` columns. Rows and columns left over are computed
    by smaller register tiles, or by tiles whose last columns are not stored. Threads
    share what is `split`. With a `schedule` the operands are read in blocks and from
    packed panels; without, where they lie, and where the tile `slides`, rows share in
    registers what a window reads (`dialects/loop/slide.py`). A tile that `fetches`
    prefetches the lines that its epilogue stores, before the k-loop. `unroll` says how
    many k are written one after the other, without a schedule all of them or the
    innermost, `ahead` of how many k a panel's own rows are prefetched, and `prefetch`
    how many bytes of the next one for each k, or without a schedule how far ahead of
    words. What columns read apart, along the innermost k, is read in vectors of
    `transposed` k, which become vectors of columns.

    ```mlir
    loop.tile %i to 5, %j to 7, reduce %k to 3 from %zero : f32 by 4, 16, 8
        k_loop (%sum) {
      %a = loop.load %lhs[%i * 3 + %k] : memref<?xf32>
      %b = loop.load %rhs[%k * 7 + %j] : memref<?xf32>
      %next = math.fma %a, %b, %sum : f32
      loop.yield %next : f32
    } epilogue (%row, %column, %accumulator) {
      loop.store %accumulator, %out[%row * 7 + %column] : memref<?xf32>
      loop.yield
    }
    ```
    """

    name = "loop.tile"

    initial = operand_def()
    bounds = prop_def(ArrayAttr.constr(DIM))
    mr = opt_prop_def(IntegerAttr.constr(i64))
    nr = opt_prop_def(IntegerAttr.constr(i64))
    lanes = opt_prop_def(IntegerAttr.constr(i64))
    schedule = opt_prop_def(ScheduleAttr)
    transposed = opt_prop_def(IntegerAttr.constr(i64))
    unroll = opt_prop_def(IntegerAttr.constr(i64))
    prefetch = opt_prop_def(IntegerAttr.constr(i64))
    ahead = opt_prop_def(IntegerAttr.constr(i64))
    slides = opt_prop_def(UnitAttr)
    fetches = opt_prop_def(UnitAttr)
    split = opt_prop_def(StringAttr)
    """What threads share, if they do: the rows or the columns."""
    k_loop = region_def("single_block")
    epilogue = region_def("single_block")

    def __init__(
        self, bounds: Sequence[Dim], initial: SSAValue, k_loop: Block, epilogue: Block
    ):
        """The tile over rows, columns, and what is reduced, outermost first."""
        super().__init__(
            operands=[initial],
            properties={"bounds": ArrayAttr([StringAttr(str(b)) for b in bounds])},
            regions=[Region(k_loop), Region(epilogue)],
        )

    @property
    def sizes(self) -> tuple[Dim, ...]:
        """The numbers of rows, of columns, and of each reduced index."""
        return tuple(dim(each.data) for each in self.bounds)

    @property
    def register_tile(self) -> tuple[int, int, int]:
        """MR and NR of a full register tile, and the lanes of a vector; else 1."""
        mr, nr, lanes = (
            1 if each is None else each.value.data
            for each in (self.mr, self.nr, self.lanes)
        )
        return mr, nr, lanes

    @property
    def unrolled(self) -> int:
        """How many k are written one after the other."""
        return 1 if self.unroll is None else self.unroll.value.data

    @property
    def side(self) -> int:
        """How many k are read at a time where columns read apart; else 1."""
        return 1 if self.transposed is None else self.transposed.value.data

    @property
    def next(self) -> SSAValue:
        """What the k-loop yields."""
        return cast(YieldOp, self.k_loop.block.last_op).values[0]

    @property
    def store(self) -> StoreOp | None:
        """The store of the epilogue, if it has just one."""
        stores = [op for op in self.epilogue.block.ops if isinstance(op, StoreOp)]
        return stores[0] if len(stores) == 1 else None

    @property
    def is_in_place(self) -> bool:
        """Whether the epilogue loads from where it stores: no accumulator waits there."""
        stored = {op.buffer for op in self.epilogue.walk() if isinstance(op, StoreOp)}
        loads = (op for op in self.epilogue.walk() if isinstance(op, LoadOp))
        return any(op.buffer in stored for op in loads)

    @property
    def around(self) -> list[ForOp]:
        """The loops in parallel around this tile alone, innermost first."""
        found: list[ForOp] = []
        inner: Operation = self
        while isinstance(outer := inner.parent_op(), ForOp) and outer.combine is None:
            rest = {*outer.body.block.ops} - {inner, *outer.looked_up}
            if not all(isinstance(op, arith.ConstantOp | YieldOp) for op in rest):
                break
            found.append(outer)
            inner = outer
        return found

    @property
    def over(self) -> list[ForOp]:
        """The loops around the tile that run inside of its blocks, innermost first."""
        count = 0 if self.schedule is None else self.schedule.over.data
        return self.around[:count]

    @property
    def loads(self) -> list[LoadOp]:
        """What the k-loop loads."""
        return [each for each in self.k_loop.block.ops if isinstance(each, LoadOp)]

    def factors(self) -> tuple[LoadOp, LoadOp] | None:
        """The loads of both factors, A and B, if the k-loop is a product of two."""
        found = find_factors(self.k_loop.block)
        return None if found is None else (found.a, found.b)

    @property
    def beside(self) -> tuple[LoadOp, ...]:
        """What else the factor B is made of: the scales of the groups of its steps."""
        found = find_factors(self.k_loop.block)
        return () if found is None else found.beside

    @property
    def shares_words(self) -> bool:
        """Whether the innermost k share a word of B, which holds a step of each."""
        found, (*_, last, _) = find_factors(self.k_loop.block), self.k_loop.block.args
        return found is not None and bool(found.beside) and last not in found.b.indices

    @property
    def in_flight(self) -> int:
        """As many vectors of accumulators keep the multiply-adds of one row busy."""
        return STEPS_IN_FLIGHT if self.beside else IN_FLIGHT

    def made_of(self, load: LoadOp) -> list[Operation]:
        """What the k-loop computes of one factor, such as a conversion of it."""
        return made_of(self.k_loop.block, load)

    def element_of(self, load: LoadOp) -> Attribute:
        """
        The narrowest type that has all values of a factor: what is loaded is widened, or
        what the k-loop narrows it to.
        """
        made = self.made_of(load)
        match made[-1] if made else load:
            case arith.ExtFOp() | arith.ExtSIOp() as op:
                return op.input.type
            case LoadOp() as op:
                return op.element
            case op:
                return op.results[0].type

    def verify_(self) -> None:
        """The regions take what they should, and the k-loop yields an accumulator."""
        index, type = IndexType(), self.initial.type
        takes = tuple(each.type for each in self.k_loop.block.args)
        ends = tuple(each.type for each in self.epilogue.block.args)
        if takes != (*(index for _ in self.bounds), type) or len(self.bounds) < 2:
            raise VerifyException(
                f"expected a k-loop of {len(self.bounds)} indices and {type}, got {takes}"
            )
        if ends != (index, index, type):
            raise VerifyException(
                f"expected an epilogue of row, column, accumulator, got {ends}"
            )
        if any(isinstance(each, int) and each < 0 for each in self.sizes):
            raise VerifyException(f"expected sizes of 0 or more, got {self.sizes}")
        for region in self.regions:
            if not isinstance(region.block.last_op, YieldOp):
                raise VerifyException("expected regions that end in loop.yield")
        end = self.k_loop.block.last_op
        if end is None or tuple(end.operand_types) != (type,):
            got = "" if end is None else ", ".join(map(str, end.operand_types))
            raise VerifyException(f"expected a k-loop that yields {type}, got {got}")
        if self.split is not None and self.split.data not in _SHARED:
            got = self.split.data
            raise VerifyException(f"expected to split rows or columns, got {got}")
        if self.schedule is not None:
            self.schedule.verify_for(self.sizes[2:], self.is_in_place)
        parts = 1, product(self.sizes[-1:]), product(self.sizes[2:])
        if self.schedule is None and self.unrolled not in parts:
            raise VerifyException(
                f"expected all k or the innermost to be unrolled, got {self.unrolled}"
            )
        if self.side < 1 or self.side & (self.side - 1):
            raise VerifyException(
                f"expected a power of two of k to be transposed, got {self.side}"
            )
        if self.slides is not None and self.side > 1:
            raise VerifyException("expected a window that slides or squares, got both")
        mr, nr, lanes = self.register_tile
        if min(mr, nr, lanes) < 1 or nr % lanes:
            got = f"{mr}x{nr}x{lanes}"
            raise VerifyException(f"expected NR to be whole vectors, got {got}")

    def print(self, printer: Printer) -> None:
        """Prints the indices with their bounds, the shape, and the regions."""
        *indices, so_far = self.k_loop.block.args
        for number, (index, bound) in enumerate(zip(indices, self.bounds, strict=True)):
            printer.print_string(" " if number == 0 else ", ")
            printer.print_string("reduce " if number > 1 else "")
            printer.print_ssa_value(index)
            printer.print_string(" to ")
            print_number(printer, bound)
        printer.print_string(" from ")
        printer.print_ssa_value(self.initial)
        printer.print_string(" : ")
        printer.print_attribute(self.initial.type)
        if self.mr is not None:
            mr, nr, lanes = self.register_tile
            printer.print_string(f" by {mr}, {nr}, {lanes}")
        if self.schedule is not None:
            printer.print_string(" as ")
            printer.print_attribute(self.schedule)
        for flag in (each for each in _FLAGS if each in self.properties):
            printer.print_string(f" {flag}")
        print_counts(printer, self, _NUMBERS)
        if self.split is not None:
            printer.print_string(f" split {self.split.data}")
        printer.print_string(" k_loop (")
        printer.print_ssa_value(so_far)
        printer.print_string(") ")
        printer.print_region(self.k_loop, print_entry_block_args=False)
        printer.print_string(" epilogue (")
        row, column, accumulator = self.epilogue.block.args
        for number, each in enumerate((row, column, accumulator)):
            printer.print_string(", " if number else "")
            printer.print_ssa_value(each)
        printer.print_string(") ")
        printer.print_region(self.epilogue, print_entry_block_args=False)

    @classmethod
    def parse(cls, parser: Parser) -> TileOp:
        """Reads what `print` prints."""
        index, indices = IndexType(), list[Parser.Argument]()
        bounds: list[Attribute] = []

        def bounded() -> None:
            parser.parse_optional_keyword("reduce")
            indices.append(parser.parse_argument(expect_type=False).resolve(index))
            parser.parse_keyword("to")
            bounds.append(parse_number(parser))

        parser.parse_comma_separated_list(parser.Delimiter.NONE, bounded)
        parser.parse_keyword("from")
        unresolved = parser.parse_unresolved_operand()
        parser.parse_punctuation(":")
        type = parser.parse_type()
        properties: dict[str, Attribute] = {"bounds": ArrayAttr(bounds)}
        if parser.parse_optional_keyword("by") is not None:
            none = parser.Delimiter.NONE
            numbers = parser.parse_comma_separated_list(none, parser.parse_integer)
            if len(numbers) != 3:
                parser.raise_error(f"expected MR, NR, lanes, got {numbers}")
            for name, number in zip(("mr", "nr", "lanes"), numbers, strict=True):
                properties[name] = IntegerAttr(number, i64)
        if parser.parse_optional_keyword("as") is not None:
            properties["schedule"] = parser.parse_attribute()
        for flag in _FLAGS:
            if parser.parse_optional_keyword(flag) is not None:
                properties[flag] = UnitAttr()
        properties |= parse_counts(parser, _NUMBERS)
        if parser.parse_optional_keyword("split") is not None:
            properties["split"] = StringAttr(parser.parse_identifier())
        parser.parse_keyword("k_loop")
        with parser.in_parens():
            so_far = parser.parse_argument(expect_type=False).resolve(type)
        k_loop = parser.parse_region([*indices, so_far])
        parser.parse_keyword("epilogue")
        with parser.in_parens():
            row = parser.parse_argument(expect_type=False).resolve(index)
            parser.parse_punctuation(",")
            column = parser.parse_argument(expect_type=False).resolve(index)
            parser.parse_punctuation(",")
            accumulator = parser.parse_argument(expect_type=False).resolve(type)
        epilogue = parser.parse_region([row, column, accumulator])
        return cls.create(
            operands=[parser.resolve_operand(unresolved, type)],
            properties=properties,
            regions=[k_loop, epilogue],
        )
