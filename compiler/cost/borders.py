"""
Choose the rows of a register tile so that what windows see of the border of an image is
left out (`loop.zero_outside`): tiles of whole lines leave out most.

A tile goes over all k that one of its rows needs, or, where it is a line, over those of
each row. Of 7x7 places under 3x3 taps, tiles of 10 rows, which reach over lines, need
all; tiles of a line leave out 18 %. On a Zen 4 convolutions over 4x4, 7x7, 8x8, 10x10
and 14x14 took 0.71, 0.84, 0.86, 0.87 and 0.89 of the time (128 to 512 channels, one
thread, 2026-11-30).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from ...dialects.loop import IN_FLIGHT, TileOp, ZeroOutsideOp

_OF_A_TILE = 0.25
"""What a tile takes for each k beside its rows, in rows; from the figures above."""

_MOST_PLACES = 1 << 16
"""Rows, at most, that are looked at: of more, few see a border."""

_Rows: TypeAlias = npt.NDArray[Any]
"""A number for each tile."""


@dataclass(frozen=True)
class _Axis:
    """A spatial axis of an image, and the taps of a window along it."""

    width: int
    """Rows in a line."""
    line: int
    """Positions from a line to the next."""
    place: int
    """Positions from a place in a line to the next."""
    offset: int
    low: int
    high: int
    step: int
    taps: int

    def seen(self, first: _Rows, last: _Rows, mr: int) -> _Rows:
        """How many taps tiles of these rows go over, each for all of its rows."""
        lines = [each // self.width for each in (first, last)]
        starts = [self.offset + each * self.line for each in lines]
        least, most = (
            start + rows % self.width * self.place
            for start, rows in zip(starts, (first, last), strict=True)
        )
        if not self.place:
            return self.count(least, most)
        if mr == self.width:
            every = self.offset + np.arange(mr) * self.place
            return np.full(first.shape, self.count(every, every).mean())
        is_one = lines[0] == lines[1]
        end = starts[1] + (self.width - 1) * self.place
        return self.count(
            np.where(is_one, least, starts[0]), np.where(is_one, most, end)
        )

    def count(self, least: _Rows, most: _Rows) -> _Rows:
        """How many taps see the image from one of these positions or between."""
        start = np.clip(-((most - self.low) // self.step), 0, self.taps)
        stop = np.clip(-((least - self.high) // self.step), 0, self.taps)
        return np.maximum(stop - start, 0)


def choose_rows(tile: TileOp, mr: int, most: int, vectors: int) -> int:
    """
    MR of a tile, at most as given: rows are partitioned evenly, so that no register
    tile is left with few. Where the k-loop speaks of a border, a divisor of a line up
    to `most` rows takes its place if less is multiplied, and the accumulators of these
    rows, each of some `vectors`, keep multiply-adds busy.
    """
    rows = tile.sizes[0]
    if not isinstance(rows, int) or not rows:
        return mr
    mr = -(-rows // -(-rows // mr))
    axes = [*_axes(tile)] if most and rows <= _MOST_PLACES else []
    if not axes:
        return mr
    width, least = axes[0].width, -(-IN_FLIGHT // vectors)
    divisors = (each for each in range(least, most + 1) if width % each == 0)
    return min((mr, *divisors), key=lambda mr: _time(axes, rows, mr))


def goes_by_lines(tile: TileOp, mr: int) -> bool:
    """Whether tiles are lines of an image whose border they leave out."""
    return any(each.width == mr and each.place for each in _axes(tile))


def _time(axes: Sequence[_Axis], rows: int, mr: int) -> float:
    """The rows that are multiplied, for each tap of a window."""
    tiles = -(-rows // mr)
    low, more = divmod(rows, tiles)
    heights = np.full(tiles, low)
    heights[:more] += 1
    end = np.cumsum(heights)
    time = heights + _OF_A_TILE
    for each in axes:
        time = time * each.seen(end - heights, end - 1, mr) / each.taps
    return float(time.sum())


def _axes(tile: TileOp) -> Iterator[_Axis]:
    """The axes of known sizes whose border the k-loop of a tile speaks of."""
    row, _, *k_indices, _ = tile.k_loop.block.args
    for op in tile.k_loop.block.ops:
        if not isinstance(op, ZeroOutsideOp):
            continue
        at, (low, high) = op.at, op.bounds
        line = at.blocks_of(row)
        for index, count in zip(k_indices, tile.sizes[2:], strict=True):
            along = op.along(index)
            if (
                line is None
                or along is None
                or any(i is not index for i, _ in at.terms)
            ):
                continue
            known = line.size, line.stride, line.step, at.offset, low, high
            numbers = [e for e in (*known, *along, count) if isinstance(e, int)]
            if len(numbers) == len(known) + 3:
                width, stride, place, offset, low, high, step, unit, count = numbers
                taps = count // unit
                yield _Axis(width, stride, place, offset, low, high, step, taps)
