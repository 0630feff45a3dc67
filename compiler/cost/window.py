"""
Choose the register tile of a window that slides along the rows
(`dialects/loop/slide.py`), and whether registers hold what it reads until the last row
and innermost k that need it.

This is a sliding window, as of a depthwise convolution. The constants are times that a
vector of results takes for each k beside its multiply-add, which takes 1. They were
measured on a Zen 4, with vectors of 256 and 512 bits, on mobilenet_v2 in f32 and bf16
(`docs/performance.md`, "Convolutions").
"""

from __future__ import annotations

from collections.abc import Sequence

from ...dialects.loop import (
    IN_FLIGHT,
    LINE,
    LoadOp,
    PreferenceAttr,
    Slide,
    TargetAttr,
    TileOp,
    byte_count,
    find_slide,
)
from .register_tile import OPEN_COUNT, SPARE, fits, size_or_open

_LOAD = 0.55
"""For the load of a vector."""

_CONVERSION = 2.0
"""For an op that makes a factor of what was loaded, such as a conversion."""

_PART_OF_A_LINE = 0.5
"""Where a row of the window is a part of a line of the cache."""

_MOST_VECTORS = 2
"""Vectors of a row, at most: with more there are fewer rows, which share less."""

Shape = tuple[int, int, int]
"""MR, NR and the lanes of a vector."""


def choose_window(
    tile: TileOp, plain: Shape, target: TargetAttr, preference: PreferenceAttr
) -> Shape | None:
    """
    The register tile of a window whose places are held; None where there is no window,
    or where the plain tile, which reads them again, takes no longer.
    """
    slide = find_slide(tile)
    if slide is None:
        return None
    plain_mr, nr, lanes = plain
    rows = min(size_or_open(tile.sizes[0]), preference.mr.data or OPEN_COUNT)
    columns = max(size_or_open(tile.sizes[1]) // lanes, 1)
    widths: Sequence[int] = range(1, min(columns, _MOST_VECTORS) + 1)
    if fits(preference.nr.data, lanes, target):
        widths = [nr // lanes]
    shapes = [
        (mr, vectors)
        for vectors in widths
        if (mr := _most_rows(slide, vectors, target, rows)) > 1
    ]
    if not shapes:
        return None

    def time_held(shape: tuple[int, int]) -> float:
        mr, vectors = shape
        is_part = vectors * lanes * _bytes(slide) < LINE
        time = _time(tile, slide, mr, vectors, slide.places(mr))
        return time + (_PART_OF_A_LINE if is_part else 0)

    best = min(shapes, key=time_held)
    if time_held(best) >= _time(
        tile, slide, plain_mr, nr // lanes, plain_mr * slide.taps
    ):
        return None
    mr, vectors = best
    return mr, vectors * lanes, lanes


def _most_rows(slide: Slide, vectors: int, target: TargetAttr, most: int) -> int:
    """MR: as many rows as registers hold with the places that these need again."""
    room = target.registers.data // vectors - SPARE
    return max(
        (mr for mr in range(1, min(most, room) + 1) if mr + slide.held(mr) <= room),
        default=0,
    )


def _time(tile: TileOp, slide: Slide, mr: int, vectors: int, places: int) -> float:
    """The time of a vector of results for a k, where MR rows read `places` in all."""
    results, time = mr * slide.taps, max(1.0, IN_FLIGHT / (mr * vectors))
    for load in tile.loads:
        count = places if load in slide.ops else slide.taps
        # Integers of fewer bits are widened as they are loaded.
        conversions = len(tile.made_of(load)) + (load.element != load.result.type)
        time += count / results * (_LOAD + _CONVERSION * conversions)
    return time


def _bytes(slide: Slide) -> int:
    """The bytes of the narrowest element that the window reads."""
    loads = (each for each in slide.ops if isinstance(each, LoadOp))
    return min(byte_count(each.element) for each in loads)
