"""
Write a `loop.tile` with a schedule: in blocks, from panels, with copies where it says.

    for columns in blocks
        for what is reduced in blocks
            copy the columns of the block into panels
            for rows in blocks, within the loops along which the columns stay the same
                copy the rows of the block side by side
                for panels
                    for as many rows as registers hold: totals, step by step

After the last step of all a total is finished; before, it is stored where the result
will be, and goes on from there in the next block. So a total is a chain of steps in the
order of the reduced indices, whatever the blocks.
"""

from __future__ import annotations

from collections.abc import Sequence

from ....dialects.loop.ops.for_loop import ForOp
from ....dialects.loop.ops.tile import TileOp
from ..text.types import Value
from .blocks import Blocks, Columns, Depth, Place
from .edge_tile import Edge
from .matrix import MatrixTile, deal_matrices
from .packing import copy_columns, copy_rows
from .pairs import PairWriter, Panels
from .prefetch import Ahead, fetch_finish
from .row_bases import row_bases, row_element
from .tile import BlockWriter, Host, Shape, deal
from .unroll import in_a_row, unrolled

WIDEST = 8
"""Vectors in a row of the widest tile: as many chains as multiply-adds in flight."""


def write_panels(host: Host, op: TileOp) -> None:
    """Writes a tile as its schedule says."""
    assert host.lanes == 1, "a tile is not inside a vector"
    side_by_side = host.side_by_side
    PanelWriter(Blocks(host, op)).write()
    host.side_by_side, host.lanes = side_by_side, 1


