"""
What else a contraction may be computed by than what the cost model chose for it.

Each candidate is a preference that differs in one point from the one that a tile was
sized by: NR, MR, KC, MC, NC, what is packed, or how many k are unrolled. The rules of
the cost model keep to registers and scratch memory whatever is preferred, so that all
candidates may run; some may come to the same code.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ...dialects import product
from ...dialects.loop import NOTHING, PreferenceAttr, ScheduleAttr, TargetAttr, TileOp
from .register_tile import MOST_VECTORS, most_rows, round_up, size_or_open

_LEAST_KC = 16
"""KC of the least block."""


def candidates(
    tile: TileOp, preference: PreferenceAttr, target: TargetAttr
) -> list[PreferenceAttr]:
    """The preferences beside the one by which a tile was sized, the likeliest first."""
    changes: list[Mapping[str, int | str]] = [
        *_other_nr(tile, target),
        *_other_mr(tile, target),
    ]
    if tile.schedule is not None:
        changes += [
            *_other_kc(tile, tile.schedule),
            *_other_blocks(tile, tile.schedule),
        ]
    if tile.factors() is not None:
        changes += [{"pack": each} for each in _other_packing(tile)]
    if tile.schedule is not None:
        changes += [{"unroll": each} for each in (2, 8) if each != tile.unrolled]
    found = (PreferenceAttr.of(**{**preference.entries, **each}) for each in changes)
    return [each for each in dict.fromkeys(found) if each != preference]


def _nr_of(tile: TileOp) -> int:
    """The columns of a panel, or of a register tile without panels."""
    _, nr, _ = tile.register_tile
    return nr if tile.schedule is None else tile.schedule.nr.data


def _other_nr(tile: TileOp, target: TargetAttr) -> Iterator[Mapping[str, int]]:
    """Panels of other numbers of vectors, none wider than there are columns."""
    _, _, lanes = tile.register_tile
    columns = round_up(size_or_open(tile.sizes[1]), lanes)
    for vectors in range(1, MOST_VECTORS + 1):
        nr = vectors * lanes
        if nr == _nr_of(tile) or nr > columns or most_rows(vectors, target) < 1:
            continue
        yield {"nr": nr}


def _other_mr(tile: TileOp, target: TargetAttr) -> Iterator[Mapping[str, int]]:
    """
    Register tiles of as many rows as registers hold, and of fewer; so few that there
    is one tile more, since rows are partitioned evenly.
    """
    mr, _, lanes = tile.register_tile
    vectors, rows = max(_nr_of(tile) // lanes, 1), size_or_open(tile.sizes[0])
    most = min(most_rows(vectors, target, target.registers.data), rows)
    one_more = -(-rows // (-(-rows // mr) + 1))
    for each in dict.fromkeys((most, mr - 1, mr * 2 // 3, one_more)):
        if 1 < each <= most and each != mr:
            yield {"mr": each}


def _other_kc(tile: TileOp, schedule: ScheduleAttr) -> Iterator[Mapping[str, int]]:
    """Blocks of half and twice as many k, and of all."""
    _, _, *reduced = tile.sizes
    inner = product(reduced[schedule.axis.data + 1 :])
    assert isinstance(inner, int), "what is inside of a block has a known size"
    kc, whole = schedule.kc.data * inner, size_or_open(product(reduced))
    for each in dict.fromkeys((kc // 2, kc * 2, whole)):
        if _LEAST_KC <= each <= whole and each != kc:
            yield {"kc": each}


def _other_blocks(tile: TileOp, schedule: ScheduleAttr) -> Iterator[Mapping[str, int]]:
    """Blocks of fewer rows, and of fewer and more columns."""
    mr, _, _ = tile.register_tile
    columns = size_or_open(tile.sizes[1])
    mc, nc = schedule.mc.data, schedule.nc.data
    if mr < mc // 2:
        yield {"mc": mc // 2}
    if schedule.nr.data <= nc // 4:
        yield {"nc": nc // 4}
    if nc < columns:
        yield {"nc": nc * 4}


def _other_packing(tile: TileOp) -> Iterator[str]:
    """Each factor packed where it is not, and not packed where it is."""
    factors, schedule = tile.factors(), tile.schedule
    assert factors is not None
    now = {each: schedule is not None and schedule.packs(each) for each in ("a", "b")}
    for changed in ("a",) if factors[1].at.blocked is not None else (*now,):
        wanted = [each for each in now if now[each] != (each == changed)]
        yield " and ".join(wanted) or NOTHING
