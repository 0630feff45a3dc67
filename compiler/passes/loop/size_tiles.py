"""
Choose how many rows and columns each `loop.tile` keeps in registers, and its schedule.

Here the target has 16 vector registers of 256 bits.

Before:

    loop.tile %i to 64, %j to 64, reduce %k to 32 from %zero : f32 step (%sum) { … }

After:

    loop.tile %i to 64, %j to 64, reduce %k to 32 from %zero : f32 by 6, 16, 8 step …

Accumulators, one vector of each operand and a spare must fit the registers; the tile
with the fewest loads for each multiplication is taken, and a narrower one where the
tile would be larger than what there is to compute. Where operands are read in panels,
because a constant was packed or because copying pays, `compiler/cost/panels.py` chooses
that and the blocks too, and writes it beside the tile:

    loop.tile %i to 64, %j to 64, … by 6, 16, 8 as #loop.schedule<panels = 16, …> step …

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
    FixedBitwidthType,
    IntegerAttr,
    ModuleOp,
    StringAttr,
    i64,
)
from xdsl.passes import ModulePass

from ....dialects.dims import Dim
from ....dialects.loop.ops.kernel import STRATEGY, KernelOp
from ....dialects.loop.ops.tile import TileOp
from ....dialects.loop.preference import OWN, PreferenceAttr, preference_of
from ....dialects.loop.target import TargetAttr, target_of
from ...cost.matrices import choose_matrices
from ...cost.panels import choose_panels, fits
from ...cost.strategy import strategy

MANY = 1 << 30
"""Rows or columns whose number only a run knows."""

WIDEST = 4
"""Vectors in a row of the widest tile."""

SPARE = 1
"""Registers left for addresses of constants and for what the epilogue needs."""


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
                note_strategy(kernel)

    def choose(
        self, tiles: Sequence[TileOp], target: TargetAttr, preference: PreferenceAttr
    ) -> None:
        """Sets the shape and the schedule of every tile."""
        for tile in tiles:
            choice = choose_matrices(tile, target)
            choice = choice or choose_panels(tile, target, preference)
            if choice is not None:
                shape = (choice.rows, choice.columns, choice.lanes)
                tile.rows, tile.columns, tile.lanes = (
                    IntegerAttr(each, i64) for each in shape
                )
                tile.schedule = choice.schedule
                continue
            rows, columns, *_ = tile.sizes
            type = tile.initial.type
            assert isinstance(type, FixedBitwidthType)
            shared = tile.factors() is not None
            bits = type.bitwidth
            shape = choose(rows, columns, bits, target, shared, preference)
            tile.rows, tile.columns, tile.lanes = (
                IntegerAttr(each, i64) for each in shape
            )


def note_strategy(kernel: KernelOp) -> None:
    """Notes at a kernel how its contractions are computed, in their order."""
    tiles = [each for each in kernel.walk() if isinstance(each, TileOp)]
    if tiles:
        names = ", ".join(strategy(each) for each in tiles)
        kernel.attributes[STRATEGY] = StringAttr(names)


def choose(
    rows: Dim,
    columns: Dim,
    bits: int,
    target: TargetAttr,
    shared: bool,
    preference: PreferenceAttr = OWN,
) -> tuple[int, int, int]:
    """
    Rows, columns and lanes of the tile for a result of so many rows and columns.

    Where no factor is shared by rows or columns, a tile takes a line as a whole if it
    can: then all that is read lies in a row.
    """
    lanes = target.lanes(bits)
    while isinstance(columns, int) and lanes > max(columns, 1):
        lanes //= 2
    # Whole vectors only: a block wider than the result would never run.
    vectors = max(columns // lanes, 1) if isinstance(columns, int) else MANY
    most = max(rows, 1) if isinstance(rows, int) else MANY
    most = min(most, preference.tall.data or most)
    best, shape = 0.0, (1, 1)
    first = 1 if shared or vectors > WIDEST else vectors
    widths: Sequence[int] = range(first, min(vectors, WIDEST) + 1)
    if fits(wanted := preference.panels.data, lanes, target):
        widths = [min(wanted // lanes, vectors)]
    for wide in widths:
        free = target.registers.data - wide - SPARE - 1
        tall = min(max(free // wide, 1), most)
        reuse = tall * wide / (tall + wide)
        if reuse > best:
            best, shape = reuse, (tall, wide)
    tall, wide = shape
    return tall, wide * lanes, lanes
