"""
Say in a word how a contraction is computed, of the ways that the schedule chooses from.

| strategy | columns | rows | what it is of a convolution |
| --- | --- | --- | --- |
| `direct` | a constant, in panels | as they lie | channels last: windows read in the image |
| `gathered` | a constant, in panels | copied side by side | windows copied, a block at a time |
| `copied` | copied into panels | as they lie, or copied | channels first: the image in panels |
| `streamed` | long lines, as they lie | few | a product with one row or a few |
| `side-by-side` | both factors move with them | | depthwise: no sum over channels |
| `plain` | as they lie | as they lie | too little to compute for anything else |
"""

from __future__ import annotations

from ...dialects.loop.ops.tile import TileOp


def strategy(tile: TileOp) -> str:
    """How a tile is computed, once its schedule is chosen."""
    factors, schedule = tile.factors(), tile.schedule
    if factors is None:
        column = tile.step.block.args[1]
        moving = [each for each in tile.loads if column in each.indices]
        return "side-by-side" if len(moving) > 1 else "plain"
    if schedule is None:
        return "plain"
    if schedule.copies_of("columns"):
        return "copied"
    _, across = factors
    if across.at.panel is None:
        return "streamed"
    return "gathered" if schedule.copies_of("rows") else "direct"
