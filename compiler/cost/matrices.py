"""
Choose how a contraction is computed in registers of matrices (AMX), where it can be.

Rows are rounded and copied, 32 of them to a tile, 16 where there are no more or where
more would not fit the scratch memory. A block of steps is so deep that the accumulators
of a tile are seldom stored. It depends on what is reduced alone: each multiplication
adds up 32 steps before it adds them to the accumulator, from the start of the block on,
and sums must not depend on how many rows there are. So nothing is taken from a
preference.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import gcd

from ...dialects.dims import Dim, product
from ...dialects.loop.isa import Isa
from ...dialects.loop.ops.tile import TileOp
from ...dialects.loop.schedule import ScheduleAttr
from ...dialects.loop.target import TargetAttr
from .panels import KIB, SCRATCH, Choice, known, may_stop, swept, up

DEEP = 1024
"""Steps of a block, where accumulators can be kept between blocks."""

ROWS = SCRATCH // 2
"""Bytes on the stack that rows may be copied into."""


def choose_matrices(tile: TileOp, target: TargetAttr) -> Choice | None:
    """The schedule of a tile in registers of matrices; None where there can be none."""
    factors = tile.factors()
    rows, columns, *reduced = tile.sizes
    if factors is None or not reduced or 0 in tile.sizes:
        return None
    down, across = factors
    isa = target.isa(across.result.type)
    if isa is None or isa.tiles is None:
        return None
    geometry = isa.tiles
    panel = across.at.panel
    if across.at.pair is None or panel is None:
        return None
    # The widest panel is one whose accumulators beside one register of rows have
    # registers.
    if (
        panel.width % geometry.columns
        or panel.width * geometry.rows > geometry.capacity
    ):
        return None
    block = steps(tile, reduced, isa)
    if not tile.made_of(down) or block is None:
        return None
    axis, depth = block
    inner = product(reduced[axis + 1 :])
    assert isinstance(inner, int)
    row = (up(depth * inner, isa.k) + isa.k) * isa.bytes
    low = known(rows) <= geometry.rows or row * 2 * geometry.rows > ROWS
    low = low or panel.width > 2 * geometry.columns
    tall = geometry.rows if low else 2 * geometry.rows
    high = min(max(ROWS // row // tall, 1) * tall, up(known(rows), tall))
    over = swept(tile, across)
    wide = up(known(columns), panel.width)
    if known(product([rows, *over])) > high:
        # All rows use a block of columns while it is in the second cache.
        most = target.l2.data * KIB // 2 // (depth * inner * isa.bytes)
        wide = min(max(most // panel.width, 1) * panel.width, wide)
    schedule = ScheduleAttr.of(panel.width, high, wide, depth, axis, "rows", len(over))
    lanes = min(target.lanes(32), geometry.columns)
    return Choice(tall, min(2 * geometry.columns, wide), lanes, schedule)


def steps(tile: TileOp, reduced: Sequence[Dim], isa: Isa) -> tuple[int, int] | None:
    """The reduced index that is split into blocks, and the steps of a block."""
    whole, first = product(reduced), reduced[0]
    if not isinstance(whole, int) or not isinstance(first, int):
        return None
    if whole <= DEEP:
        return 0, first
    if not may_stop(tile):
        assert isa.tiles is not None
        bytes = up(whole, isa.k) * isa.bytes * isa.tiles.rows
        return (0, first) if bytes < ROWS else None
    for axis, size in enumerate(reduced):
        inner = product(reduced[axis + 1 :])
        assert isinstance(inner, int)
        assert isinstance(size, int)
        if inner <= DEEP:
            blocks = -(-size // max(DEEP // inner, 1))
            depth = -(-size // blocks)
            # Whole multiplications, if they are not many more.
            unit = isa.k // gcd(inner, isa.k)
            filled = min(up(depth, unit), size)
            return axis, filled if filled * inner <= 2 * DEEP else depth
    return None
