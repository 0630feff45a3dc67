"""
What else a contraction may be computed by than by what was chosen for it.

Each candidate is a preference that departs in one point from the one that a tile was
sized by: the width of panels, the rows of a tile, the steps, rows or columns of a
block, what is copied. The rules of the cost model keep to registers and scratch memory
whatever is preferred, so that all of them may run; some may come to the same code.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ...dialects.dims import product
from ...dialects.loop.ops.tile import TileOp
from ...dialects.loop.preference import NOTHING, PreferenceAttr
from ...dialects.loop.schedule import ScheduleAttr
from ...dialects.loop.target import TargetAttr
from .panels import known, tallest, up

WIDEST = 4
"""Vectors in the widest panel."""

SHALLOWEST = 16
"""Steps of the least block."""


def candidates(
    tile: TileOp, preference: PreferenceAttr, target: TargetAttr
) -> list[PreferenceAttr]:
    """The preferences beside the one by which a tile was sized, the likeliest first."""
    changes: list[Mapping[str, int | str]] = [
        *widths(tile, target),
        *heights(tile, target),
    ]
    if tile.schedule is not None:
        changes += [*depths(tile, tile.schedule), *blocks(tile, tile.schedule)]
    if tile.factors() is not None:
        changes += [{"copies": each} for each in copies(tile)]
    found = (PreferenceAttr.of(**{**preference.entries, **each}) for each in changes)
    return [each for each in dict.fromkeys(found) if each != preference]


def width_of(tile: TileOp) -> int:
    """The columns of a panel, or of a tile that has none."""
    _, columns, _ = tile.block
    return columns if tile.schedule is None else tile.schedule.panels.data


def widths(tile: TileOp, target: TargetAttr) -> Iterator[Mapping[str, int]]:
    """Panels of other numbers of vectors, none wider than there are columns."""
    _, _, lanes = tile.block
    columns = up(known(tile.sizes[1]), lanes)
    for vectors in range(1, WIDEST + 1):
        width = vectors * lanes
        if width == width_of(tile) or width > columns or tallest(vectors, target) < 1:
            continue
        yield {"panels": width}


def heights(tile: TileOp, target: TargetAttr) -> Iterator[Mapping[str, int]]:
    """Tiles of as many rows as registers hold, and of fewer."""
    tall, _, lanes = tile.block
    vectors = max(width_of(tile) // lanes, 1)
    most = min(tallest(vectors, target, target.registers.data), known(tile.sizes[0]))
    for each in dict.fromkeys((most, tall - 1, tall * 2 // 3)):
        if 1 < each <= most and each != tall:
            yield {"tall": each}


def depths(tile: TileOp, schedule: ScheduleAttr) -> Iterator[Mapping[str, int]]:
    """Blocks of half and twice as many steps, and of all."""
    _, _, *reduced = tile.sizes
    inner = product(reduced[schedule.axis.data + 1 :])
    assert isinstance(inner, int), "what is inside of a block has a known size"
    deep, whole = schedule.depth.data * inner, known(product(reduced))
    for each in dict.fromkeys((deep // 2, deep * 2, whole)):
        if SHALLOWEST <= each <= whole and each != deep:
            yield {"depth": each}


def blocks(tile: TileOp, schedule: ScheduleAttr) -> Iterator[Mapping[str, int]]:
    """Blocks of fewer rows, and of fewer and more columns."""
    tall, _, _ = tile.block
    columns = known(tile.sizes[1])
    high, across = schedule.rows.data, schedule.columns.data
    if tall < high // 2:
        yield {"rows": high // 2}
    if schedule.panels.data <= across // 4:
        yield {"columns": across // 4}
    if across < columns:
        yield {"columns": across * 4}


def copies(tile: TileOp) -> Iterator[str]:
    """Each operand copied where it is not, and not copied where it is."""
    factors, schedule = tile.factors(), tile.schedule
    assert factors is not None
    now = {
        each: schedule is not None and schedule.copies_of(each)
        for each in ("rows", "columns")
    }
    for changed in ("rows",) if factors[1].at.panel is not None else (*now,):
        wanted = [each for each in now if now[each] != (each == changed)]
        yield " and ".join(wanted) or NOTHING
