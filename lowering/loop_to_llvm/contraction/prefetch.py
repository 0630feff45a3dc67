"""
Write fetches of what is read next: the next panel, and what the finish of a tile reads.

A panel is read by all rows of a block, and each tile of them fetches a part of the one
that comes next. With many rows the first tile, which waits for its panel, is one of
many; a block of few is where fetching ahead pays.

Where the result of another kernel is added to that of a tile, its steps are time enough
to bring it into the first cache.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.dialects.builtin import FixedBitwidthType

from ....dialects.dims import Dim
from ....dialects.loop.ops.memory import LoadOp
from ..text.function import FunctionWriter
from .blocks import Blocks, Place
from .tile import BlockWriter, Shape

LINE = 64
"""Bytes that a fetch brings."""

FEW_TILES = 40
"""Tiles of rows for which the next panel is fetched ahead, at most."""


@dataclass(frozen=True)
class Ahead:
    """Fetches a part of the next panel, so many bytes of it for each step."""

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

    def fetch(self, step: str, count: int) -> None:
        """Writes the fetches that belong to so many steps, a line of memory each."""
        for line in range(0, count * self.bytes, LINE):
            place = self.w.add(self.w.mul(step, str(self.bytes)), str(line))
            here = self.w.emit(f"getelementptr i8, ptr {self.base}, i64 {place}")
            self.w.do(f"call void @llvm.prefetch.p0(ptr {here}, i32 0, i32 2, i32 1)")


def fetch_finish(blocks: Blocks, block: BlockWriter) -> None:
    """Writes fetches of what the finish of a tile reads, before its steps."""
    row, column, *_ = blocks.op.finish.block.args
    for op in blocks.op.finish.block.ops:
        if not isinstance(op, LoadOp) or row not in op.at.indices:
            continue
        if dict(op.at.terms).get(column) == 1:
            for number in range(block.shape.rows):
                block.enter(blocks.op.finish.block, (number, 0))
                fetch_row(blocks, op, block.shape)


def fetch_row(blocks: Blocks, op: LoadOp, shape: Shape) -> None:
    """Writes fetches of one row of a tile that a load of its finish reads."""
    host, type = blocks.host, op.result.type
    assert isinstance(type, FixedBitwidthType)
    host.side_by_side, host.lanes = None, 1
    place, _, _ = host.place(op.at)
    start, bytes = host.address(op.buffer, place), max(type.bitwidth // 8, 1)
    for line in range(0, shape.vectors * shape.lanes * bytes, LINE):
        here = blocks.w.emit(f"getelementptr i8, ptr {start}, i64 {line}")
        blocks.w.do(f"call void @llvm.prefetch.p0(ptr {here}, i32 0, i32 3, i32 1)")


def tiles_in_block(rows: Dim, most: int, tall: int) -> int:
    """How many tiles of rows use a panel of a block."""
    return -(-(min(rows, most) if isinstance(rows, int) else most) // tall)
