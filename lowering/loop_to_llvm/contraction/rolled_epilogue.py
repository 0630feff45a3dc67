"""
Write an epilogue of long functions in a loop over the rows of a register tile.

    the accumulators are stored to scratch memory
    for some rows of the tile: vectors are loaded, and go through the epilogue

An exponential is some thirty instructions, and a tile of 12 x 32 has 24 vectors, twice
where there is an edge: written out one after the other they are most of a kernel, and
most of the time that LLVM takes for it. A store and a load of each vector are little
beside such a function; a processor looks ahead into the next rows.
"""

from __future__ import annotations

from collections.abc import Sequence

from ....dialects.loop import TileOp
from ..math import FUNCTIONS
from ..text.types import Value
from .blocks import Blocks
from .register_tile import RegisterTile, Shape

_AT_ONCE = 8
"""
Vectors that go through the epilogue side by side: the chain of a function is some
seventy cycles long, and instructions of few rows more wait for it. Convolutions of 16
to 64 channels with SiLU took 1.3 of the time with one, 1.05 with four and 1.02 with
eight, products with GELU 0.95 (Sapphire Rapids).
"""


def rows_at_once(op: TileOp, shape: Shape) -> int:
    """
    The rows that the loop of an epilogue has at a time, before those that are left; all
    where it has no long function, or there would be no two trips.
    """
    names = (each.name.removeprefix("math.") for each in op.epilogue.block.ops)
    if FUNCTIONS.keys().isdisjoint(names):
        return shape.rows
    at_once = -(-_AT_ONCE // shape.vectors)
    return at_once if 2 * at_once <= shape.rows else shape.rows


def write_rows(
    blocks: Blocks,
    tile: RegisterTile,
    row: str,
    accumulators: Sequence[Value],
    at_once: int,
) -> list[Value]:
    """Writes the loop for a tile that begins at a row, with the masks that it has."""
    w, memory, lanes = blocks.w, blocks.host.memory, tile.shape.lanes
    wide, type = tile.shape.vectors * lanes, blocks.op.initial.type
    scratch = blocks.rows(tile.shape)

    def place(at: str, vector: int) -> str:
        offset = w.add(w.mul(at, str(wide)), str(vector * lanes))
        return blocks.at(scratch, offset)

    for (number, vector), value in zip(tile.positions, accumulators, strict=True):
        memory.put(value, place(str(number), vector))

    def some(first: str, _: list[Value], count: int = at_once) -> Sequence[Value]:
        for number, vector in tile.positions[: count * tile.shape.vectors]:
            at = w.add(first, str(number))
            here = w.add(row, at), tile.columns[vector]
            with tile.at(*here, lanes, None, tile.masks[vector]):
                tile.write_epilogue_here(memory.read(place(at, vector), type, lanes))
        return ()

    left = tile.shape.rows % at_once
    stop = str(tile.shape.rows - left)
    w.loop("0", stop, at_once, (), some)
    some(stop, [], left)
    return []
