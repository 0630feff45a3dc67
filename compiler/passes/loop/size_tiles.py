"""
Choose the register tile of each `loop.tile`, and its schedule.

Here the target has 16 vector registers of 256 bits.

Before:

    loop.tile %i to 64, %j to 64, reduce %k to 32 from %zero : f32 k_loop (%sum) { … }

After:

    loop.tile %i to 64, %j to 64, reduce %k to 32 from %zero : f32 by 6, 16, 8 k_loop …

MR x NR accumulators, a row of B, an element of A and a spare must fit the registers;
the tile with the fewest loads for each multiply-add is taken, and a smaller one where
the result is smaller. Where the strategy of a contraction is to read B from panels,
`compiler/cost/blocking.py` chooses the blocks too, or for tile registers
`compiler/cost/tile_registers.py`, and they stand beside the tile:

    loop.tile %i to 64, %j to 64, … by 6, 16, 8 as #loop.schedule<nr = 16, …> k_loop …

Where a window slides along the rows, as in a depthwise convolution, and registers hold
what neighbouring rows share (`compiler/cost/window.py`), the tile `slides`:

    loop.tile %i to 56, %j to 64, … reduce %k to 3 … by 7, 16, 8 slides k_loop …

Where columns are apart in memory, as in a product of a matrix and a vector, squares of
them and of k are transposed in registers (`compiler/cost/squares.py`):

    loop.tile %i to 1, %j to 256, reduce %k to 512 … by 1, 8, 8 transposed 8 k_loop …

A kernel that has no `strategies` of its op, such as one for all sizes, gets them here.
What a kernel has under `preference` is taken in place of a rule, as far as there is
room. Bits do not depend on it, so that it may be chosen freely. With `most_rows` MR is
no more than that, where nothing is preferred: code of small tiles is written and
compiled sooner, and runs longer.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import (
    ArrayAttr,
    IntegerAttr,
    ModuleOp,
    UnitAttr,
    i64,
)
from xdsl.passes import ModulePass
from xdsl.utils.exceptions import VerifyException

from ....dialects.loop import (
    STRATEGIES,
    KernelOp,
    PreferenceAttr,
    StrategyAttr,
    TargetAttr,
    TileOp,
    preference_of,
    strategies_of,
    target_of,
)
from ...cost import (
    choose_blocking,
    choose_shape,
    choose_squares,
    choose_strategy,
    choose_tile_registers,
    choose_window,
)


@dataclass(frozen=True)
class SizeTiles(ModulePass):
    """Sets the shape of every tile."""

    name = "size-tiles"

    most_rows: int = 0
    """MR at most; 0 for as many rows as registers hold."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for kernel in op.ops:
            if not isinstance(kernel, KernelOp):
                continue
            tiles = [each for each in kernel.walk() if isinstance(each, TileOp)]
            target, preference = target_of(op), self._preference(kernel)
            strategies = strategies_of(kernel) or [
                choose_strategy(each, target, preference) for each in tiles
            ]
            if len(strategies) != len(tiles):
                raise VerifyException(
                    f"expected a strategy for each of {len(tiles)} tiles of "
                    f"@{kernel.sym_name.data}, got {len(strategies)}"
                )
            if tiles:
                kernel.attributes[STRATEGIES] = ArrayAttr(strategies)
            for tile, strategy in zip(tiles, strategies, strict=True):
                _size(tile, strategy, target, preference)

    def _preference(self, kernel: KernelOp) -> PreferenceAttr:
        """What a kernel prefers, or the most rows where it prefers none."""
        own = preference_of(kernel)
        if not self.most_rows or own.mr.data:
            return own
        return PreferenceAttr.of(**{**own.entries, "mr": self.most_rows})


def _size(
    tile: TileOp, strategy: StrategyAttr, target: TargetAttr, preference: PreferenceAttr
) -> None:
    """Sets the shape and the schedule of a tile."""
    packs_b = strategy.kind.data == "gemm"
    choice = choose_tile_registers(tile, target, packs_b)
    choice = choice or choose_blocking(tile, strategy, target, preference)
    if choice is None:
        shape = choose_shape(tile, target, preference)
        if (window := choose_window(tile, shape, target, preference)) is not None:
            shape, tile.slides = window, UnitAttr()
        elif (squares := choose_squares(tile, shape, target, preference)) is not None:
            shape, side = squares
            tile.transposed = IntegerAttr(side, i64)
    else:
        shape = choice.mr, choice.nr, choice.lanes
        tile.schedule = choice.schedule.with_pairs(strategy.pairs)
    tile.mr, tile.nr, tile.lanes = (IntegerAttr(each, i64) for each in shape)
