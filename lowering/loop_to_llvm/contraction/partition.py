"""Partition the rows of a contraction into register tiles of at most MR rows."""

from __future__ import annotations

from ....dialects import Dim
from ....dialects.loop import TileGeometry
from ..text.function import FunctionWriter

Part = tuple[int, str, str]
"""The rows of each tile, and where the rows of these tiles begin and end."""


def partition_rows(w: FunctionWriter, count: Dim, mr: int, shared: bool) -> list[Part]:
    """
    The tiles of all rows, or of this thread's where they are shared.

    Of a known number of rows every tile gets as many as the others, or one more: so
    none is left with few. Of another number, tiles of MR rows take what they can, then
    tiles of the power of two below it, and so on: batches are often powers of two.
    """
    if isinstance(count, int):
        return _partition_evenly(w, count, mr, shared)
    start, end = "0", w.size(count)
    if shared:
        start, end = w.share(end, mr)
    return partition_range(w, start, end, mr)


def partition_range(w: FunctionWriter, start: str, end: str, mr: int) -> list[Part]:
    """The tiles of a range of rows that only the run knows."""
    parts: list[Part] = []
    while mr:
        stop = w.add(start, w.whole(w.minus(end, start), mr))
        parts.append((mr, start, stop))
        start, mr = stop, 1 << mr.bit_length() - 1 if mr & (mr - 1) else mr // 2
    return parts


def _partition_evenly(
    w: FunctionWriter, count: int, mr: int, shared: bool
) -> list[Part]:
    """The tiles of a known number of rows: those with one row more come first."""
    tiles = max(-(-count // mr), 1)
    low, more = divmod(count, tiles)
    first, last = w.share(str(tiles), 1) if shared else ("0", str(tiles))
    higher = [w.least(each, str(more)) for each in (first, last)]
    start, end = (
        w.add(w.mul(tile, str(low)), many)
        for tile, many in zip((first, last), higher, strict=True)
    )
    middle = w.add(start, w.mul(w.minus(higher[1], higher[0]), str(low + 1)))
    found = [(low + 1, start, middle)] if more else []
    return [*found, (low, middle, end)] if low else found


def partition_for_tile_registers(
    w: FunctionWriter, count: Dim, mr: int, tiles: TileGeometry, shared: bool
) -> list[Part]:
    """
    Tiles of MR rows, and a last one with the rows of one register.

    The last tile of either kind may have fewer rows than its registers have.
    """
    start, end = "0", w.size(count)
    if shared:
        start, end = w.share(end, mr)
    if mr == tiles.rows:
        return [(mr, start, end)]
    # Of more rows than one register has, a tile of MR takes all that are left.
    whole = w.whole(w.add(w.minus(end, start), str(tiles.rows - 1)), mr)
    middle = w.least(w.add(start, whole), end)
    return [(mr, start, middle), (tiles.rows, middle, end)]
