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

from ....dialects.loop import ForOp, TileOp
from ..text.types import Value
from .blocks import Blocks, ColumnBlock, KBlock, Position
from .microkernel import Microkernel, find_panel
from .packing import pack_a, pack_b
from .partition import partition_for_tile_registers, partition_rows
from .register_tile import Host
from .tile_registers import TileMicrokernel

_MOST_VECTORS = 8
"""
Vectors in a row of accumulators beside one row of A: as many chains of additions as
multiply-adds are in flight, two a cycle for four cycles (Haswell to Ice Lake, Zen).
"""


def write_blocks(host: Host, op: TileOp) -> None:
    """Writes a tile as its schedule says."""
    assert host.scope.lanes.count == 1, "a tile is not inside a vector"
    _BlockedWriter(Blocks(host, op)).write()


class _BlockedWriter:
    """Writes the blocks of one tile."""

    def __init__(self, blocks: Blocks):
        self.blocks, self.w = blocks, blocks.w
        self.host, self.op = blocks.host, blocks.op

    def write(self) -> None:
        """Writes the loop over blocks of NC columns, and all that is within."""
        w, nc = self.w, self.blocks.schedule.nc.data
        start, stop = "0", w.size(self.blocks.column_count)
        if self.blocks.shares("columns"):
            start, stop = w.share(stop, self.blocks.nr)

        def columns(start: str, _: list[Value]) -> Sequence[Value]:
            end = w.least(w.add(start, str(nc)), stop)
            self.write_k_blocks([], ColumnBlock(start, end))
            return ()

        w.loop(start, stop, nc, (), columns)

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
        most = self.blocks.schedule.kc.data

        def block(start: str, _: list[Value]) -> Sequence[Value]:
            count = w.least(str(most), self.w.minus(stop, start))
            if isinstance(bound, int) and bound % most == 0:
                count = str(most)
            ends = [*zip(outer, self.blocks.reduced, strict=False)]
            first = [self.w.same(each, "0") for each in (*outer, start)]
            last = [
                self.w.same(at, self.w.minus(w.size(size), "1")) for at, size in ends
            ]
            last.append(self.w.same(w.add(start, count), stop))
            self.write_k_block(
                columns,
                KBlock((*outer,), start, count, self.w.both(first), self.w.both(last)),
            )
            return ()

        # Where nothing is reduced there is one block, for the epilogue.
        if not isinstance(bound, int):
            stop_at_least = w.emit(f"call i64 @llvm.smax.i64(i64 {stop}, i64 1)")
        else:
            stop_at_least = stop
        w.loop("0", stop_at_least, most, (), block)

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
                    self.write_over(rest, columns, block)
                return ()

            start, stop = "0", self.w.size(outer.size)
            if outer.split is not None:
                start, stop = self.w.share(stop, 1)
            self.w.loop(start, stop, 1, (), body)
            return
        count, shared = self.blocks.row_count, self.blocks.shares("rows")
        mr, tiles = self.blocks.mr, self.blocks.tiles
        if tiles is not None:
            parts = partition_for_tile_registers(self.w, count, mr, tiles, shared)
        else:
            parts = partition_rows(self.w, count, mr, shared)
        for mr, done, stop in parts:
            mc = max(self.blocks.schedule.mc.data // mr, 1) * mr

            def rows(
                start: str,
                _: list[Value],
                mr: int = mr,
                mc: int = mc,
                stop: str = stop,
            ) -> Sequence[Value]:
                end = self.w.least(self.w.add(start, str(mc)), stop)
                self.write_rows(columns, block, start, end, mr)
                return ()

            self.w.loop(done, stop, mc, (), rows)

    def write_rows(
        self, columns: ColumnBlock, block: KBlock, start: str, end: str, mr: int
    ) -> None:
        """Writes a block of rows, columns and k: panel by panel."""
        w, blocks = self.w, self.blocks
        # One row of A is read once for each panel: too little to pack it for.
        packed = bool(blocks.packed_a) and (mr > 1 or blocks.in_words)
        if packed:
            pack_a(blocks, block, start, end)
        rows = w.minus(end, start)
        count = w.minus(columns.stop, columns.start)
        done = "0"
        for panels in dict.fromkeys((self.panels_beside(mr), 1)):
            step = panels * blocks.nr
            stop = w.whole(count, step) if panels > 1 else count

            def panel(
                column: str, _: list[Value], panels: int = panels
            ) -> Sequence[Value]:
                def row(at: str, _: list[Value]) -> Sequence[Value]:
                    position = Position(
                        w.add(start, at), at, w.add(columns.start, column), column
                    )
                    if blocks.tiles is not None:
                        size, left = (mr, panels * blocks.nr), w.minus(rows, at)
                        tile = TileMicrokernel(blocks, position, block, size)
                        tile.write(find_panel(blocks, position, block), left)
                    else:
                        kernel = Microkernel(blocks, position, block, packed)
                        kernel.write(mr, panels)
                    return ()

                w.loop("0", rows, mr, (), row)
                return ()

            w.loop(done, stop, step, (), panel)
            done = stop

    def panels_beside(self, mr: int) -> int:
        """How many panels are computed at once beside so few rows."""
        blocks = self.blocks
        if blocks.tiles is not None:
            return max(blocks.tiles.capacity // mr // blocks.nr, 1)
        if mr == blocks.mr:
            return blocks.tile_columns // blocks.nr
        vectors = blocks.nr // blocks.lanes
        if mr == 1:
            return max(_MOST_VECTORS // vectors, 1)
        # As many registers as the full tile has for accumulators and a row of B.
        registers = (blocks.mr + 1) * (blocks.tile_columns // blocks.lanes)
        most = max(registers // (mr + 1) // vectors, 1)
        if isinstance(blocks.row_count, int):
            return most
        return self.even_panels(most, mr * vectors)

    def even_panels(self, most: int, accumulators: int) -> int:
        """
        How many panels are computed at once: fewer than the most where then none is
        left over, which would take a microkernel of its own, in no more steps and with
        enough accumulators.
        """
        columns, nr = self.blocks.column_count, self.blocks.nr
        if not isinstance(columns, int) or columns % nr:
            return most
        count = columns // nr
        steps = sum(divmod(count, most))
        for panels in range(most, 0, -1):
            enough = panels * accumulators >= _MOST_VECTORS
            if count % panels == 0 and count // panels <= steps and enough:
                return panels
        return most
