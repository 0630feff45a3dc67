"""
Say in a word how a contraction is computed, of the ways that the schedule chooses from.

direct: columns are a constant in panels, rows are read where they lie. A convolution
    with its channels last reads its windows in the image.
gathered: columns are a constant in panels, rows are copied side by side: the windows of
    a convolution, a block at a time.
copied: columns are copied into panels. A convolution with its channels first copies the
    image.
widened: columns are a constant in panels of bf16, and made f32 a block at a time.
side-by-side: both factors move with the columns, and nothing is shared. A convolution
    with a filter for each channel.
streamed: a few rows go by long lines, as they lie.
plain: both are read as they lie; there is too little to compute for anything else.
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
    _, across = factors
    if schedule.copies_of("columns"):
        return "copied" if across.at.panel is None else "widened"
    if across.at.panel is None:
        return "streamed"
    return "gathered" if schedule.copies_of("rows") else "direct"
