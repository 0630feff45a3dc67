"""Tell which loops around a tile use one block of its factor B."""

from __future__ import annotations

from ...dialects import Dim
from ...dialects.loop import ForOp, LoadOp, TileOp


def loops_over(tile: TileOp, b: LoadOp) -> list[Dim]:
    """The sizes of the loops around a tile along which B stays the same."""
    same: list[Dim] = []
    for loop in tile.around:
        if loop.index in b.indices or _looks_up(loop, b):
            break
        same.append(loop.size)
    return same


def loops_in_blocks(tile: TileOp, b: LoadOp) -> list[Dim]:
    """
    The sizes of the loops around a tile that read B, in panels, where it lies: those
    along which it stays the same, or may do as it is looked up. What is looked up again
    is in the second cache then.
    """
    within: list[Dim] = []
    for loop in tile.around:
        if loop.index in b.indices:
            break
        within.append(loop.size)
    return within


def _looks_up(loop: ForOp, b: LoadOp) -> bool:
    """Whether B is at an index that a loop looks up."""
    found = {each for op in loop.looked_up for each in op.results}
    return not found.isdisjoint(b.indices)
