"""
Write prefetches: of panels of B, and of what the epilogue of a tile takes.

A panel is read for all rows of a block, and each register tile of them prefetches a
part of the next panel into the second cache; and into the first, rows of its own.

Where the epilogue adds the result of another kernel, the k-loop is time enough to bring
that into the first cache; and the lines that it stores, where there are more of them
than the caches hold.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.ir import Attribute

from ....dialects import product
from ....dialects.loop import (
    LINE,
    LoadOp,
    ScheduleAttr,
    StoreOp,
    byte_count,
    element_type,
)
from ..text.function import FunctionWriter
from ..text.scope import SCALAR
from ..text.types import memory_text
from .blocks import Blocks, Position
from .register_tile import RegisterTile, Shape


@dataclass(frozen=True)
class Panel:
    """Where the first panel of a register tile begins, and how far the next is."""

    start: str
    pitch: str


@dataclass(frozen=True)
class PanelPrefetch:
    """Prefetches a part of the next panel, a number of bytes for each k."""

    w: FunctionWriter
    base: str
    bytes: int

    @staticmethod
    def of(
        blocks: Blocks, position: Position, panel: Panel, ahead: int = 1
    ) -> PanelPrefetch:
        """What a register tile prefetches of the panel so far ahead, if it does."""
        w = blocks.w
        if blocks.op.prefetch is None:
            return PanelPrefetch(w, "", 0)
        each = blocks.op.prefetch.value.data
        # A tile more or less than there are does not matter.
        tile = w.div(position.row_in_block, blocks.mr)
        inner = product(blocks.reduced[blocks.axis + 1 :])
        depth = blocks.kc or blocks.values_in_block * inner
        part = w.mul(tile, w.size(depth * each))
        pitch = w.mul(panel.pitch, str(ahead))
        start = _beyond(blocks, panel.start, pitch, blocks.b.element)
        base = w.emit(f"getelementptr i8, ptr {start}, i64 {part}")
        return PanelPrefetch(w, w.hidden(base), each)

    def write(self, k: str, count: int) -> None:
        """Writes the prefetches that belong to `count` k, one for each cache line."""
        for line in range(0, count * self.bytes, LINE):
            offset = self.w.add(self.w.mul(k, str(self.bytes)), str(line))
            here = self.w.emit(f"getelementptr i8, ptr {self.base}, i64 {offset}")
            self.w.do(f"call void @llvm.prefetch.p0(ptr {here}, i32 0, i32 2, i32 1)")


def prefetch_row(
    blocks: Blocks, panel: Panel, k: str, shape: Shape, type: Attribute
) -> None:
    """
    Writes prefetches of a row of panels of this type, if k ahead are prefetched: not
    beside the few rows that are left, or that are all of a run.
    """
    if blocks.op.ahead is None or shape.rows < ScheduleAttr.ROWS_AHEAD:
        return
    w = blocks.w
    row = w.mul(w.add(k, str(blocks.op.ahead.value.data)), str(blocks.nr))
    step = max(LINE // byte_count(type), 1)
    columns = shape.vectors * blocks.lanes
    for first in range(0, columns, blocks.nr):
        beside = w.mul(panel.pitch, str(first // blocks.nr))
        for inside in range(0, min(columns - first, blocks.nr), step):
            offset = w.add(row, w.add(beside, str(inside)))
            here = _beyond(blocks, panel.start, offset, type)
            w.do(f"call void @llvm.prefetch.p0(ptr {here}, i32 0, i32 3, i32 1)")


def _beyond(blocks: Blocks, base: str, offset: str, type: Attribute) -> str:
    """
    The address of an element that may lie beyond its memory: an `inbounds` one would be
    poison there.
    """
    line = f"getelementptr {memory_text(type)}, ptr {base}, i64 {offset}"
    return blocks.w.once(line)


def prefetch_epilogue(blocks: Blocks, tile: RegisterTile) -> None:
    """
    Writes prefetches of what the epilogue of a tile takes, before its k-loop; not of
    what lies at places that only the epilogue itself computes.
    """
    block = blocks.op.epilogue.block
    row, column, *_ = block.args
    kinds = LoadOp if blocks.op.fetches is None else LoadOp | StoreOp
    for op in block.ops:
        if not isinstance(op, kinds) or row not in op.at.indices:
            continue
        if op.at.is_computed_in(block):
            continue
        if dict(op.at.terms).get(column) == 1:
            for number in range(tile.shape.rows):
                with tile.at_position((number, 0)):
                    _prefetch_row(blocks, op, tile.shape)


def _prefetch_row(blocks: Blocks, op: LoadOp | StoreOp, shape: Shape) -> None:
    """Writes prefetches of one row of a tile that its epilogue loads or stores."""
    memory, bytes = blocks.host.memory, byte_count(element_type(op.buffer))
    with blocks.scope.inner(SCALAR):
        offset = memory.offsets(op.at).first
        start = memory.address(op.buffer, offset)
    writes = int(isinstance(op, StoreOp))
    for line in range(0, shape.vectors * shape.lanes * bytes, LINE):
        here = blocks.w.emit(f"getelementptr i8, ptr {start}, i64 {line}")
        hints = f"i32 {writes}, i32 3, i32 1"
        blocks.w.do(f"call void @llvm.prefetch.p0(ptr {here}, {hints})")
