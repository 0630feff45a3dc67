"""Tell how many panels are computed at once beside few rows, and when B is packed."""

from __future__ import annotations

from ....dialects.loop import (
    FEW_ROWS,
    MANY_TILES,
    byte_count,
    element_type,
    packs_if_many,
    reads_if_few,
)
from .blocks import Blocks

_LINE_OF_B = 256
"""
Bytes that few rows read of a line of B, at least, before they go on to the next one:
with 128 a product with 2,048 lines of 512 bytes took 1.0 to 1.1 of the time in which B
was packed, with 64 1.1 to 1.7, with 256 0.5 (AVX2 and AVX-512 code on a Zen 4).
"""


def many_rows(blocks: Blocks) -> int:
    """The rows from which on a run packs B; 0 where all do, or none does."""
    if blocks.packed_b and packs_if_many(blocks.op):
        return MANY_TILES * blocks.mr
    if blocks.in_words or blocks.tiles is not None or not reads_if_few(blocks.op):
        return 0
    assert isinstance(blocks.column_count, int), "columns are whole panels"
    least = _LINE_OF_B // byte_count(element_type(blocks.b.buffer))
    least, rows = min(least, blocks.column_count), 1
    while rows < FEW_ROWS and panels_beside(blocks, rows) * blocks.nr >= least:
        rows += 1
    return rows if rows > 1 else 0


def panels_beside(blocks: Blocks, mr: int) -> int:
    """How many panels are computed at once beside so few rows."""
    if blocks.tiles is not None:
        return max(blocks.tiles.capacity // mr // blocks.nr, 1)
    if mr == blocks.mr:
        return blocks.tile_columns // blocks.nr
    vectors = blocks.nr // blocks.lanes
    # As many registers as the full tile has for accumulators and a row of B.
    registers = (blocks.mr + 1) * (blocks.tile_columns // blocks.lanes)
    most = blocks.op.in_flight if mr == 1 else registers // (mr + 1)
    return _even(blocks, max(most // vectors, 1))


def _even(blocks: Blocks, most: int) -> int:
    """How many panels at once, at most, so that few or none are left in the end."""
    if not isinstance(blocks.column_count, int):
        return most
    columns = blocks.column_count
    nc = min(columns, blocks.schedule.nc.data or columns)
    panels = -(-nc // blocks.nr)
    divisors = (each for each in range(most, most // 2, -1) if panels % each == 0)
    return next(divisors, min(most, panels))
