"""
Write the microkernel on tile registers (AMX): two tiles by two, or one by four.

    tiles of accumulators are cleared, or loaded as the block of k before stored them
    for as many k as an instruction takes
        load tiles of packed A and of panels of B, and multiply each with each
    accumulators are spilled to scratch memory, and go through the epilogue from there

Where fewer rows are left than a tile has, the others are computed from whatever packed
A holds: an accumulator depends on its own row alone, and theirs are not stored. After
the last k both factors are filled up with zeros, since what lies there might be
infinite.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from ....dialects.loop import VNNI_WORD_BITS, TileGeometry
from ..isa.instructions import TileRegisters, write_zeros
from ..text.index_arithmetic import is_number
from ..text.types import Value
from .blocks import Blocks, KBlock, Position
from .edge_tile import EdgeTile
from .late_epilogue import LateEpilogue
from .prefetch import Panel, PanelPrefetch, prefetch_epilogue
from .register_tile import RegisterTile, Shape

_ZEROS = ("0x0000000000000000", "0")
"""The texts of initial values with which accumulators are cleared."""


@dataclass(frozen=True)
class TileMicrokernel:
    """The microkernel at one position, for a number of rows and columns."""

    blocks: Blocks
    position: Position
    block: KBlock
    size: tuple[int, int]
    late: LateEpilogue | None = None
    """What writes the epilogue of the tile before, and later that of this one."""

    @staticmethod
    def late_of(
        blocks: Blocks, block: KBlock, size: tuple[int, int]
    ) -> LateEpilogue | None:
        """What lets epilogues wait for the next tile, where one block has all of k."""
        whole = blocks.w.whole(blocks.count_k(block), blocks.isa.k)
        is_one = block.first == block.last == "true"
        if blocks.tiles is None or not is_one or not is_number(whole) or whole == "0":
            return None
        return LateEpilogue(blocks, size)

    @property
    def tiles(self) -> TileGeometry:
        """The size of the registers."""
        tiles = self.blocks.tiles
        assert tiles is not None, "accumulators are in tile registers"
        return tiles

    @property
    def places(self) -> list[tuple[int, int, int]]:
        """Each tile of accumulators: its register, its row and its column."""
        tiles, (mr, columns) = self.tiles, self.size
        down, across = mr // tiles.rows, columns // tiles.columns
        return [
            (row * across + column, row * tiles.rows, column * tiles.columns)
            for row in range(down)
            for column in range(across)
        ]

    @property
    def has_pitch(self) -> bool:
        """Whether rows of the result are equally far apart; not in a padded image."""
        store = self.blocks.op.store
        return store is not None and store.at.blocked is None

    @property
    def registers(self) -> TileRegisters:
        """The registers."""
        return self.blocks.registers

    def write(self, panel: Panel, left: str) -> None:
        """Writes the microkernel, from its first panel on; `left` rows are left."""
        blocks, w = self.blocks, self.blocks.w
        mr, wide = self.size
        shape = Shape(mr, wide // blocks.lanes, blocks.lanes)
        position = self.position
        tile = RegisterTile(
            blocks.host, blocks.op, shape, position.row, position.column
        )
        columns = str(wide)
        if blocks.has_edge:
            valid = w.minus(w.size(blocks.column_count), position.column)
            columns = w.least(valid, columns)
        left = w.least(left, str(mr))
        edge = EdgeTile(blocks, tile, position, (left, columns), wide)
        whole = "false"
        if self.has_pitch:
            whole = w.both([w.same(left, str(mr)), w.same(columns, str(wide))])
        w.branch(
            self.block.first,
            self.clear,
            lambda: w.branch(
                whole, lambda: self.load(tile), lambda: self.load_valid(edge)
            ),
        )
        prefetch_epilogue(blocks, tile)
        self.write_k_loop(panel)

        def epilogue() -> list[Value]:
            self.spill()
            if self.late is None:
                return edge.write_epilogue()
            self.late.keep(position, (left, columns))
            return []

        def keep_valid() -> list[Value]:
            self.spill()
            return edge.keep()

        w.branch(
            self.block.last,
            epilogue,
            lambda: w.branch(whole, lambda: self.keep(tile), keep_valid),
        )

    def clear(self) -> list[Value]:
        """Writes the initial value of all accumulators."""
        blocks = self.blocks
        initial = blocks.scope[blocks.op.initial]
        if initial.text in _ZEROS:
            for register, _, _ in self.places:
                self.registers.clear(register)
            return []
        line = blocks.w.splat(initial, blocks.lanes)
        for each in range(0, self.size[0] * self.size[1], blocks.lanes):
            blocks.host.memory.put(line, blocks.at(blocks.spilled, str(each)))
        return self.unspill()

    def load_valid(self, edge: EdgeTile) -> list[Value]:
        """Writes the loads of stored accumulators, only some of them valid."""
        edge.load_valid()
        return self.unspill()

    def kept(self, tile: RegisterTile, row: int, column: int) -> tuple[str, str]:
        """Where a tile of accumulators is stored between blocks, and its pitch."""
        blocks, w = self.blocks, self.blocks.w
        store = blocks.op.store
        assert store is not None, "accumulators are kept where one store puts them"
        here = (
            w.add(self.position.row, str(row)),
            w.add(self.position.column, str(column)),
        )
        with tile.at(*here, 1):
            pitch = store.at.step(blocks.op.epilogue.block.args[0])
            return tile.kept_at(), w.mul(w.size(pitch), "4")

    def load(self, tile: RegisterTile) -> list[Value]:
        """Writes the loads of stored accumulators."""
        for register, row, column in self.places:
            self.registers.load(register, *self.kept(tile, row, column))
        return []

    def keep(self, tile: RegisterTile) -> list[Value]:
        """Writes the stores of accumulators that go on in the next block of k."""
        for register, row, column in self.places:
            self.registers.store(register, *self.kept(tile, row, column))
        return []

    def scratch(self, row: int, column: int) -> tuple[str, str]:
        """Where a tile of accumulators is spilled to, and its pitch there."""
        wide = self.size[1]
        here = self.blocks.at(self.blocks.spilled, str(row * wide + column))
        return here, str(4 * wide)

    def spill(self) -> None:
        """Writes the stores of all accumulators to scratch memory."""
        for register, row, column in self.places:
            self.registers.store(register, *self.scratch(row, column))

    def unspill(self) -> list[Value]:
        """Writes the loads of all accumulators from scratch memory."""
        for register, row, column in self.places:
            self.registers.load(register, *self.scratch(row, column))
        return []

    def write_k_loop(self, panel: Panel) -> None:
        """Writes the k-loop of the block."""
        blocks, w, isa = self.blocks, self.blocks.w, self.blocks.isa
        row = w.mul(self.position.row_in_block, str(blocks.a_pitch))
        rows = blocks.at(blocks.packed_a, row, isa.element)
        count = blocks.count_k(self.block)
        whole = w.whole(count, isa.k)

        def columns(k: str) -> list[str]:
            lines, found = w.mul(k, str(blocks.nr)), list[str]()
            for column in range(0, self.size[1], self.tiles.columns):
                number, inside = divmod(column, blocks.nr)
                pitch = w.mul(panel.pitch, str(number))
                offset = w.add(pitch, str(isa.k_group * inside))
                found.append(blocks.at(panel.start, w.add(lines, offset), isa.element))
            return found

        panels = self.size[1] // blocks.nr
        ahead = [
            PanelPrefetch.of(blocks, self.position, panel, panels + each)
            for each in range(panels)
        ]

        late = None if self.late is None else self.late.tile()

        def one_instruction(k: str, _: list[Value]) -> list[Value]:
            for each in ahead:
                each.write(k, isa.k)
            self.multiply(rows, k, columns(k), VNNI_WORD_BITS // 8 * blocks.nr)
            if self.late is not None and late is not None:
                count = -(-self.size[0] * isa.k // int(whole))
                self.late.write_rows(late, w.mul(w.div(k, isa.k), str(count)), count)
            return []

        def last_k() -> list[Value]:
            copy = self.fill_up(columns, whole, rest)
            self.multiply(rows, whole, copy, self.tiles.row_bytes)
            return []

        w.loop("0", whole, isa.k, (), one_instruction)
        rest = w.minus(count, whole)
        w.branch(w.same(rest, "0"), list, last_k)

    def fill_up(
        self, columns: Callable[[str], list[str]], whole: str, rest: str
    ) -> list[str]:
        """Writes copies of B for the last k, with zeros after them; their addresses."""
        blocks, w = self.blocks, self.blocks.w
        tiles, isa = self.tiles, blocks.isa
        bytes, count = tiles.rows * tiles.row_bytes, self.size[1] // tiles.columns
        copy = w.entered(f"alloca [{bytes * count} x i8], align 64")
        write_zeros(w, copy, tiles.rows * count, tiles.row_bytes)
        copies = [
            blocks.at(copy, str(each * bytes // isa.bytes), isa.element)
            for each in range(count)
        ]

        def words(at: str, _: list[Value]) -> list[Value]:
            sources = columns(w.add(whole, w.mul(at, str(isa.k_group))))
            for source, start in zip(sources, copies, strict=True):
                line = w.emit(
                    f"load <{tiles.columns} x i32>, ptr {source}, align {isa.bytes}"
                )
                row = w.mul(at, str(isa.k_group * tiles.columns))
                to = blocks.at(start, row, isa.element)
                w.do(
                    f"store <{tiles.columns} x i32> {line}, ptr {to}, align {isa.bytes}"
                )
            return []

        w.loop("0", w.div(rest, isa.k_group), 1, (), words)
        return copies

    def multiply(self, rows: str, k: str, columns: list[str], pitch: int) -> None:
        """Writes one instruction for each tile of accumulators; B has this pitch."""
        blocks, registers, tiles = self.blocks, self.registers, self.tiles
        down, across = self.size[0] // tiles.rows, len(columns)
        # Registers: accumulators, then tiles of A, then tiles of B in turn.
        a, b = down * across, down * across + down
        for row in range(down):
            start = blocks.w.add(k, str(row * tiles.rows * blocks.a_pitch))
            here = blocks.at(rows, start, blocks.isa.element)
            a_bytes = blocks.isa.bytes * blocks.a_pitch
            registers.load(a + row, here, str(a_bytes))
        for column, here in enumerate(columns):
            register = b + column % (tiles.count - b)
            registers.load(register, here, str(pitch))
            for row in range(down):
                registers.multiply(row * across + column, a + row, register)
