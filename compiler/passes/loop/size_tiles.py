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
    FixedBitwidthType,
    IntegerAttr,
    ModuleOp,
    StringAttr,
    i64,
)
from xdsl.passes import ModulePass

from ....dialects import Dim
from ....dialects.loop import (
    OWN,
    STRATEGY,
    KernelOp,
    PreferenceAttr,
    TargetAttr,
    TileOp,
    preference_of,
    target_of,
)
from ...cost import choose_blocking, choose_tile_registers, fits, strategy

_MANY = 1 << 30
"""Rows or columns whose number only a run knows."""

_MOST_VECTORS = 4
"""Vectors in a row of the widest register tile."""

_SPARE = 1
"""Vector registers reserved for one temporary; the broadcast of A has another."""


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
            rows, columns, *_ = tile.sizes
            type = tile.initial.type
            assert isinstance(type, FixedBitwidthType)
            shared = tile.factors() is not None
            bits = type.bitwidth
            shape = _choose(rows, columns, bits, target, shared, preference)
            tile.mr, tile.nr, tile.lanes = (IntegerAttr(each, i64) for each in shape)


def _note_strategy(kernel: KernelOp) -> None:
    """Notes at a kernel how its contractions are computed, in their order."""
    tiles = [each for each in kernel.walk() if isinstance(each, TileOp)]
    if tiles:
        names = ", ".join(strategy(each) for each in tiles)
        kernel.attributes[STRATEGY] = StringAttr(names)


def _choose(
    rows: Dim,
    columns: Dim,
    bits: int,
    target: TargetAttr,
    shared: bool,
    preference: PreferenceAttr = OWN,
) -> tuple[int, int, int]:
    """
    MR, NR and lanes of the register tile for a result of so many rows and columns.

    Where no factor is shared by rows or columns, NR is a whole line if it can be: then
    all that is read is contiguous.
    """
    lanes = target.lanes(bits)
    while isinstance(columns, int) and lanes > max(columns, 1):
        lanes //= 2
    # Whole vectors only: a tile wider than the result would never run.
    most_vectors = max(columns // lanes, 1) if isinstance(columns, int) else _MANY
    most = max(rows, 1) if isinstance(rows, int) else _MANY
    most = min(most, preference.mr.data or most)
    best, shape = 0.0, (1, 1)
    first = 1 if shared or most_vectors > _MOST_VECTORS else most_vectors
    widths: Sequence[int] = range(first, min(most_vectors, _MOST_VECTORS) + 1)
    if fits(wanted := preference.nr.data, lanes, target):
        widths = [min(wanted // lanes, most_vectors)]
    for vectors in widths:
        free = target.registers.data - vectors - _SPARE - 1
        mr = min(max(free // vectors, 1), most)
        # Multiply-adds for each load of a vector of B or a broadcast of A.
        reuse = mr * vectors / (mr + vectors)
        if reuse > best:
            best, shape = reuse, (mr, vectors)
    mr, vectors = shape
    return mr, vectors * lanes, lanes
