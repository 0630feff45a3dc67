"""Tell how many rows of a tile are many: B is made numbers once for all of them."""

from __future__ import annotations

from .ops.tile import TileOp

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
