"""`loop.tile`: a reduction for a block of rows and columns, kept in registers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from xdsl.dialects import arith
from xdsl.dialects.builtin import ArrayAttr, IndexType, IntegerAttr, StringAttr, i64
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

from ...dims import Dim, dim
from ..schedule import ScheduleAttr
from ..subscript import DIM, parse_number, print_number
from .for_loop import ForOp, YieldOp
from .memory import LoadOp, StoreOp

SHARED = ("rows", "columns")
"""What threads may share of a tile."""


@irdl_op_definition
class TileOp(IRDLOperation):
    """
    For every row and column: the `step` over all that is reduced, then the `finish`.

    `step` takes row, column, the indices that are reduced, and what was accumulated so
    far, from `initial` on; it yields that with one more element. `finish` takes row,
    column and the accumulator, and stores it. Elements are accumulated in the order of the
    reduced indices, whatever the tile: so the bits of an accumulator do not depend on it.

    `rows`, `columns` and `lanes` say how many accumulators are kept in registers at a time:
    `rows` times `columns`, in vectors of `lanes` side by side along the columns. Rows
    and columns left over are computed by narrower tiles. All of it is one op, which is
    unrolled while LLVM text is written. Threads share what is `split`. With a `schedule` the operands are read in
    panels and blocks; without, as they lie.

    ```mlir
    loop.tile %i to 5, %j to 7, reduce %k to 3 from %zero : f32 by 4, 16, 8
        step (%sum) {
      %a = loop.load %lhs[%i * 3 + %k] : memref<?xf32>
      %b = loop.load %rhs[%k * 7 + %j] : memref<?xf32>
      %next = math.fma %a, %b, %sum : f32
      loop.yield %next : f32
    } finish (%row, %column, %accumulator) {
      loop.store %accumulator, %out[%row * 7 + %column] : memref<?xf32>
      loop.yield
    }
    ```
    """

    name = "loop.tile"

    initial = operand_def()
    bounds = prop_def(ArrayAttr.constr(DIM))
    rows = opt_prop_def(IntegerAttr.constr(i64))
    columns = opt_prop_def(IntegerAttr.constr(i64))
    lanes = opt_prop_def(IntegerAttr.constr(i64))
    schedule = opt_prop_def(ScheduleAttr)
    split = opt_prop_def(StringAttr)
    """What threads share, if they do: the rows or the columns."""
    step = region_def("single_block")
    finish = region_def("single_block")

    def __init__(
        self, bounds: Sequence[Dim], initial: SSAValue, step: Block, finish: Block
    ):
        """
        The tile over `bounds`: rows, columns, and what is reduced, outermost first.
        """
        super().__init__(
            operands=[initial],
            properties={"bounds": ArrayAttr([StringAttr(str(b)) for b in bounds])},
            regions=[Region(step), Region(finish)],
        )

    @property
    def sizes(self) -> tuple[Dim, ...]:
        """The numbers of rows, of columns, and of each reduced index."""
        return tuple(dim(each.data) for each in self.bounds)

    @property
    def block(self) -> tuple[int, int, int]:
        """
        Rows and columns of a full tile, and lanes of its vectors; 1 where not set.
        """
        rows, columns, lanes = (
            1 if each is None else each.value.data
            for each in (self.rows, self.columns, self.lanes)
        )
        return rows, columns, lanes

    @property
    def next(self) -> SSAValue:
        """What the step yields."""
        return cast(YieldOp, self.step.block.last_op).values[0]

    @property
    def store(self) -> StoreOp | None:
        """The one store of an accumulator, or of what is computed from it; else None."""
        stores = [op for op in self.finish.block.ops if isinstance(op, StoreOp)]
        return stores[0] if len(stores) == 1 else None

    @property
    def is_in_place(self) -> bool:
        """Whether the finish loads from where it stores, so that no accumulator goes there."""
        stored = {op.buffer for op in self.finish.walk() if isinstance(op, StoreOp)}
        loads = (op for op in self.finish.walk() if isinstance(op, LoadOp))
        return any(op.buffer in stored for op in loads)

    @property
    def around(self) -> list[ForOp]:
        """The loops in parallel that hold nothing but this tile, innermost first."""
        found: list[ForOp] = []
        inner: Operation = self
        while isinstance(outer := inner.parent_op(), ForOp) and outer.combine is None:
            rest = [op for op in outer.body.block.ops if op is not inner]
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
        """What a step loads."""
        return [each for each in self.step.block.ops if isinstance(each, LoadOp)]

    def factors(self) -> tuple[LoadOp, LoadOp] | None:
        """
        The loads of what moves with the rows and of what moves with the columns.

        None when a step is not just the product of two such elements, or of what is
        computed of each alone (`made_of`).
        """
        block = self.step.block
        row, column, *_ = block.args
        loads = self.loads
        across = [each for each in loads if column in each.indices]
        down = [each for each in loads if column not in each.indices]
        if len(across) != 1 or len(down) != 1 or row in across[0].indices:
            return None
        indices = [index for each in loads for index in each.indices]
        if any(not isinstance(index.owner, Block) for index in indices):
            return None
        return down[0], across[0]

    def made_of(self, load: LoadOp) -> list[Operation]:
        """What a step computes of what it loads here alone, as a conversion of it."""
        known, found = {load.result}, list[Operation]()
        for op in self.step.block.ops:
            if op.operands and op.results and known.issuperset(op.operands):
                known.update(op.results)
                found.append(op)
        return found

    def verify_(self) -> None:
        """The regions take what they should, and the step yields what it takes."""
        index, type = IndexType(), self.initial.type
        steps = tuple(each.type for each in self.step.block.args)
        ends = tuple(each.type for each in self.finish.block.args)
        if steps != (*(index for _ in self.bounds), type) or len(self.bounds) < 2:
            raise VerifyException(
                f"expected a step of {len(self.bounds)} indices and {type}, got {steps}"
            )
        if ends != (index, index, type):
            raise VerifyException(
                f"expected a finish of row, column, accumulator, got {ends}"
            )
        for region in self.regions:
            if not isinstance(region.block.last_op, YieldOp):
                raise VerifyException("expected regions that end in loop.yield")
        end = self.step.block.last_op
        if end is None or tuple(end.operand_types) != (type,):
            got = "" if end is None else ", ".join(map(str, end.operand_types))
            raise VerifyException(f"expected a step that yields {type}, got {got}")
        if self.split is not None and self.split.data not in SHARED:
            raise VerifyException(
                f"expected to split rows or columns, got {self.split.data}"
            )
        if self.schedule is not None and self.is_in_place:
            self.verify_at_once(self.schedule)
        rows, columns, lanes = self.block
        if min(rows, columns, lanes) < 1 or columns % lanes:
            raise VerifyException(
                f"expected columns in whole vectors, got {rows}x{columns}x{lanes}"
            )

    def verify_at_once(self, schedule: ScheduleAttr) -> None:
        """All steps are one block, so that no accumulator is stored before it is finished."""
        depth, axis = schedule.depth.data, schedule.axis.data
        steps = self.sizes[2 + axis]
        if axis or not isinstance(steps, int) or depth < steps:
            raise VerifyException(
                f"expected all steps in one block, since the finish loads from where it "
                f"stores, got {depth} of {steps}"
            )

    def print(self, printer: Printer) -> None:
        """
        Prints the indices with their bounds, the shape of the tile, and the regions.
        """
        *indices, so_far = self.step.block.args
        for place, (index, bound) in enumerate(zip(indices, self.bounds, strict=True)):
            printer.print_string(" " if place == 0 else ", ")
            printer.print_string("reduce " if place > 1 else "")
            printer.print_ssa_value(index)
            printer.print_string(" to ")
            print_number(printer, bound)
        printer.print_string(" from ")
        printer.print_ssa_value(self.initial)
        printer.print_string(" : ")
        printer.print_attribute(self.initial.type)
        if self.rows is not None:
            rows, columns, lanes = self.block
            printer.print_string(f" by {rows}, {columns}, {lanes}")
        if self.schedule is not None:
            printer.print_string(" as ")
            printer.print_attribute(self.schedule)
        if self.split is not None:
            printer.print_string(f" split {self.split.data}")
        printer.print_string(" step (")
        printer.print_ssa_value(so_far)
        printer.print_string(") ")
        printer.print_region(self.step, print_entry_block_args=False)
        printer.print_string(" finish (")
        row, column, accumulator = self.finish.block.args
        for place, each in enumerate((row, column, accumulator)):
            printer.print_string(", " if place else "")
            printer.print_ssa_value(each)
        printer.print_string(") ")
        printer.print_region(self.finish, print_entry_block_args=False)

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
            numbers = parser.parse_comma_separated_list(
                parser.Delimiter.NONE, parser.parse_integer
            )
            if len(numbers) != 3:
                parser.raise_error(f"expected rows, columns, lanes, got {numbers}")
            for name, number in zip(("rows", "columns", "lanes"), numbers, strict=True):
                properties[name] = IntegerAttr(number, i64)
        if parser.parse_optional_keyword("as") is not None:
            properties["schedule"] = parser.parse_attribute()
        if parser.parse_optional_keyword("split") is not None:
            properties["split"] = StringAttr(parser.parse_identifier())
        parser.parse_keyword("step")
        with parser.in_parens():
            so_far = parser.parse_argument(expect_type=False).resolve(type)
        step = parser.parse_region([*indices, so_far])
        parser.parse_keyword("finish")
        with parser.in_parens():
            row = parser.parse_argument(expect_type=False).resolve(index)
            parser.parse_punctuation(",")
            column = parser.parse_argument(expect_type=False).resolve(index)
            parser.parse_punctuation(",")
            accumulator = parser.parse_argument(expect_type=False).resolve(type)
        finish = parser.parse_region([row, column, accumulator])
        return cls.create(
            operands=[parser.resolve_operand(unresolved, type)],
            properties=properties,
            regions=[step, finish],
        )
