"""
Write fetches of the next panel into the second cache while this one is computed with.

A panel is read by all rows of a block, and each tile of them fetches a part of the one
that comes next. With many rows the first tile, which waits for its panel, is one of
many; a block of few is where fetching ahead pays.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.dialects.builtin import FixedBitwidthType

from ...dialects.dims import Dim
from .blocks import Blocks, Place
from .function import FunctionWriter

FEW_TILES = 40
"""Tiles of rows for which the next panel is fetched ahead, at most."""


@dataclass(frozen=True)
class Ahead:
    """Fetches a part of the next panel, so many bytes of it at each step."""

    w: FunctionWriter
    base: str
    bytes: int

    @staticmethod
    def of(blocks: Blocks, place: Place, panel: str, apart: str) -> Ahead:
        """What a tile of totals fetches; nothing where it does not pay."""
        w, type = blocks.w, blocks.across.result.type
        assert isinstance(type, FixedBitwidthType)
        tiles = tiles_in_block(blocks.row_count, blocks.schedule.rows.data, blocks.tall)
        if not panel or blocks.panel_copy or not 2 <= tiles <= FEW_TILES:
            return Ahead(w, "", 0)
        each = -(-blocks.width * (type.bitwidth // 8) // tiles)
        # A tile more or less than there are does not matter.
        part = w.mul(w.div(place.row_in_block, blocks.tall), str(each * blocks.deep))
        start = blocks.at(panel, apart, type)
        base = w.emit(f"getelementptr i8, ptr {start}, i64 {part}")
        return Ahead(w, base, each)

    def fetch(self, step: str) -> None:
        """Writes the fetch that belongs to a step."""
        if self.bytes:
            place = self.w.mul(step, str(self.bytes))
            here = self.w.emit(f"getelementptr i8, ptr {self.base}, i64 {place}")
            self.w.do(f"call void @llvm.prefetch.p0(ptr {here}, i32 0, i32 2, i32 1)")


def tiles_in_block(rows: Dim, most: int, tall: int) -> int:
    """How many tiles of rows use a panel of a block."""
    return -(-(min(rows, most) if isinstance(rows, int) else most) // tall)
