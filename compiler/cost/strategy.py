"""
Say in a word how a contraction is computed, of the ways that the schedule chooses from.

direct: B is a constant in panels, A is read where it lies. A convolution with its
    channels last reads its windows in the image.
gathered: B is a constant in panels, A is packed: the windows of a convolution, a block
    at a time.
copied: B is packed into panels. A convolution with its channels first packs the image.
widened: B is a constant in panels of bf16, and is packed as f32 a block at a time.
side-by-side: both factors move with the columns, and nothing is shared. A convolution
    with a filter for each channel.
streamed: few rows of A go by long lines of B, which are read where they lie.
plain: both are read where they lie; there is too little to compute for packing.
"""

from __future__ import annotations

from ...dialects.loop import TileOp


def strategy(tile: TileOp) -> str:
    """How a tile is computed, once its schedule is chosen."""
    factors, schedule = tile.factors(), tile.schedule
    if factors is None:
        column = tile.k_loop.block.args[1]
        moving = [each for each in tile.loads if column in each.indices]
        return "side-by-side" if len(moving) > 1 else "plain"
    if schedule is None:
        return "plain"
    _, b = factors
    if schedule.packs("b"):
        return "copied" if b.at.blocked is None else "widened"
    if b.at.blocked is None:
        return "streamed"
    return "gathered" if schedule.packs("a") else "direct"