class PanelWriter:
    """Writes the blocks of one tile."""

    def __init__(self, blocks: Blocks):
        self.blocks, self.w = blocks, blocks.w
        self.host, self.op = blocks.host, blocks.op

    def write(self) -> None:
        """Writes the loops over blocks of columns, and all that is within."""
        w, block = self.w, self.blocks.schedule.columns.data
        start, stop = "0", w.size(self.blocks.column_count)
        if self.blocks.shares("columns"):
            start, stop = w.share(stop, self.blocks.width)

        def columns(start: str, _: list[Value]) -> Sequence[Value]:
            end = w.least(w.add(start, str(block)), stop)
            self.write_depths([], Columns(start, end))
            return ()

        w.loop(start, stop, block, (), columns)

    def write_depths(self, outer: Sequence[str], columns: Columns) -> None:
        """Writes the loops over blocks of what is reduced."""
        w, bound = self.w, self.blocks.reduced[len(outer)]
        stop = w.size(bound)
        if len(outer) < self.blocks.axis:

            def index(at: str, _: list[Value]) -> Sequence[Value]:
                self.write_depths([*outer, at], columns)
                return ()

            w.loop("0", stop, 1, (), index)
            return
        block = self.blocks.schedule.depth.data

        def steps(start: str, _: list[Value]) -> Sequence[Value]:
            count = w.least(str(block), self.w.minus(stop, start))
            if isinstance(bound, int) and bound % block == 0:
                count = str(block)
            ends = [*zip(outer, self.blocks.reduced, strict=False)]
            first = [self.w.same(each, "0") for each in (*outer, start)]
            last = [
                self.w.same(at, self.w.minus(w.size(size), "1")) for at, size in ends
            ]
            last.append(self.w.same(w.add(start, count), stop))
            self.write_depth(
                columns,
                Depth((*outer,), start, count, self.w.both(first), self.w.both(last)),
            )
            return ()

        # Where nothing is reduced, totals are finished all the same.
        if not isinstance(bound, int):
            stop_at_least = w.emit(f"call i64 @llvm.smax.i64(i64 {stop}, i64 1)")
        else:
            stop_at_least = stop
        w.loop("0", stop_at_least, block, (), steps)

    def write_depth(self, columns: Columns, depth: Depth) -> None:
        """Writes a block of columns and steps, for all rows."""
        if self.blocks.panel_copy:
            copy_columns(self.blocks, columns, depth)
        self.write_over([*self.op.over], columns, depth)

    def write_over(
        self, loops: Sequence[ForOp], columns: Columns, depth: Depth
    ) -> None:
        """Writes the loops along which the columns stay the same, and all rows."""
        if loops:
            *rest, outer = loops

            def body(at: str, _: list[Value]) -> Sequence[Value]:
                self.blocks.let(outer.index, at)
                self.write_over(rest, columns, depth)
                return ()

            start, stop = "0", self.w.size(outer.size)
            if outer.split is not None:
                start, stop = self.w.share(stop, 1)
            self.w.loop(start, stop, 1, (), body)
            return
        count, shared = self.blocks.row_count, self.blocks.shares("rows")
        if (tiles := self.blocks.tiles) is not None:
            parts = deal_matrices(self.w, count, self.blocks.tall, tiles, shared)
        else:
            parts = deal(self.w, count, self.blocks.tall, shared)
        for tall, done, stop in parts:
            most = max(self.blocks.schedule.rows.data // tall, 1) * tall

            def rows(
                start: str,
                _: list[Value],
                tall: int = tall,
                most: int = most,
                stop: str = stop,
            ) -> Sequence[Value]:
                end = self.w.least(self.w.add(start, str(most)), stop)
                self.write_rows(columns, depth, start, end, tall)
                return ()

            self.w.loop(done, stop, most, (), rows)

    def write_rows(
        self, columns: Columns, depth: Depth, start: str, end: str, tall: int
    ) -> None:
        """Writes a block of rows, columns and steps: panel by panel."""
        w = self.w
        copied = bool(self.blocks.row_copy) and (tall > 1 or self.blocks.in_words)
        if copied:
            copy_rows(self.blocks, depth, start, end)
        rows, wide = self.w.minus(end, start), self.blocks.width
        count = self.w.minus(columns.stop, columns.start)
        done = "0"
        for group in dict.fromkeys((self.group(tall), 1)):
            step = group * wide
            stop = self.w.whole(count, step) if group > 1 else count

            def panel(
                column: str, _: list[Value], group: int = group
            ) -> Sequence[Value]:
                def row(at: str, _: list[Value]) -> Sequence[Value]:
                    place = Place(
                        w.add(start, at), at, w.add(columns.start, column), column
                    )
                    if self.blocks.tiles is not None:
                        size, left = (tall, group * wide), self.w.minus(rows, at)
                        tile = MatrixTile(self.blocks, place, depth, size)
                        tile.write(*self.panel(place, depth), left)
                    else:
                        self.write_totals(place, depth, tall, group, copied)
                    return ()

                w.loop("0", rows, tall, (), row)
                return ()

            w.loop(done, stop, step, (), panel)
            done = stop

    def group(self, tall: int) -> int:
        """How many panels are computed at once beside so few rows."""
        if (tiles := self.blocks.tiles) is not None:
            return max(tiles.capacity // tall // self.blocks.width, 1)
        if tall == self.blocks.tall:
            return self.blocks.wide // self.blocks.width
        vectors = self.blocks.width // self.blocks.lanes
        if tall == 1:
            return max(WIDEST // vectors, 1)
        registers = (self.blocks.tall + 1) * (self.blocks.wide // self.blocks.lanes)
        return max(registers // (tall + 1) // vectors, 1)

    def write_totals(
        self, place: Place, depth: Depth, tall: int, group: int, copied: bool
    ) -> None:
        """Writes one tile of totals: where they start, the steps, where they go."""
        vectors = group * self.blocks.width // self.blocks.lanes
        shape = Shape(tall, vectors, self.blocks.lanes)
        block = BlockWriter(self.host, self.op, shape)
        block.place(place.row, place.column)
        partial, width = "false", self.blocks.width
        valid = str(width)
        if self.blocks.has_edge and group == 1:
            count = self.w.size(self.blocks.column_count)
            valid = self.w.minus(count, place.column)
            partial = self.w.emit(f"icmp slt i64 {valid}, {width}")
        edge = Edge(self.blocks, block, place, (str(tall), valid), width)
        initial = self.w.splat(self.host.values[self.op.initial], self.blocks.lanes)
        totals = self.w.branch(
            depth.first,
            lambda: [initial for _ in block.places],
            lambda: self.w.branch(
                partial, edge.load, lambda: [block.load(at) for at in block.places]
            ),
        )
        fetch_finish(self.blocks, block)
        totals = self.steps(place, depth, block, totals, copied)
        self.w.branch(
            depth.last,
            lambda: self.w.branch(
                partial, lambda: edge.finish(totals), lambda: block.finish(totals)
            ),
            lambda: self.w.branch(
                partial, lambda: edge.keep(totals), lambda: block.keep(totals)
            ),
        )

    def steps(
        self,
        place: Place,
        depth: Depth,
        block: BlockWriter,
        totals: list[Value],
        copied: bool,
    ) -> list[Value]:
        """Writes the steps of a block for one tile of totals; the totals after them."""
        w, host = self.w, self.host
        panel, apart = self.panel(place, depth)
        row = w.mul(place.row_in_block, str(self.blocks.pitch))
        rows = self.blocks.at(self.blocks.row_copy, row) if copied else ""
        bases = [] if copied else row_bases(self.blocks, depth, block.row_at)
        ahead = Ahead.of(self.blocks, place, panel, apart)
        *_, last, _ = self.op.step.block.args
        if self.blocks.across.at.pair is not None and panel:
            pairs = PairWriter(self.blocks, block, Panels(panel, apart, ahead))
            if copied and self.blocks.in_words:
                row_at = self.blocks.at(
                    self.blocks.row_copy, row, self.blocks.isa.element
                )
                return pairs.words(depth, row_at, totals)
            return pairs.two_by_two(depth, totals, self.multiply)

        def element(number: int, flat: str) -> Value:
            if copied:
                offset = w.add(flat, str(number * self.blocks.pitch))
                one = host.read(self.blocks.at(rows, offset), self.op.initial.type, 1)
            elif bases:
                one = row_element(self.blocks, bases[number])
            else:
                host.side_by_side, host.lanes = None, 1
                self.blocks.let(self.op.step.block.args[0], block.row_at[number])
                one = self.blocks.element(self.blocks.down)
            return w.splat(one, self.blocks.lanes)

        def step(flat: str, totals: Sequence[Value]) -> list[Value]:
            if panel:
                across = self.line(panel, apart, flat, block.shape.vectors)
            else:
                across = self.as_it_lies(block)
            results = list[Value]()
            for number, own in enumerate(block.by_row(totals)):
                results += self.multiply(element(number, flat), across, own)
            return results

        def steps(flat: str, count: int, totals: list[Value]) -> list[Value]:
            ahead.fetch(flat, count)
            index = None if copied else last
            return in_a_row(self.blocks, flat, count, totals, step, index)

        if not copied:
            return self.blocks.over(depth, totals, steps, unrolled)
        bound = self.blocks.steps_of(depth)
        return w.loop_by(unrolled(bound), bound, totals, steps)

    def line(self, panel: str, apart: str, flat: str, vectors: int) -> list[Value]:
        """Writes the loads of what panels have at a step."""
        w = self.w
        start, values = w.mul(flat, str(self.blocks.width)), list[Value]()
        for vector in range(vectors):
            number, inside = divmod(vector * self.blocks.lanes, self.blocks.width)
            offset = w.add(start, w.add(w.mul(apart, str(number)), str(inside)))
            values.append(self.of_panel(panel, offset))
        return values

    def of_panel(self, panel: str, offset: str) -> Value:
        """Writes the load of a vector of a panel, and what a step makes of it."""
        load, lanes = self.blocks.across, self.blocks.lanes
        if self.blocks.panel_copy:
            # What is copied is what the step makes of it.
            place = self.blocks.at(panel, offset)
            return self.host.read(place, self.op.initial.type, lanes)
        type = load.result.type
        place = self.blocks.at(panel, offset, type)
        return self.blocks.element(load, self.host.read(place, type, lanes))

    def as_it_lies(self, block: BlockWriter) -> list[Value]:
        """Writes the loads of columns that are neither in panels nor copied."""
        column, across = self.op.step.block.args[1], list[Value]()
        for at in block.column_at:
            self.blocks.let(column, at)
            self.host.side_by_side, self.host.lanes = column, self.blocks.lanes
            across.append(self.blocks.element(self.blocks.across))
        self.host.side_by_side, self.host.lanes = None, 1
        return across

    def multiply(
        self, down: Value, across: Sequence[Value], totals: Sequence[Value]
    ) -> list[Value]:
        """Writes one step of the totals of a row."""
        host, results = self.host, list[Value]()
        *_, so_far = self.op.step.block.args
        factors, rest = self.blocks.factors, self.blocks.rest
        for one, total in zip(across, totals, strict=True):
            host.values[so_far] = total
            host.values.update(zip(factors, (down, one), strict=True))
            for each in rest:
                host.values[each.results[0]] = host.evaluate(each)
            results.append(self.w.splat(host.values[self.op.next], self.blocks.lanes))
        return results

    def panel(self, place: Place, depth: Depth) -> tuple[str, str]:
        """Where a panel begins in a block of steps, if any, and how far the next is."""
        w, at = self.w, self.blocks.across.at
        if self.blocks.panel_copy:
            here = self.blocks.at(
                self.blocks.panel_copy,
                w.mul(place.column_in_block, str(self.blocks.deep)),
            )
            return here, str(self.blocks.deep * self.blocks.width)
        if at.panel is None:
            return "", "0"
        apart = w.size(at.panel.stride)
        self.blocks.enter(
            depth,
            [depth.start, *("0" for _ in self.blocks.reduced[self.blocks.axis + 1 :])],
        )
        self.blocks.let(self.op.step.block.args[1], "0")
        self.host.side_by_side, self.host.lanes = None, 1
        start, _, _ = self.host.place(at)
        number = w.div(place.column, self.blocks.width)
        start = w.add(start, w.mul(number, apart))
        return self.host.address(self.blocks.across.buffer, start), apart
