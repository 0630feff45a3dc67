"""What else a contraction may be computed by fits the machine, whatever it is."""

from __future__ import annotations

import pytest

from static_runtime.compiler.cost.blocking import SCRATCH
from static_runtime.compiler.cost.candidates import candidates
from static_runtime.compiler.ir.target import TARGETS
from static_runtime.compiler.passes.graph.tune_contractions import contractions
from static_runtime.compiler.tuning.subject import Build, build
from static_runtime.dialects.loop.preference import OWN, PreferenceAttr
from static_runtime.dialects.loop.target import TargetAttr

from ..tuning.subjects import SUBJECTS, of_two, read

KINDS = {
    (each.vector, each.registers, each.fma): name
    for name, each in reversed(TARGETS.items())
}
"""
A target of each kind. Others have the same and instructions for products of bf16, which
no subject is.
"""


def check_fits(made: Build, target: TargetAttr) -> None:
    """Checks registers, scratch memory and divisibility of what was made."""
    mr, nr, lanes = made.tile.register_tile
    assert nr % lanes == 0
    if made.tile.factors() is not None:
        vectors = nr // lanes
        # Beside a single row each vector is used once, from memory.
        loaded = vectors if mr > 1 else 1
        assert mr * vectors + loaded + 1 <= target.registers.data
    schedule = made.tile.schedule
    if schedule is None:
        return
    schedule.verify()
    assert nr % schedule.nr.data == 0
    kc = schedule.kc.data
    for size in made.tile.sizes[2 + schedule.axis.data + 1 :]:
        assert isinstance(size, int)
        kc *= size
    if schedule.packs("b"):
        assert kc * schedule.nc.data * 4 <= SCRATCH
    if schedule.packs("a"):
        assert (kc + schedule.pad.data) * schedule.mc.data * 4 <= SCRATCH


@pytest.mark.sampled(every=16)
@pytest.mark.parametrize("target", KINDS.values())
@pytest.mark.parametrize("name", SUBJECTS)
def test_candidates_fit(name: str, target: str):
    module, _ = read(SUBJECTS[name])
    (op,) = contractions(module)
    own = build(op, TARGETS[target])
    check_fits(own, TARGETS[target])
    found = candidates(own.tile, OWN, TARGETS[target])
    assert len(found) == len({*found}) >= 2
    assert OWN not in found
    functions: set[str] = set()
    for each in found:
        made = build(op, TARGETS[target], each)
        check_fits(made, TARGETS[target])
        functions.add(made.function)
        # From there it goes on: what is tried next is something else.
        assert each not in candidates(made.tile, each, TARGETS[target])
    # At least one of them is other code than that of the cost model.
    assert functions - {own.function}


@pytest.mark.parametrize("depth", [2, 7])
def test_short_rows_fit_with_what_is_between_them(depth: int):
    module, _ = read(of_two(f"4100x{depth}", f"{depth}x600", "4100x600"))
    (op,) = contractions(module)
    target = TARGETS["x86-64-v3"]
    made = build(op, target, PreferenceAttr.of(pack="a and b"))
    assert made.tile.schedule is not None
    assert made.tile.schedule.packs("a")
    check_fits(made, target)


def test_candidates_are_what_a_schedule_has():
    module, _ = read(SUBJECTS["weights"])
    (op,) = contractions(module)
    target = TARGETS["x86-64-v3"]
    own = build(op, target)
    assert own.tile.register_tile == (9, 8, 8)
    found = {
        each: build(op, target, each) for each in candidates(own.tile, OWN, target)
    }
    for preference, made in found.items():
        schedule = made.tile.schedule
        assert schedule is not None
        for name, wanted in preference.entries.items():
            match name:
                case "nr":
                    assert schedule.nr.data == wanted
                case "mr":
                    assert made.tile.register_tile[0] <= int(wanted)
                case "unroll":
                    assert made.tile.unrolled <= int(wanted)
                case "pack":
                    assert schedule.pack.data == wanted
                case _:
                    # Blocks are shared out evenly, so they may be smaller.
                    got = {"kc": schedule.kc, "mc": schedule.mc}
                    own_mr = made.tile.register_tile[0]
                    got["nc"] = schedule.nc
                    assert got[name].data < int(wanted) + own_mr
    names = {name for each in found for name in each.entries}
    assert names >= {"nr", "mr", "pack", "unroll"}
