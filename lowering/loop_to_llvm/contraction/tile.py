"""
Write a `loop.tile` without a schedule: operands are read where they lie.

    for columns, NR at a time
        for rows, MR at a time
            the k-loop and the epilogue of MR x NR accumulators

Rows and columns left over are computed by smaller register tiles.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import i64

from ....dialects.loop import TileOp, can_mask
from ..text.types import Value
from .dot_tile import DotTile, dots_of, waits
from .pair_tile import PairTile, pairs_of
from .partition import Part, partition_range, partition_rows
from .register_tile import KernelHost, RegisterTile, Shape
from .square_tile import SquareTile
from .word_tile import Words, WordTile, find_words


def write_tile(host: KernelHost, op: TileOp) -> None:
    """Writes the loops over columns, and within them those over rows."""
    assert host.scope.lanes.count == 1, "a tile is not inside a vector"
    _, column_count, *_ = op.sizes
    rows, columns, lanes = op.register_tile
    w, done, words = host.w, "0", find_words(host, op)
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
            _write_rows(host, op, at, Shape(rows, vectors, wide), words=words)
            return ()

        w.loop(done, stop, step, (), column)
        done = stop
    left = w.minus(end, done)
    if is_masked and left != "0":

        def masked() -> list[Value]:
            _write_rows(host, op, done, Shape(rows, 1, lanes), left)
            return []

        w.branch(w.below("0", left), masked, list)


def _can_mask(host: KernelHost, op: TileOp) -> bool:
    """Whether the columns left may be the first lanes of a vector."""
    return all(
        can_mask(block.ops, block.args[1], host.target)
        for block in (op.k_loop.block, op.epilogue.block)
    )


def _kind_of(host: KernelHost, op: TileOp, lanes: int) -> type[RegisterTile]:
    """How the accumulators of a register tile are written."""
    if op.side > 1:
        return SquareTile
    if pairs_of(host.target, op, lanes) is not None:
        return PairTile
    has_waiting = any(waits(host.target, each) for each in dots_of(op))
    return DotTile if has_waiting else RegisterTile


def _write_rows(
    host: KernelHost,
    op: TileOp,
    column: str,
    shape: Shape,
    valid: str = "",
    words: Words | None = None,
) -> None:
    """Writes the register tiles of all rows at one column, or at the valid ones."""
    shared = op.split is not None and op.split.data == "rows"
    if words is not None and not words.fit(shape):
        words = None
    if words is None:
        parts = partition_rows(host.w, op.sizes[0], shape.rows, shared)
    else:
        parts = _partition_words(host, op, words, column)
    kind = _kind_of(host, op, shape.lanes)
    for rows, start, stop in parts:

        def row(at: str, _: list[Value], rows: int = rows) -> Sequence[Value]:
            own = Shape(rows, shape.vectors, shape.lanes)
            if words is not None and words.fit(own):
                tile = WordTile(host, op, words, (at, column))
            else:
                tile = kind(host, op, own, at, column)
            if valid:
                tile.mask(valid)
            tile.write()
            return ()

        host.w.loop(start, stop, rows, (), row)


def _partition_words(
    host: KernelHost, op: TileOp, words: Words, column: str
) -> list[Part]:
    """
    The tiles of all rows at one column, or of this thread's. Where rows fill two tile
    registers and more, this writes the words of B, and tiles are as large as those.
    """
    w, mr = host.w, words.tiles.rows
    start, end = "0", w.size(op.sizes[0])
    if op.split is not None and op.split.data == "rows":
        start, end = w.share(end, mr)

    def tiles() -> list[Value]:
        WordTile(host, op, words, (start, column)).store_words()
        return [Value(w.add(start, w.whole(w.minus(end, start), mr)), i64)]

    many = w.below(str(2 * mr - 1), w.minus(end, start))
    (stop,) = w.branch(many, tiles, lambda: [Value(start, i64)])
    return [(mr, start, stop.text), *partition_range(w, stop.text, end, mr // 2)]
