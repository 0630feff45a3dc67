"""
Choose the register tile of each `loop.tile`, and its schedule.

Here the target has 16 vector registers of 256 bits.

Before:

    loop.tile %i to 64, %j to 64, reduce %k to 32 from %zero : f32 k_loop (%sum) { … }

After:

    loop.tile %i to 64, %j to 64, reduce %k to 32 from %zero : f32 by 6, 16, 8 k_loop …

MR x NR accumulators, a row of B, an element of A and a spare must fit the registers;
the tile with the fewest loads for each multiply-add is taken, and a smaller one where
the result is smaller. Where B is read from panels, because a constant was packed or
because packing pays, `compiler/cost/blocking.py` chooses the blocks too, or for tile
registers `compiler/cost/tile_registers.py`, and they stand beside the tile:

    loop.tile %i to 64, %j to 64, … by 6, 16, 8 as #loop.schedule<nr = 16, …> k_loop …

A kernel says in a word how each of its contractions is computed
(`compiler/cost/strategy.py`):

    loop.kernel @conv_1(…) attributes {strategy = "direct"} { … }

What a kernel has under `preference` is taken in place of a rule, as far as there is
room. Bits do not depend on it, so that it may be chosen freely.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import (
    IntegerAttr,
    ModuleOp,
    StringAttr,
    i64,
)
from xdsl.passes import ModulePass

from ....dialects.loop import (
    STRATEGY,
    KernelOp,
    PreferenceAttr,
    TargetAttr,
    TileOp,
    preference_of,
    target_of,
)
from ...cost import choose_blocking, choose_shape, choose_tile_registers, strategy


@dataclass(frozen=True)
class SizeTiles(ModulePass):
    """Sets the shape of every tile."""

    name = "size-tiles"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for kernel in op.walk():
            if not isinstance(kernel, KernelOp):
                continue
            tiles = [each for each in kernel.walk() if isinstance(each, TileOp)]
            if tiles:
                self.choose(tiles, target_of(op), preference_of(kernel))
                _note_strategy(kernel)

    def choose(
        self, tiles: Sequence[TileOp], target: TargetAttr, preference: PreferenceAttr
    ) -> None:
        """Sets the shape and the schedule of every tile."""
        for tile in tiles:
            choice = choose_tile_registers(tile, target)
            choice = choice or choose_blocking(tile, target, preference)
            if choice is not None:
                shape = (choice.mr, choice.nr, choice.lanes)
                tile.mr, tile.nr, tile.lanes = (
                    IntegerAttr(each, i64) for each in shape
                )
                tile.schedule = choice.schedule
                continue
            shape = choose_shape(tile, target, preference)
            tile.mr, tile.nr, tile.lanes = (IntegerAttr(each, i64) for each in shape)


def _note_strategy(kernel: KernelOp) -> None:
    """Notes at a kernel how its contractions are computed, in their order."""
    tiles = [each for each in kernel.walk() if isinstance(each, TileOp)]
    if tiles:
        names = ", ".join(strategy(each) for each in tiles)
        kernel.attributes[STRATEGY] = StringAttr(names)
