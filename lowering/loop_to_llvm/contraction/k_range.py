"""
Write how far a register tile goes along each reduced index: what windows see of the
border of an image is left out (`loop.zero_outside`).

A window that begins at `p` and moves by `step` sees zeros below `low` and from `high`
on. The rows of a tile begin at a first position and a last one; so what some row needs
is

    from   unit * ceil((low - last) / step)    to   unit * ceil((high - first) / step)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import gcd

from xdsl.ir import SSAValue

from ....dialects import Dim, terms_of
from ....dialects.loop import BlockedIndex, Subscript, ZeroOutsideOp
from ..text.index_arithmetic import is_number
from ..text.scope import SCALAR
from .blocks import Blocks, KBlock
from .register_tile import RegisterTile


@dataclass(frozen=True)
class KRange:
    """Where along an index a loop begins and ends, both counted as the loop does."""

    start: str
    stop: str
    divided: int
    """A number that divides its length."""
    rows: range | None = None
    """The rows of the tile that need it, where not all do."""

    def unrolled(self, blocks: Blocks) -> Sequence[int]:
        """How many k are written at a time, then one for the rest, if any may be."""
        if is_number(self.start) and is_number(self.stop):
            return blocks.unrolled(int(self.stop) - int(self.start))
        return blocks.unrolled(self.divided)


def k_ranges(
    blocks: Blocks, block: KBlock, tile: RegisterTile
) -> dict[int, list[KRange]]:
    """
    The ranges of the reduced indices of a block for a register tile, in order, by how
    many loops are around; an index that is not there goes over all.
    """
    w, found, alive = blocks.w, dict[int, list[KRange]](), list[str]()
    for op in blocks.op.k_loop.block.ops:
        if not isinstance(op, ZeroOutsideOp):
            continue
        number = _number(blocks, op)
        if number < blocks.axis:
            own, here = _range(blocks, op, tile, number), block.outer[number]
            alive += [w.below(own.start, w.add(here, "1")), w.below(here, own.stop)]
            continue
        parts = _by_rows(blocks, op, tile.shape.rows, number)
        parts = parts or [_range(blocks, op, tile, number)]
        if number == blocks.axis:
            parts = [_in_block(blocks, block, each) for each in parts]
        found[number - blocks.axis] = parts
    if alive:
        is_alive = w.both(alive)
        found[0] = [
            replace(
                each,
                stop=w.emit(f"select i1 {is_alive}, i64 {each.stop}, i64 {each.start}"),
            )
            for each in found.get(0, [KRange("0", block.count, 1)])
        ]
    return found


def _in_block(blocks: Blocks, block: KBlock, whole: KRange) -> KRange:
    """
    The part of a range that is in a block, counted from where that begins; of one that
    is beyond the block, none at its end.
    """
    w = blocks.w
    begin = w.greatest(w.minus(whole.start, block.start), "0")
    start = w.least(begin, block.count)
    end = w.least(w.minus(whole.stop, block.start), block.count)
    stop = w.greatest(start, end)
    divided = gcd(whole.divided, *_factors(blocks.values_in_block))
    return KRange(start, stop, divided, whole.rows)


def _by_rows(blocks: Blocks, op: ZeroOutsideOp, rows: int, number: int) -> list[KRange]:
    """
    The ranges of an index along the lines of an image where each tile is a line: one
    for all taps that the same rows need. None where tiles are not lines.
    """
    count, total, k = blocks.reduced[number], blocks.row_count, blocks.k_indices[number]
    if not isinstance(total, int) or total % rows or not isinstance(count, int):
        return []
    found: list[KRange] = []
    for tap, (needs, unit) in enumerate(op.rows_of_taps(blocks.row, k, rows, count)):
        start, stop = str(tap * unit), str((tap + 1) * unit)
        if found and found[-1].rows == needs:
            found[-1] = replace(found[-1], stop=stop)
        elif needs:
            found.append(KRange(start, stop, unit, needs))
    return found


def packed_range(
    blocks: Blocks, block: KBlock, tile: RegisterTile, unit: int = 1
) -> KRange:
    """
    Where k of packed A begin and end for a register tile, in words of `unit` k. None
    are left out where zeros are packed as other numbers, whose sums are subtracted.
    """
    w, inner = blocks.w, blocks.inner
    parts = [] if blocks.zero_row else k_ranges(blocks, block, tile).get(0, [])
    own = replace(parts[0], stop=parts[-1].stop) if parts else None
    if own is None or own.divided * inner % unit:
        return KRange("0", w.div(blocks.count_k(block), unit), 1)
    start, stop = (
        w.div(w.mul(each, str(inner)), unit) for each in (own.start, own.stop)
    )
    return KRange(start, stop, own.divided * inner // unit)


@dataclass(frozen=True)
class _Corner:
    """The first row and column of a register tile, or the last ones."""

    row: str
    column: str


def _corners(blocks: Blocks, tile: RegisterTile) -> list[_Corner]:
    """The first corner of a tile, and the last."""
    last = blocks.w.add(tile.columns[-1], str(tile.shape.lanes - 1))
    return [_Corner(tile.rows[0], tile.columns[0]), _Corner(tile.rows[-1], last)]


def _number(blocks: Blocks, op: ZeroOutsideOp) -> int:
    """Which of the reduced indices a subscript moves with."""
    return next(n for n, each in enumerate(blocks.k_indices) if op.along(each))


def _range(
    blocks: Blocks, op: ZeroOutsideOp, tile: RegisterTile, number: int
) -> KRange:
    """Where some row of a tile needs what is along a reduced index."""
    w, k, along = blocks.w, blocks.k_indices[number], op.along(blocks.k_indices[number])
    assert along is not None, "the index is one that the subscript moves with"
    step, unit = along
    assert isinstance(step, int), "windows have known strides"
    low, high = map(w.size, op.bounds)
    least, most = _positions(blocks, op, _corners(blocks, tile), k)
    size = w.size(blocks.reduced[number])

    def first_from(bound: str, position: str) -> str:
        """The first index at which a window from a position has come to a bound."""
        left = w.greatest(w.minus(bound, position), "0")
        steps = w.div(w.add(left, str(step - 1)), step)
        return w.least(w.mul(steps, w.size(unit)), size)

    start, stop = first_from(low, most), first_from(high, least)
    return KRange(start, w.greatest(start, stop), gcd(*_factors(unit)))


def _factors(size: Dim) -> list[int]:
    """Numbers whose common divisors a size has too."""
    return [factor for _, factor in terms_of(size)]


def _positions(
    blocks: Blocks, op: ZeroOutsideOp, corners: Sequence[_Corner], k: SSAValue
) -> tuple[str, str]:
    """The least and the greatest position of a window in a tile, where k is 0."""
    at = op.at
    terms = tuple((index, step) for index, step in at.terms if index is not k)
    window = Subscript(terms, at.offset, at.blocks_of(blocks.row))

    def position(corner: _Corner) -> str:
        with blocks.scope.inner(SCALAR):
            blocks.set_index(blocks.row, corner.row)
            blocks.set_index(blocks.column, corner.column)
            return blocks.host.memory.offsets(window).first

    first, last = map(position, corners)
    if (inside := op.within(blocks.row)) is None:
        return first, last
    rows = [each.row for each in corners]
    return _within_lines(blocks, inside, rows, (first, last))


def _within_lines(
    blocks: Blocks,
    of_row: BlockedIndex,
    rows: Sequence[str],
    positions: tuple[str, str],
) -> tuple[str, str]:
    """
    The least and the greatest position along the lines of an image: of both rows if
    these are in one line, else of the ends of a line.
    """
    w = blocks.w
    size = blocks.host.memory.block_size(of_row)
    lines = [w.div(row, size) for row in rows]
    (first, last), step = positions, w.size(of_row.step)
    inside = w.minus(rows[0], w.mul(lines[0], size))
    begin = w.minus(first, w.mul(inside, step))
    end = w.add(begin, w.mul(w.minus(size, "1"), step))
    same = w.same(*lines)
    return (
        w.emit(f"select i1 {same}, i64 {first}, i64 {begin}"),
        w.emit(f"select i1 {same}, i64 {last}, i64 {end}"),
    )
