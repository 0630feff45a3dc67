"""
Choose the register tile: MR x NR accumulators, and the vectors that they lie in: of
panels, of lines of B that are streamed, and of operands that are read where they lie.

Beside the accumulators the vector registers hold a row of B, an element of A and one
temporary.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import FixedBitwidthType, f16

from ...dialects import Dim, product, si8
from ...dialects.loop import PreferenceAttr, TargetAttr, TileOp
from ...dialects.scalar import DotBytesOp

OPEN_COUNT = 1 << 30
"""Rows or columns whose number only a run knows."""

SPARE = 2
"""Vector registers reserved for the broadcast of A and one temporary."""

MOST_ROWS = 12
"""MR at most: a row needs an address, and x86-64 has 15 registers for them."""

_MOST_ROWS_OF_ONE_VECTOR = 10
"""
MR at most where NR is one vector: with 13 rows there were more addresses than
registers, and a layer of 24 channels ran at 40 % of the peak instead of 96 %
(`docs/performance.md`, "Convolutions").
"""

_ROWS_OF_WORDS = 8
"""
MR at most where words of bytes are multiplied: of 64 rows from 8 to 20 were alike, and
4 slower (Zen 4).
"""

MOST_VECTORS = 4
"""Vectors in a row of the widest register tile, and of the widest panel."""

_PANEL_VECTOR_COST = 0.25
"""The cost of a vector of a panel beyond its load, in multiply-adds; chosen by hand."""


def size_or_open(size: Dim) -> int:
    """A size, or many."""
    return size if isinstance(size, int) else OPEN_COUNT


def round_up(size: int, unit: int) -> int:
    """The least multiple of `unit` that is not below `size`."""
    return -(-size // unit) * unit


def most_rows(
    vectors: int, target: TargetAttr, preferred: int = 0, spare: int = SPARE
) -> int:
    """
    MR for rows of `vectors` vectors: the most that fit the registers, with some spare.
    """
    most = preferred or (MOST_ROWS if vectors > 1 else _MOST_ROWS_OF_ONE_VECTOR)
    return min((target.registers.data - vectors - spare) // vectors, most)


def spare_registers(tile: TileOp, vectors: int) -> int:
    """
    Registers beside accumulators and a row of B from panels, of some vectors. LLVM
    begins to widen the next row of f16, which takes long, before this one is
    multiplied; with none to spare it keeps accumulators in memory: on a Zen 3 products
    of 12 to 128 rows took 1.2 to 1.5 of the time of f32, and with a row less take 0.97
    to 1.14.
    """
    factors = tile.factors()
    assert factors is not None, "panels are of a factor"
    return SPARE + (vectors if factors[1].element == f16 else 0)


def choose_nr(
    columns: Dim, bits: int, target: TargetAttr, preferred: int = 0
) -> tuple[int, int]:
    """
    NR for `columns` columns, and the lanes of a vector; the preferred NR where
    registers have room for it.
    """
    lanes, count = target.lanes(bits), size_or_open(columns)
    while lanes // 2 >= count:
        lanes //= 2
    if fits(preferred, lanes, target):
        return preferred, lanes

    def cost(vectors: int) -> float:
        mr = most_rows(vectors, target)
        padded = round_up(count, vectors * lanes) / max(count, 1)
        # Loads and multiply-adds issue side by side, as many of each in a cycle.
        loads = (mr + vectors) / (mr * vectors)
        return (max(loads, 1) + _PANEL_VECTOR_COST / mr) * padded

    return min((2, 1, 3, 4), key=cost) * lanes, lanes


def fits(nr: int, lanes: int, target: TargetAttr) -> bool:
    """Whether NR is whole vectors, and leaves registers for a row of accumulators."""
    vectors, rest = divmod(nr, lanes)
    return vectors > 0 and rest == 0 and most_rows(vectors, target) >= 1


def choose_shape(
    tile: TileOp, target: TargetAttr, preference: PreferenceAttr
) -> tuple[int, int, int]:
    """
    MR, NR and lanes of the register tile for operands that are read where they lie.

    Where no factor is shared by rows or columns, NR is a whole line if it can be: then
    all that is read is contiguous.
    """
    type, (rows, columns, *_) = tile.initial.type, map(size_or_open, tile.sizes)
    assert isinstance(type, FixedBitwidthType)
    lanes = target.lanes(type.bitwidth)
    while lanes > max(columns, 1):
        lanes //= 2
    # Whole vectors only: a tile wider than the result would never run.
    most_vectors = max(columns // lanes, 1)
    most = min(max(rows, 1), preference.mr.data or OPEN_COUNT)
    if dots := count_dots(tile):
        return min(_rows_of_words(tile, dots, target), most), lanes, lanes
    best, shape = 0.0, (1, 1)
    is_shared = tile.factors() is not None
    first = 1 if is_shared or most_vectors > MOST_VECTORS else most_vectors
    widths: Sequence[int] = range(first, min(most_vectors, MOST_VECTORS) + 1)
    if fits(wanted := preference.nr.data, lanes, target):
        widths = [min(wanted // lanes, most_vectors)]
    for vectors in widths:
        mr = min(max(most_rows(vectors, target, OPEN_COUNT), 1), most)
        # Multiply-adds for each load of a vector of B or a broadcast of A.
        reuse = mr * vectors / (mr + vectors)
        if reuse > best:
            best, shape = reuse, (mr, vectors)
    mr, vectors = shape
    return mr, vectors * lanes, lanes


def count_dots(tile: TileOp) -> int:
    """How many words of bytes each k multiplies for an accumulator; usually none."""
    return sum(isinstance(each, DotBytesOp) for each in tile.k_loop.block.ops)


def _rows_of_words(tile: TileOp, dots: int, target: TargetAttr) -> int:
    """
    MR where each k multiplies some words of bytes: what rows share of these stays in
    registers.
    """
    row, column, *_ = tile.k_loop.block.args
    if any({row, column} <= {*each.indices} for each in tile.loads):
        # One panel after the other is read from memory sooner than four side by side.
        return 1
    isa, count = target.isa(si8), product(tile.sizes[2:])
    if isa is not None and (tiles := isa.tiles) is not None and isinstance(count, int):
        rows, columns = map(size_or_open, tile.sizes[:2])
        is_wide = target.lanes(32) == tiles.columns <= columns
        if rows >= 2 * tiles.rows and is_wide and tiles.keeps(dots, count):
            return tiles.rows
    return max(min(_ROWS_OF_WORDS, target.registers.data - dots - 2 * SPARE), 1)


def streamed_nr(
    rows: int, columns: int, lanes: int, target: TargetAttr, preferred: int
) -> int:
    """NR for lines of B beside `rows` rows, in vectors that leave no column."""
    most = (target.registers.data - SPARE) // (rows + 1)
    most = max(min(most, preferred // lanes or most), 1)
    vectors = (each for each in (8, 4, 2) if columns % (each * lanes) == 0)
    return next((each for each in vectors if each <= most), 1) * lanes
