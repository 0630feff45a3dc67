"""
Choose how a contraction is computed in registers of matrices (AMX), where it can be.

Rows are rounded and copied, 32 of them to a tile, 16 where there are no more or where
more would not fit the scratch memory. A block of steps is so deep that the totals of a
tile are seldom stored. It depends on what is reduced alone: each multiplication adds up
32 steps before it adds them to the total, from the start of the block on, and sums must
not depend on how many rows there are. So nothing is taken from a preference.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import gcd

from ...dialects.dims import Dim, product
from ...dialects.loop.ops.tile import TileOp
from ...dialects.loop.schedule import ScheduleAttr
from ...dialects.loop.target import SIDE, STEPS, TOTALS, TargetAttr
from .panels import KIB, SCRATCH, Choice, known, may_stop, swept, up

DEEP = 1024
"""Steps of a block, where totals can be kept between blocks."""

ROWS = SCRATCH // 2
"""Bytes on the stack that rows may be copied into."""

WIDEST = TOTALS * SIDE
"""Columns of the widest panel, whose totals beside 16 rows the registers hold."""

BYTES = 2
"""Bytes of a step of a row: it is in bf16."""


def choose_matrices(tile: TileOp, target: TargetAttr) -> Choice | None:
    """The schedule of a tile in registers of matrices; None where there can be none."""
    factors = tile.factors()
    rows, columns, *reduced = tile.sizes
    if not target.has_matrices or factors is None or not reduced or 0 in tile.sizes:
        return None
    down, across = factors
    panel = across.at.panel
    if across.at.pair is None or panel is None:
        return None
    if panel.width % SIDE or panel.width > WIDEST:
        return None
    block = steps(tile, reduced)
    if not tile.made_of(down) or block is None:
        return None
    axis, depth = block
    inner = product(reduced[axis + 1 :])
    assert isinstance(inner, int)
    row = (up(depth * inner, STEPS) + STEPS) * BYTES
    low = known(rows) <= SIDE or row * 2 * SIDE > ROWS or panel.width > 2 * SIDE
    tall = SIDE if low else 2 * SIDE
    high = min(max(ROWS // row // tall, 1) * tall, up(known(rows), tall))
    over = swept(tile, across)
    wide = up(known(columns), panel.width)
    if known(product([rows, *over])) > high:
        # All rows use a block of columns while it is in the second cache.
        most = target.l2.data * KIB // 2 // (depth * inner * BYTES)
        wide = min(max(most // panel.width, 1) * panel.width, wide)
    schedule = ScheduleAttr.of(panel.width, high, wide, depth, axis, "rows", len(over))
    lanes = min(target.lanes(32), SIDE)
    return Choice(tall, min(2 * SIDE, wide), lanes, schedule)


def steps(tile: TileOp, reduced: Sequence[Dim]) -> tuple[int, int] | None:
    """The reduced index that is split into blocks, and the steps of a block."""
    whole, first = product(reduced), reduced[0]
    if not isinstance(whole, int) or not isinstance(first, int):
        return None
    if whole <= DEEP:
        return 0, first
    if not may_stop(tile):
        return (0, first) if up(whole, STEPS) * BYTES * SIDE < ROWS else None
    for axis, size in enumerate(reduced):
        inner = product(reduced[axis + 1 :])
        assert isinstance(inner, int)
        assert isinstance(size, int)
        if inner <= DEEP:
            blocks = -(-size // max(DEEP // inner, 1))
            depth = -(-size // blocks)
            # Whole multiplications, if they are not many more.
            unit = STEPS // gcd(inner, STEPS)
            filled = min(up(depth, unit), size)
            return axis, filled if filled * inner <= 2 * DEEP else depth
    return None
