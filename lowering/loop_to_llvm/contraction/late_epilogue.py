"""
Write the epilogue of a tile of accumulators while the next tile is multiplied.

    the accumulators of a tile are spilled to scratch memory, and its place is kept
    for as many k as an instruction takes
        multiply tiles of the next accumulators
        some rows of the tile before go through the epilogue
    what is left in the end goes through the epilogue alone

Tile registers multiply by themselves for some 16 cycles an instruction; what vectors
compute meanwhile costs little. A processor looks some hundred instructions ahead, and
an epilogue is longer than that.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from .blocks import Blocks, Position
from .edge_tile import EdgeTile
from .register_tile import RegisterTile, Shape


@dataclass
class LateEpilogue:
    """Writes the epilogue of the tile that was spilled last, in a loop over tiles."""

    blocks: Blocks
    size: tuple[int, int]
    """The rows and columns of each tile of the loop."""

    @cached_property
    def slots(self) -> list[str]:
        """Where its row and column are kept, and how many of both are valid."""
        return [self.blocks.w.entered("alloca i64, align 8") for _ in range(4)]

    def begin(self) -> None:
        """Writes that there is no tile yet."""
        self.keep(Position("0", "0", "0", "0"), ("0", "0"))

    def keep(self, position: Position, valid: tuple[str, str]) -> None:
        """Writes that a tile was spilled, with these valid rows and columns."""
        values = position.row, position.column, *valid
        for slot, value in zip(self.slots, values, strict=True):
            self.blocks.w.do(f"store i64 {value}, ptr {slot}, align 8")

    def tile(self) -> EdgeTile:
        """Writes what is known of the tile that was spilled last."""
        blocks = self.blocks
        row, column, rows, columns = (
            blocks.w.emit(f"load i64, ptr {each}, align 8") for each in self.slots
        )
        mr, wide = self.size
        if not blocks.has_edge:
            columns = str(wide)
        shape = Shape(mr, wide // blocks.lanes, blocks.lanes)
        tile = RegisterTile(blocks.host, blocks.op, shape, row, column)
        position = Position(row, "0", column, "0")
        return EdgeTile(blocks, tile, position, (rows, columns), wide)

    def write_rows(self, tile: EdgeTile, start: str, count: int) -> None:
        """Writes the epilogue of `count` rows of the tile, as far as there are any."""
        w = self.blocks.w
        valid = tile.rows
        tile.rows = w.least(w.add(start, str(count)), valid)
        tile.write_epilogue_from(start)
        tile.rows = valid

    def end(self) -> None:
        """Writes the epilogue of the last tile."""
        self.tile().write_epilogue_from("0")
