"""
Write a `loop.tile` with a schedule: in blocks that fit the caches, from packed panels.

    for columns, NC at a time
        for k, KC at a time
            pack B into panels of NR columns
            for rows, MC at a time, within the loops along which B stays the same
                pack A row by row
                for panels of NR columns
                    for rows, MR at a time: the microkernel

These are the loops around the microkernel of Goto and van de Geijn, "Anatomy of
High-Performance Matrix Multiplication" (2008), as Van Zee and van de Geijn order them
in "BLIS: A Framework for Rapidly Instantiating BLAS Functionality" (2015). The schedule
says what is packed, and blocks may be as large as the whole.

After the last block of k accumulators go through the epilogue; before, they are stored
where the result will be, and loaded again by the next block. So each is one chain of
additions in the order of k, whatever the blocks.
"""

from __future__ import annotations

from collections.abc import Sequence

from ....dialects import how_often
from ....dialects.loop import ForOp, TileOp
from ..text.index_arithmetic import is_number
from ..text.types import Value
from .blocks import Blocks, ColumnBlock, KBlock, Position, RowBlock
from .few_rows import many_rows, panels_beside
from .late_epilogue import LateEpilogue
from .microkernel import Microkernel, find_panel, write_zero_row
from .packing import pack_a, pack_b
from .partition import (
    Part,
    partition_for_tile_registers,
    partition_range,
    partition_rows,
)
from .register_tile import KernelHost
from .tile_registers import TileMicrokernel


def write_blocks(host: KernelHost, op: TileOp) -> None:
    """Writes a tile as its schedule says."""
    assert host.scope.lanes.count == 1, "a tile is not inside a vector"
    _BlockedWriter(Blocks(host, op)).write()


