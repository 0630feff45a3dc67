"""
Write a tile whose totals are in registers of matrices: up to 32 rows by 32 columns.

    totals of 16 by 16 are cleared, or loaded as they were kept after the block before
    for 32 steps at a time
        load 16 copied rows, and 16 columns of a panel of pairs, as often as totals need
        add the products of each to its total
    totals go to scratch memory, and from there through the finish of the tile

Where fewer than 16 rows are left the registers hold others as well, whatever they are;
a total depends on its own row alone, and theirs are not stored. Steps after the last
are zeros in both factors: else what lies there might be infinite.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from ....dialects.dims import Dim
from ....dialects.loop.isa import WORD, TileGeometry
from ..isa.instructions import TileRegisters, write_zeros
from ..text.function import FunctionWriter
from ..text.types import Value
from .blocks import Blocks, Depth, Place
from .edge_tile import Edge
from .prefetch import fetch_finish
from .tile import BlockWriter, Shape

ZERO = "0x0000000000000000"
"""What totals begin with where they are cleared."""


def deal_matrices(
    w: FunctionWriter, count: Dim, tall: int, tiles: TileGeometry, shared: bool
) -> list[tuple[int, str, str]]:
    """
    The heights of the tiles for so many rows, and where the rows of each begin and end:
    as tall as they may be, and a last one of 16. The last of a height may have fewer
    rows than it has room for.
    """
    start, end = "0", w.size(count)
    if shared:
        start, end = w.share(end, tall)
    if tall == tiles.rows:
        return [(tall, start, end)]
    # Of more than 16 rows that are left, a tile of 32 takes all.
    whole = w.whole(w.add(w.minus(end, start), str(tiles.rows - 1)), tall)
    middle = w.least(w.add(start, whole), end)
    return [(tall, start, middle), (tiles.rows, middle, end)]


@dataclass(frozen=True)
class MatrixTile:
    """One tile: where it is, the steps of its block, its rows and columns."""

    blocks: Blocks
    at: Place
    depth: Depth
    size: tuple[int, int]

    @property
    def tiles(self) -> TileGeometry:
        """The size of the registers."""
        tiles = self.blocks.tiles
        assert tiles is not None, "totals are in tile registers"
        return tiles

    @property
    def parts(self) -> list[tuple[int, int, int]]:
        """The totals: the number of the register, its row and its column."""
        tiles, (tall, wide) = self.tiles, self.size
        rows, columns = tall // tiles.rows, wide // tiles.columns
        return [
            (row * columns + column, row * tiles.rows, column * tiles.columns)
            for row in range(rows)
            for column in range(columns)
        ]

    @property
    def lies_evenly(self) -> bool:
        """Whether rows of the result are all as far apart; not in a padded image."""
        store = self.blocks.op.store
        return store is not None and store.at.panel is None

    @property
    def registers(self) -> TileRegisters:
        """The registers."""
        return self.blocks.registers

    def write(self, panel: str, apart: str, left: str) -> None:
        """Writes the tile, of which so many rows are left, from its first panel on."""
        blocks, w = self.blocks, self.blocks.w
        tall, wide = self.size
        shape = Shape(tall, wide // blocks.lanes, blocks.lanes)
        block = BlockWriter(blocks.host, blocks.op, shape)
        block.place(self.at.row, self.at.column)
        columns = str(wide)
        if blocks.has_edge:
            valid = w.minus(w.size(blocks.column_count), self.at.column)
            columns = w.least(valid, columns)
        left = w.least(left, str(tall))
        edge = Edge(blocks, block, self.at, (left, columns), wide)
        whole = "false"
        if self.lies_evenly:
            whole = w.both([w.same(left, str(tall)), w.same(columns, str(wide))])
        w.branch(
            self.depth.first,
            self.clear,
            lambda: w.branch(whole, lambda: self.load(block), lambda: self.fetch(edge)),
        )
        fetch_finish(blocks, block)
        self.steps(panel, apart)

        def finish() -> list[Value]:
            self.spill()
            return edge.finish()

        def keep_some() -> list[Value]:
            self.spill()
            return edge.keep()

        w.branch(
            self.depth.last,
            finish,
            lambda: w.branch(whole, lambda: self.keep(block), keep_some),
        )

    def clear(self) -> list[Value]:
        """Writes that totals begin."""
        blocks = self.blocks
        initial = blocks.host.values[blocks.op.initial]
        if initial.text == ZERO:
            for number, _, _ in self.parts:
                self.registers.clear(number)
            return []
        line = blocks.w.splat(initial, blocks.lanes)
        for each in range(0, self.size[0] * self.size[1], blocks.lanes):
            blocks.host.put(line, blocks.at(blocks.edge, str(each)))
        return self.unspill()

    def fetch(self, edge: Edge) -> list[Value]:
        """Writes the loads of kept totals, some of which are none."""
        edge.fetch()
        return self.unspill()

    def kept(self, block: BlockWriter, row: int, column: int) -> tuple[str, str]:
        """Where totals are kept whose first is this one, and the bytes of a row."""
        blocks, w = self.blocks, self.blocks.w
        store = blocks.op.store
        assert store is not None, "totals are kept where one store puts them"
        rows, columns = (
            w.add(at, str(by))
            for at, by in ((self.at.row, row), (self.at.column, column))
        )
        block.stand(rows, columns, 1)
        step = store.at.step(blocks.op.finish.block.args[0])
        return block.kept_at(), w.mul(w.size(step), "4")

    def load(self, block: BlockWriter) -> list[Value]:
        """Writes the loads of kept totals."""
        for number, row, column in self.parts:
            self.registers.load(number, *self.kept(block, row, column))
        return []

    def keep(self, block: BlockWriter) -> list[Value]:
        """Writes the stores of totals that go on in the next block."""
        for number, row, column in self.parts:
            self.registers.store(number, *self.kept(block, row, column))
        return []

    def scratch(self, row: int, column: int) -> tuple[str, str]:
        """Where totals are in scratch memory, and the bytes of a row there."""
        wide = self.size[1]
        place = self.blocks.at(self.blocks.edge, str(row * wide + column))
        return place, str(4 * wide)

    def spill(self) -> None:
        """Writes the stores of all totals to scratch memory."""
        for number, row, column in self.parts:
            self.registers.store(number, *self.scratch(row, column))

    def unspill(self) -> list[Value]:
        """Writes the loads of all totals from scratch memory."""
        for number, row, column in self.parts:
            self.registers.load(number, *self.scratch(row, column))
        return []

    def steps(self, panel: str, apart: str) -> None:
        """Writes the steps of the block."""
        blocks, w = self.blocks, self.blocks.w
        row = w.mul(self.at.row_in_block, str(blocks.pitch))
        rows = blocks.at(blocks.row_copy, row, blocks.isa.element)
        count = blocks.steps_of(self.depth)
        whole = w.whole(count, blocks.isa.k)

        def columns(flat: str) -> list[str]:
            lines, found = w.mul(flat, str(blocks.width)), list[str]()
            for column in range(0, self.size[1], self.tiles.columns):
                number, inside = divmod(column, blocks.width)
                offset = w.add(
                    w.mul(apart, str(number)), str(blocks.isa.k_group * inside)
                )
                found.append(blocks.at(panel, w.add(lines, offset), blocks.isa.element))
            return found

        def step(flat: str, _: list[Value]) -> list[Value]:
            self.multiply(rows, flat, columns(flat), WORD // 8 * blocks.width)
            return []

        def last_steps() -> list[Value]:
            copy = self.fill_up(columns, whole, rest)
            self.multiply(rows, whole, copy, self.tiles.row_bytes)
            return []

        w.loop("0", whole, blocks.isa.k, (), step)
        rest = w.minus(count, whole)
        w.branch(w.same(rest, "0"), list, last_steps)

    def fill_up(
        self, columns: Callable[[str], list[str]], whole: str, rest: str
    ) -> list[str]:
        """Writes a copy of the columns of so many last steps, and zeros after them."""
        blocks, w = self.blocks, self.blocks.w
        tiles, isa = self.tiles, blocks.isa
        bytes, count = tiles.rows * tiles.row_bytes, self.size[1] // tiles.columns
        copy = w.entered(f"alloca [{bytes * count} x i8], align 64")
        write_zeros(w, copy, tiles.rows * count, tiles.row_bytes)
        copies = [
            blocks.at(copy, str(each * bytes // 2), isa.element)
            for each in range(count)
        ]

        def pair(at: str, _: list[Value]) -> list[Value]:
            sources = columns(w.add(whole, w.mul(at, str(isa.k_group))))
            for source, place in zip(sources, copies, strict=True):
                line = w.emit(f"load <16 x i32>, ptr {source}, align 2")
                to = blocks.at(
                    place, w.mul(at, str(isa.k_group * tiles.columns)), isa.element
                )
                w.do(f"store <16 x i32> {line}, ptr {to}, align 2")
            return []

        w.loop("0", w.div(rest, isa.k_group), 1, (), pair)
        return copies

    def multiply(self, rows: str, flat: str, columns: list[str], apart: int) -> None:
        """Writes one multiplication for each total; columns' rows are bytes apart."""
        blocks, registers, tiles = self.blocks, self.registers, self.tiles
        tall = self.size[0] // tiles.rows
        down = tall * len(columns)
        across = down + tall
        for row in range(tall):
            start = blocks.w.add(flat, str(row * tiles.rows * blocks.pitch))
            place = blocks.at(rows, start, blocks.isa.element)
            registers.load(down + row, place, str(2 * blocks.pitch))
        for column, place in enumerate(columns):
            number = across + column % (tiles.count - across)
            registers.load(number, place, str(apart))
            for row in range(tall):
                total = row * len(columns) + column
                registers.multiply(total, down + row, number)
