"""Tell how many rows of a tile are many: for these B is packed, or made numbers."""

from __future__ import annotations

from .ops.tile import TileOp

FEW_ROWS = 8
"""Rows below which packing B does not pay, and that are streamed; chosen by hand."""

MANY_ROWS = 64
"""
Rows for which B is packed where the k-loop would widen it from bf16: then products are
as fast as in f32 (`docs/performance.md`, "Weights of bf16").
"""

MANY_TILES = 3
"""Full register tiles of rows for which B is packed where it is made of steps."""


def packs_if_many(tile: TileOp) -> bool:
    """
    Whether a run packs B only if it has many rows: B is made of steps, and the number
    of rows is not known before.
    """
    return bool(tile.beside) and not isinstance(tile.sizes[0], int)


def reads_if_few(tile: TileOp) -> bool:
    """
    Whether a run reads B where it is if it has few rows: the columns lie side by side,
    in whole panels, and the number of rows is not known before.
    """
    factors, schedule = tile.factors(), tile.schedule
    if factors is None or schedule is None or isinstance(tile.sizes[0], int):
        return False
    if tile.over or not schedule.packs("b") or tile.made_of(b := factors[1]):
        return False
    columns, column = tile.sizes[1], tile.k_loop.block.args[1]
    is_whole = isinstance(columns, int) and columns % schedule.nr.data == 0
    return is_whole and b.at.blocked is None and dict(b.at.terms).get(column) == 1