class _BlockedWriter:
    """Writes the blocks of one tile."""

    def __init__(self, blocks: Blocks):
        self.blocks, self.w = blocks, blocks.w
        self.host, self.op = blocks.host, blocks.op

    def write(self) -> None:
        """Writes all; where the number of rows decides if B is packed, both ways."""

        def whole() -> list[Value]:
            with self.blocks.whole():
                self.write_columns()
            return []

        def packed() -> list[Value]:
            self.write_columns()
            return []

        if many := many_rows(self.blocks):
            rows = self.w.size(self.blocks.row_count)
            self.w.branch(self.w.below(rows, str(many)), whole, packed)
        else:
            self.write_columns()

    def write_columns(self) -> None:
        """Writes the loop over blocks of NC columns, and all that is within."""
        w, nc = self.w, self.blocks.schedule.nc.data
        start, stop = "0", w.size(self.blocks.column_count)
        if self.blocks.shares("columns"):
            start, stop = w.share(stop, self.blocks.nr)

        def columns(start: str, _: list[Value]) -> Sequence[Value]:
            end = w.least(w.add(start, str(nc)), stop)
            self.write_k_blocks([], ColumnBlock(start, end))
            return ()

        if nc:
            w.loop(start, stop, nc, (), columns)
        else:
            self.write_k_blocks([], ColumnBlock(start, stop))

    def write_k_blocks(self, outer: Sequence[str], columns: ColumnBlock) -> None:
        """Writes the loops over blocks of k."""
        w, bound = self.w, self.blocks.reduced[len(outer)]
        stop = w.size(bound)
        if len(outer) < self.blocks.axis:

            def index(at: str, _: list[Value]) -> Sequence[Value]:
                self.write_k_blocks([*outer, at], columns)
                return ()

            w.loop("0", stop, 1, (), index)
            return
        most, depth = self.blocks.schedule.kc.data, self.blocks.values_in_block
        if depth == bound and not most:
            self.write_k_block(columns, self.whole_block(outer, stop))
            return
        size, blocks = w.size(depth), how_often(depth, bound)

        def block(start: str, _: list[Value]) -> Sequence[Value]:
            count = size if blocks else w.least(size, w.minus(stop, start))
            first = w.both([w.same(each, "0") for each in (*outer, start)])
            sizes = (w.size(each) for each in self.blocks.reduced)
            ends = [*zip(outer, sizes, strict=False)]
            last = [w.same(at, w.minus(size, "1")) for at, size in ends]
            last = w.both([*last, w.same(w.add(start, count), stop)])
            self.write_k_block(columns, KBlock((*outer,), start, count, first, last))
            return ()

        def numbered(number: str, _: list[Value]) -> Sequence[Value]:
            return block(w.mul(number, size), [])

        # Where nothing is reduced there is one block, for the epilogue.
        end = stop
        if not isinstance(bound, int):
            end = w.greatest(stop, "1")
        if most:
            w.loop("0", end, most, (), block)
            return
        count = str(blocks) if blocks else w.div(w.add(end, w.minus(size, "1")), size)
        w.loop("0", count, 1, (), numbered)

    def whole_block(self, outer: Sequence[str], stop: str) -> KBlock:
        """The block of all k, at the outer indices if there are any."""
        w = self.w
        sizes = (w.size(each) for each in self.blocks.reduced)
        ends = [w.minus(size, "1") for _, size in zip(outer, sizes, strict=False)]
        first = w.both([w.same(each, "0") for each in outer])
        last = w.both([w.same(*each) for each in zip(outer, ends, strict=True)])
        return KBlock((*outer,), "0", stop, first, last)

    def write_k_block(self, columns: ColumnBlock, block: KBlock) -> None:
        """Writes a block of columns and k, for all rows."""
        if self.blocks.packed_b:
            pack_b(self.blocks, columns, block)
        self.write_over([*self.op.over], columns, block)

    def write_over(
        self, loops: Sequence[ForOp], columns: ColumnBlock, block: KBlock
    ) -> None:
        """Writes the loops along which B stays the same, and all rows."""
        if loops:
            *rest, outer = loops

            def body(at: str, _: list[Value]) -> Sequence[Value]:
                with self.blocks.scope.inner():
                    self.blocks.set_index(outer.index, at)
                    for op in outer.looked_up:
                        value = self.host.evaluate(op)
                        self.blocks.scope.define(op.results[0], value)
                    self.write_over(rest, columns, block)
                return ()

            start, stop = "0", self.w.size(outer.size)
            if outer.split is not None:
                start, stop = self.w.share(stop, 1)
            self.w.loop(start, stop, 1, (), body)
            return
        self.write_all_rows(columns, block)

    def write_all_rows(self, columns: ColumnBlock, block: KBlock) -> None:
        """Writes all rows, or this thread's, at a block of columns and k."""
        w, blocks = self.w, self.blocks
        count, shared, mr = blocks.row_count, blocks.shares("rows"), blocks.mr
        if not isinstance(count, int) and blocks.tiles is None:
            start, stop = w.share(w.size(count), mr) if shared else ("0", w.size(count))
            mc = self.rows_at_once(mr)

            def rows(start: str, _: list[Value]) -> Sequence[Value]:
                end = w.least(w.add(start, str(mc)), stop)
                parts = partition_range(w, start, end, mr)
                self.write_rows(columns, block, start, end, parts)
                return ()

            w.loop(start, stop, mc, (), rows)
            return
        if blocks.tiles is not None:
            parts = partition_for_tile_registers(w, count, mr, blocks.tiles, shared)
        else:
            parts = partition_rows(w, count, mr, shared)
            if parts and isinstance(count, int) and count <= self.rows_at_once(mr):
                start, end = parts[0][1], parts[-1][2]
                self.write_rows(columns, block, start, end, parts)
                return
        for part in parts:
            self.write_part(columns, block, part)

    def rows_at_once(self, mr: int) -> int:
        """The rows of a block, in tiles of a height."""
        return max(self.blocks.schedule.mc.data // mr, 1) * mr

    def write_part(self, columns: ColumnBlock, block: KBlock, part: Part) -> None:
        """Writes a loop over blocks of about MC rows, in tiles of one height."""
        mr, done, stop = part
        mc = self.rows_at_once(mr)

        def rows(start: str, _: list[Value]) -> Sequence[Value]:
            end = self.w.least(self.w.add(start, str(mc)), stop)
            self.write_rows(columns, block, start, end, [(mr, start, end)])
            return ()

        self.w.loop(done, stop, mc, (), rows)

    def write_rows(
        self,
        columns: ColumnBlock,
        block: KBlock,
        start: str,
        end: str,
        parts: Sequence[Part],
    ) -> None:
        """
        Writes a block of rows, columns and k: some panels for all rows, then the next.
        """
        w, blocks = self.w, self.blocks
        # One row of A is read once for each panel: too little to pack it for.
        several = any(mr > 1 for mr, _, _ in parts)
        packed = bool(blocks.packed_a) and (several or blocks.in_words)
        if packed:
            pack_a(blocks, block, start, end)
        rows = RowBlock(start, packed)
        count = w.minus(columns.stop, columns.start)
        if len(parts) == 1:
            self.write_panels(columns, block, rows, parts[0], ("0", count))
            return
        step = max(panels_beside(blocks, mr) for mr, _, _ in parts) * blocks.nr

        is_whole = is_number(count) and int(count) % step == 0

        def group(first: str, _: list[Value]) -> Sequence[Value]:
            width = str(step)
            if not is_whole:
                width = w.least(width, w.minus(count, first))
            for part in parts:
                self.write_panels(columns, block, rows, part, (first, width))
            return ()

        w.loop("0", count, step, (), group)

    def write_panels(
        self,
        columns: ColumnBlock,
        block: KBlock,
        rows: RowBlock,
        part: Part,
        group: tuple[str, str],
    ) -> None:
        """
        Writes the tiles of one part of the rows over a range of columns: tiles of
        several panels as far as these go, then tiles of one panel.
        """
        w, blocks = self.w, self.blocks
        (mr, *_), (done, width) = part, group
        for panels in dict.fromkeys((panels_beside(blocks, mr), 1)):
            step = panels * blocks.nr
            whole = w.whole(width, step) if panels > 1 else width
            stop, width = w.add(done, whole), w.minus(width, whole)
            if whole == "0":
                continue
            size = mr, panels * blocks.nr
            late = TileMicrokernel.late_of(blocks, block, size)
            if late is not None:
                late.begin()

            def panel(
                column: str,
                _: list[Value],
                panels: int = panels,
                late: LateEpilogue | None = late,
            ) -> Sequence[Value]:
                here = column, panels
                return self.write_rows_beside(columns, block, rows, part, here, late)

            w.loop(done, stop, step, (), panel)
            if late is not None:
                late.end()
            done = stop

    def write_rows_beside(
        self,
        columns: ColumnBlock,
        block: KBlock,
        rows: RowBlock,
        part: Part,
        panels: tuple[str, int],
        late: LateEpilogue | None,
    ) -> list[Value]:
        """Writes the tiles of one part of the rows beside some panels at a column."""
        w, blocks = self.w, self.blocks
        (mr, *ends), (column, count) = part, panels
        first, end = (w.minus(each, rows.start) for each in ends)
        here = w.add(columns.start, column)

        def tiles(vectors: int) -> list[Value]:
            def row(at: str, _: list[Value]) -> Sequence[Value]:
                position = Position(w.add(rows.start, at), at, here, column)
                if blocks.tiles is not None:
                    size, left = (mr, count * blocks.nr), w.minus(end, at)
                    tile = TileMicrokernel(blocks, position, block, size, late)
                    tile.write(find_panel(blocks, position, block), left)
                else:
                    kernel = Microkernel(blocks, position, block, rows.packed)
                    kernel.write(mr, count, vectors)
                return ()

            return w.loop(first, end, mr, (), row)

        vectors = count * blocks.nr // blocks.lanes
        few = vectors // 2
        if blocks.zero_row and rows.packed:
            position = Position(rows.start, "0", here, column)
            write_zero_row(blocks, position, block, vectors)
        if not blocks.may_be_narrow or count > 1 or not few:
            return tiles(vectors)
        left = w.minus(w.size(blocks.column_count), here)
        is_narrow = w.emit(f"icmp sle i64 {left}, {few * blocks.lanes}")
        return w.branch(is_narrow, lambda: tiles(few), lambda: tiles(vectors))
