"""
Choose how a contraction is computed in tile registers (AMX), where it can be.

A is rounded and packed. MR is the rows of two tiles, or of one where there are no more
rows or where more would not fit the scratch memory; NR is the columns of a panel. KC is
so large that accumulators are seldom stored, and depends on what is reduced alone: an
instruction sums up many k before it adds them to an accumulator, from the start of the
block on, and sums must not depend on how many rows there are. So a preference counts
for nothing here.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import gcd

from ...dialects import Dim, product
from ...dialects.loop import Isa, LoadOp, ScheduleAttr, TargetAttr, TileOp
from .around import loops_in_blocks, loops_over
from .blocking import KIB, SCRATCH, Blocking, can_split_k
from .register_tile import round_up, size_or_open
from .words import isa_of

MOST_KC = 1024
"""KC where accumulators can be stored between blocks; chosen by hand, not measured."""

_MOST_PACKED_KC = 512
"""
The same where B is packed as well: with more, fewer columns fit the scratch memory, and
A is packed again for each block of them.
"""

PACKED_A = SCRATCH
"""Bytes on the stack that A may be packed into; half as many beside a packed B."""

_SMALL_B = 2
"""
First caches that all of B may fill where few rows are packed at a time, so that rows of
the result are written from end to end; measured (docs/performance.md, "AMX").
"""


def choose_tile_registers(
    tile: TileOp, target: TargetAttr, packs_b: bool = False
) -> Blocking | None:
    """
    The schedule of a tile in tile registers, where B is in panels or is packed; None
    where there can be none.
    """
    factors = tile.factors()
    rows, columns, *reduced = tile.sizes
    if factors is None or not reduced or 0 in tile.sizes:
        return None
    _, b = factors
    isa, panel = isa_of(tile, target, packs_b), b.at.blocked
    if isa is None or isa.tiles is None:
        return None
    geometry = isa.tiles
    nr = geometry.columns if panel is None else panel.width
    # The accumulators of a panel beside one tile of rows have registers.
    if nr % geometry.columns or nr * geometry.rows > geometry.capacity:
        return None
    room = PACKED_A if panel is not None else PACKED_A // 2
    block = _block_k(tile, reduced, isa, (most_kc(b), room))
    if block is None:
        return None
    axis, count = block
    kc = _in_words(reduced[axis + 1 :], count, isa.k_group)
    # Zeros fill up the k of the last instruction, which may be all of its k.
    pitch = round_up(kc, isa.k) + isa.k
    row = pitch * isa.bytes
    low = size_or_open(rows) <= geometry.rows or row * 2 * geometry.rows > room
    low = low or nr > 2 * geometry.columns
    mr = geometry.rows if low else 2 * geometry.rows
    wide = round_up(size_or_open(columns), nr)
    is_small = kc * wide * isa.bytes <= _SMALL_B * target.l1.data * KIB
    most = 1 if is_small else max(room // row // mr, 1)
    mc = min(most * mr, round_up(size_or_open(rows), mr))
    over = loops_over(tile, b) if panel is None else loops_in_blocks(tile, b)
    nc = wide
    if size_or_open(product([rows, *over])) > mc:
        # All rows use a block of B while it is in the second cache.
        most = target.l2.data * KIB // 2 // (kc * isa.bytes)
        nc = min(max(most // nr, 1) * nr, nc)
    packed = "a"
    if panel is None:
        line = round_up(kc, isa.k_group) * isa.bytes
        if line * nr > SCRATCH:
            return None
        packed, nc = "a and b", min(nc, SCRATCH // line // nr * nr)
    schedule = ScheduleAttr.of(nr, mc, nc, count, axis, packed, len(over), pitch - kc)
    lanes = min(target.lanes(32), geometry.columns)
    return Blocking(mr, min(2 * geometry.columns, nc), lanes, schedule)


def _in_words(inner: Sequence[Dim], count: int, many: int) -> int:
    """The k of a block of an index, the innermost one in whole words."""
    *others, last = [count, *inner]
    assert isinstance(last, int)
    kc = product([*others, round_up(last, many)])
    assert isinstance(kc, int)
    return kc


def most_kc(b: LoadOp) -> int:
    """KC at most where accumulators can be stored between blocks."""
    return _MOST_PACKED_KC if b.at.blocked is None else MOST_KC


def _block_k(
    tile: TileOp, reduced: Sequence[Dim], isa: Isa, limits: tuple[int, int]
) -> tuple[int, int] | None:
    """
    The reduced index that is split into blocks, and their size; the limits are the k of
    a block, and the bytes of packed A.
    """
    most, room = limits
    whole, first = product(reduced), reduced[0]
    if not isinstance(whole, int) or not isinstance(first, int):
        is_one = len(reduced) == 1 and can_split_k(tile)
        return (0, most) if is_one else None
    if whole <= most:
        return 0, first
    if not can_split_k(tile):
        assert isa.tiles is not None
        bytes = round_up(whole, isa.k) * isa.bytes * isa.tiles.rows
        return (0, first) if bytes < room else None
    for axis, size in enumerate(reduced):
        inner = product(reduced[axis + 1 :])
        assert isinstance(inner, int)
        assert isinstance(size, int)
        if inner <= most:
            blocks = -(-size // max(most // inner, 1))
            count = -(-size // blocks)
            # Whole instructions, if they are not many more.
            unit = isa.k // gcd(inner, isa.k)
            filled = min(round_up(count, unit), size)
            return axis, filled if filled * inner <= 2 * most else count
    return None
