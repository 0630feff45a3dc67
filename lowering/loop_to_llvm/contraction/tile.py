"""
Write a `loop.tile` without a schedule: operands are read where they lie.

    for columns, NR at a time
        for rows, MR at a time
            the k-loop and the epilogue of MR x NR accumulators

Rows and columns left over are computed by smaller register tiles.
"""

from __future__ import annotations

from collections.abc import Sequence

from ....dialects import Dim
from ....dialects.loop import TileOp, can_mask
from ..text.types import Value
from .partition import partition_rows
from .register_tile import KernelHost, RegisterTile, Shape
from .square_tile import SquareTile


def write_tile(host: KernelHost, op: TileOp) -> None:
    """Writes the loops over columns, and within them those over rows."""
    assert host.scope.lanes.count == 1, "a tile is not inside a vector"
    row_count, column_count, *_ = op.sizes
    rows, columns, lanes = op.register_tile
    w, done = host.w, "0"
    end = w.size(column_count)
    if op.split is not None and op.split.data == "columns":
        done, end = w.share(end, columns)
    rest = [(1, 1)]
    if rows == 1:
        # An element is loaded for each column and k: fewer columns are less work.
        rest = [(1, lanes >> each) for each in range(1, lanes.bit_length())]
    is_masked = lanes > 1 and _can_mask(host, op)
    widths = [(columns // lanes, lanes), (1, lanes), *([] if is_masked else rest)]
    for vectors, wide in dict.fromkeys(widths):
        step = vectors * wide
        stop = w.add(done, w.whole(w.minus(end, done), step))

        def column(at: str, _: list[Value], vectors: int = vectors, wide: int = wide):
            _write_rows(host, op, at, row_count, Shape(rows, vectors, wide))
            return ()

        w.loop(done, stop, step, (), column)
        done = stop
    left = w.minus(end, done)
    if is_masked and left != "0":

        def masked() -> list[Value]:
            _write_rows(host, op, done, row_count, Shape(rows, 1, lanes), left)
            return []

        w.branch(w.below("0", left), masked, list)


def _can_mask(host: KernelHost, op: TileOp) -> bool:
    """Whether the columns left may be the first lanes of a vector."""
    return all(
        can_mask(block.ops, block.args[1], host.target)
        for block in (op.k_loop.block, op.epilogue.block)
    )


def _write_rows(
    host: KernelHost, op: TileOp, column: str, count: Dim, shape: Shape, valid: str = ""
) -> None:
    """Writes the register tiles of all rows at one column, or at the valid ones."""
    shared = op.split is not None and op.split.data == "rows"
    for rows, start, stop in partition_rows(host.w, count, shape.rows, shared):

        def row(at: str, _: list[Value], rows: int = rows) -> Sequence[Value]:
            own = Shape(rows, shape.vectors, shape.lanes)
            tile = (SquareTile if op.side > 1 else RegisterTile)(
                host, op, own, at, column
            )
            if valid:
                tile.mask(valid)
            tile.write()
            return ()

        host.w.loop(start, stop, rows, (), row)
