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
from ....dialects.loop import TileOp
from ..text.types import Value
from .partition import partition_rows
from .register_tile import Host, RegisterTile, Shape


def write_tile(host: Host, op: TileOp) -> None:
    """Writes the loops over columns, and within them those over rows."""
    assert host.scope.lanes.count == 1, "a tile is not inside a vector"
    row_count, column_count, *_ = op.sizes
    rows, columns, lanes = op.register_tile
    w, done = host.w, "0"
    end = w.size(column_count)
    if op.split is not None and op.split.data == "columns":
        done, end = w.share(end, columns)
    widths = [(columns // lanes, lanes), (1, lanes), (1, 1)]
    for vectors, wide in dict.fromkeys(widths):
        step = vectors * wide
        stop = w.add(done, w.whole(w.minus(end, done), step))

        def column(at: str, _: list[Value], vectors: int = vectors, wide: int = wide):
            _write_rows(host, op, at, row_count, Shape(rows, vectors, wide))
            return ()

        w.loop(done, stop, step, (), column)
        done = stop


def _write_rows(host: Host, op: TileOp, column: str, count: Dim, shape: Shape) -> None:
    """Writes the register tiles of all rows at one column."""
    shared = op.split is not None and op.split.data == "rows"
    for rows, start, stop in partition_rows(host.w, count, shape.rows, shared):

        def row(at: str, _: list[Value], rows: int = rows) -> Sequence[Value]:
            own = Shape(rows, shape.vectors, shape.lanes)
            RegisterTile(host, op, own, at, column).write()
            return ()

        host.w.loop(start, stop, rows, (), row)
