"""
Write a `loop.tile`: blocks of totals in registers, unrolled here and nowhere before.

A block is `rows` by `columns` totals, the latter in vectors. What the step computes is
written once for each total, but what does not depend on the row, or on the column, once
for all: so an element of an operand is loaded once and used for a whole row or column
of the block. Rows and columns left over are done by narrower blocks.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from xdsl.dialects.builtin import IndexType
from xdsl.ir import Attribute, Block, Operation, SSAValue

from ....dialects.dims import Dim
from ....dialects.loop.ops.for_loop import YieldOp
from ....dialects.loop.ops.memory import LoadOp, StoreOp
from ....dialects.loop.ops.tile import TileOp
from ....dialects.loop.subscript import Subscript
from ....dialects.loop.target import TargetAttr
from ..text.function import FunctionWriter
from ..text.types import Value, memory_text


class Host(Protocol):
    """What the writer of a kernel does for a tile."""

    w: FunctionWriter
    target: TargetAttr
    values: dict[SSAValue, Value]
    side_by_side: SSAValue | None
    lanes: int

    def evaluate(self, op: Operation) -> Value:
        """Writes an op that has a value; the value."""
        ...

    def store(self, op: StoreOp) -> None:
        """Writes a store: of one element, of a vector, or lane by lane."""
        ...

    def place(self, at: Subscript) -> tuple[str, Dim, list[tuple[Value, Dim]]]:
        """Where an element is, how far the next lane is, and what lanes look up."""
        ...

    def address(self, buffer: SSAValue, place: str) -> str:
        """The address of an element."""
        ...

    def read(self, address: str, type: Attribute, lanes: int) -> Value:
        """Writes a load from an address."""
        ...

    def put(self, value: Value, address: str) -> None:
        """Writes a store to an address."""
        ...


@dataclass(frozen=True)
class Shape:
    """How many totals a block has: rows, vectors in each, and elements in those."""

    rows: int
    vectors: int
    lanes: int


def hidden(w: FunctionWriter, address: str) -> str:
    """
    An address, of which LLVM does not see what it is the sum of.

    Else it finds other sums for the addresses of each step, which need more registers
    than there are.
    """
    return w.emit(f"call ptr @llvm.launder.invariant.group.p0(ptr {address})")


def write_tile(host: Host, op: TileOp) -> None:
    """
    Writes the blocks of a tile: along the columns, and within that along the rows.
    """
    row_count, column_count, *_ = op.sizes
    rows, columns, lanes = op.block
    outer_lanes, outer_index = host.lanes, host.side_by_side
    assert outer_lanes == 1, "a tile is not inside a vector"
    w, done = host.w, "0"
    end = w.size(column_count)
    if op.split is not None and op.split.data == "columns":
        done, end = w.share(end, columns)
    widths = [(columns // lanes, lanes), (1, lanes), (1, 1)]
    for vectors, wide in dict.fromkeys(widths):
        step = vectors * wide
        stop = w.add(done, w.whole(w.minus(end, done), step))

        def column(at: str, _: list[Value], vectors: int = vectors, wide: int = wide):
            write_rows(host, op, at, row_count, Shape(rows, vectors, wide))
            return ()

        w.loop(done, stop, step, (), column)
        done = stop
    host.lanes, host.side_by_side = outer_lanes, outer_index


def write_rows(host: Host, op: TileOp, column: str, count: Dim, shape: Shape) -> None:
    """Writes the blocks along the rows at one column, then the rows left over."""
    shared = op.split is not None and op.split.data == "rows"
    for rows, start, stop in deal(host.w, count, shape.rows, shared):

        def row(at: str, _: list[Value], rows: int = rows) -> Sequence[Value]:
            block = BlockWriter(host, op, Shape(rows, shape.vectors, shape.lanes))
            block.write(at, column)
            return ()

        host.w.loop(start, stop, rows, (), row)


def deal(
    w: FunctionWriter, count: Dim, tall: int, shared: bool
) -> list[tuple[int, str, str]]:
    """
    The heights of the tiles for so many rows, and where the rows of each begin and end.

    Rows whose number is known are dealt out, so that no tile is much lower than
    another. Of others the tallest tiles take what they can, lower ones what is left.
    """
    if isinstance(count, int):
        tiles = max(-(-count // tall), 1)
        low, more = divmod(count, tiles)
        first, last = w.share(str(tiles), 1) if shared else ("0", str(tiles))
        # The first tiles have one row more.
        higher = [w.least(each, str(more)) for each in (first, last)]
        start, end = (
            w.add(w.mul(tile, str(low)), many)
            for tile, many in zip((first, last), higher, strict=True)
        )
        middle = w.add(start, w.mul(w.minus(higher[1], higher[0]), str(low + 1)))
        found = [(low + 1, start, middle)] if more else []
        return [*found, (low, middle, end)] if low else found
    start, end = "0", w.size(count)
    if shared:
        start, end = w.share(end, tall)
    parts: list[tuple[int, str, str]] = []
    while tall:
        stop = w.add(start, w.whole(w.minus(end, start), tall))
        parts.append((tall, start, stop))
        start, tall = stop, tall // 2
    return parts


class BlockWriter:
    """Writes one block of totals, from the first step to the last store."""

    def __init__(self, host: Host, op: TileOp, shape: Shape):
        self.host = host
        self.op = op
        self.shape = shape
        self.places = [
            (row, vector)
            for row in range(shape.rows)
            for vector in range(shape.vectors)
        ]
        self.bases: dict[Operation, list[str]] = {}

    def write(self, row: str, column: str) -> None:
        """Writes the block whose first total is at this row and column."""
        self.place(row, column)
        self.find_bases()
        initial = self.host.values[self.op.initial]
        initial = self.host.w.splat(initial, self.shape.lanes)
        _, _, *reduced = self.op.sizes
        self.finish(self.reduce([], reduced, [initial for _ in self.places]))

    def place(self, row: str, column: str) -> None:
        """Says where the first total of the block is."""
        w = self.host.w
        self.row_at = [w.add(row, str(each)) for each in range(self.shape.rows)]
        self.column_at = [
            w.add(column, str(each * self.shape.lanes))
            for each in range(self.shape.vectors)
        ]

    def by_row(self, totals: Sequence[Value]) -> list[Sequence[Value]]:
        """The totals of each row."""
        wide = self.shape.vectors
        return [totals[start:][:wide] for start in range(0, len(totals), wide)]

    def finish(self, totals: Sequence[Value]) -> list[Value]:
        """Writes the finish of every total."""
        for place, total in zip(self.places, totals, strict=True):
            self.enter(self.op.finish.block, place)
            self.finish_here(total)
        return []

    def finish_here(self, total: Value) -> None:
        """Writes the finish of the total that the arguments stand for."""
        block = self.op.finish.block
        self.host.values[block.args[2]] = total
        for each in block.ops:
            self.write_op(each)
        self.host.side_by_side, self.host.lanes = None, 1

    def keep(self, totals: Sequence[Value]) -> list[Value]:
        """Writes stores of totals that are not finished, where their result goes."""
        for place, total in zip(self.places, totals, strict=True):
            self.enter(self.op.finish.block, place)
            self.keep_here(total)
        return []

    def keep_here(self, total: Value) -> None:
        """Writes the store of the total that the arguments stand for."""
        self.host.put(total, self.kept_at())
        self.host.side_by_side, self.host.lanes = None, 1

    def load(self, place: tuple[int, int]) -> Value:
        """Writes the load of a total that was kept."""
        self.enter(self.op.finish.block, place)
        return self.load_here(self.shape.lanes)

    def load_here(self, lanes: int) -> Value:
        """Writes the load of the kept total that the arguments stand for."""
        total = self.host.read(self.kept_at(), self.op.initial.type, lanes)
        self.host.side_by_side, self.host.lanes = None, 1
        return total

    def kept_at(self) -> str:
        """The address of the result that the arguments stand for."""
        store = self.op.store
        assert store is not None, "totals are kept where one store puts them"
        place, _, _ = self.host.place(store.at)
        return self.host.address(store.buffer, place)

    def reduce(
        self, point: list[str], bounds: Sequence[Dim], totals: list[Value]
    ) -> list[Value]:
        """Writes the loops over what is reduced; the totals after them."""
        if not bounds:
            return self.step(point, totals)
        first, *rest = bounds
        stop = self.host.w.size(first)
        return self.host.w.loop(
            "0",
            stop,
            1,
            totals,
            lambda at, inner: self.reduce([*point, at], rest, inner),
        )

    def step(self, point: list[str], totals: list[Value]) -> list[Value]:
        """Writes one step for every total of the block."""
        host, block = self.host, self.op.step.block
        _, _, *indices, so_far = block.args
        for index, at in zip(indices, point, strict=True):
            host.values[index] = Value(at, IndexType())
        if self.bases:
            # What all rows use is loaded again for each tile, or it would be spilled.
            host.w.fence()
        known: dict[tuple[SSAValue, int, int], Value] = {}
        results: list[Value] = []
        for place, total in zip(self.places, totals, strict=True):
            self.enter(block, place)
            host.values[so_far] = total
            for each in block.ops:
                if isinstance(each, YieldOp):
                    continue
                row, column = self.dependence(each)
                key = (
                    each.results[0],
                    place[0] if row else -1,
                    place[1] if column else -1,
                )
                if key not in known:
                    base = self.bases.get(each)
                    if base is None:
                        known[key] = host.evaluate(each)
                    else:
                        assert isinstance(each, LoadOp)
                        known[key] = self.load_from(base[place[0]], each, place[1])
                host.values[each.results[0]] = known[key]
            results.append(host.w.splat(host.values[self.op.next], self.shape.lanes))
        return results

    def find_bases(self) -> None:
        """Finds where each row begins of what every total has an element of."""
        host, block = self.host, self.op.step.block
        row, column, *reduced, _ = block.args
        if self.shape.rows == 1 or not reduced:
            return
        for index in reduced:
            host.values[index] = Value("0", IndexType())
        for each in block.ops:
            if not isinstance(each, LoadOp) or each.at.panel is not None:
                continue
            strides = dict(each.at.terms)
            if row not in strides or strides.get(column) != 1:
                continue
            if any(
                host.values[index].lanes > 1
                for index in strides
                if index in host.values
            ):
                continue
            self.bases[each] = []
            for number in range(self.shape.rows):
                self.enter(block, (number, 0))
                place, _, _ = host.place(each.at)
                address = host.address(each.buffer, place)
                self.bases[each].append(hidden(host.w, address))

    def load_from(self, base: str, op: LoadOp, vector: int) -> Value:
        """Writes the load of a vector of a row that begins at an address."""
        host, offset = self.host, str(vector * self.shape.lanes)
        for index in self.op.step.block.args[2:-1]:
            stride = host.w.size(op.at.step(index))
            offset = host.w.add(offset, host.w.mul(host.values[index].text, stride))
        type = op.result.type
        here = f"getelementptr inbounds {memory_text(type)}, ptr {base}, i64 {offset}"
        return host.read(host.w.emit(here), type, self.shape.lanes)

    def dependence(self, op: Operation) -> tuple[bool, bool]:
        """Whether what an op of the step computes differs by row, and by column."""
        block = self.op.step.block
        row, column, *_, so_far = block.args
        by_row = by_column = False
        for operand in op.operands:
            if operand is so_far:
                return True, True
            by_row |= operand is row
            by_column |= operand is column
            if isinstance(operand.owner, Operation) and operand.owner.parent is block:
                inner = self.dependence(operand.owner)
                by_row, by_column = by_row or inner[0], by_column or inner[1]
        return by_row, by_column

    def enter(self, block: Block, place: tuple[int, int]) -> None:
        """Lets the arguments of a region stand for one total of the block."""
        self.stand(
            self.row_at[place[0]], self.column_at[place[1]], self.shape.lanes, block
        )

    def stand(
        self, row_at: str, column_at: str, lanes: int, block: Block | None = None
    ) -> None:
        """Lets the arguments of a region, else the finish, stand for some totals."""
        row, column, *_ = (block or self.op.finish.block).args
        host, index = self.host, IndexType()
        host.values[row] = Value(row_at, index)
        host.values[column] = Value(column_at, index)
        host.side_by_side, host.lanes = (column, lanes) if lanes > 1 else (None, 1)

    def write_op(self, op: Operation) -> None:
        """Writes an op of the finish."""
        if isinstance(op, StoreOp):
            self.host.store(op)
        elif not isinstance(op, YieldOp):
            self.host.values[op.results[0]] = self.host.evaluate(op)


def lies_in_rows(op: LoadOp, row: SSAValue, column: SSAValue) -> bool:
    """Whether a load has for each row of totals a row of elements side by side."""
    at = op.at
    plain = all(isinstance(each.type, IndexType) for each in at.indices)
    return plain and at.panel is None and row in at.indices and at.step(column) == 1
