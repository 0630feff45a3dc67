"""What else a contraction may be computed by fits the machine, whatever it is."""

from __future__ import annotations

import pytest

from static_runtime.compiler.cost.candidates import candidates
from static_runtime.compiler.cost.panels import SCRATCH
from static_runtime.compiler.passes.graph.tune_contractions import contractions
from static_runtime.compiler.target import TARGETS
from static_runtime.compiler.tuning.subject import Build, build
from static_runtime.dialects.loop.preference import OWN
from static_runtime.dialects.loop.target import TargetAttr
from static_runtime.lowering.loop_to_llvm.contraction.blocks import PADDING

from ..tuning.subjects import SUBJECTS, read


def check_fits(made: Build, target: TargetAttr) -> None:
    """Checks registers, scratch memory and divisibility of what was made."""
    rows, columns, lanes = made.tile.block
    assert columns % lanes == 0
    if made.tile.factors() is not None:
        vectors = columns // lanes
        # Beside a single row each vector is used once, from memory.
        loaded = vectors if rows > 1 else 1
        assert rows * vectors + loaded + 1 <= target.registers.data
    schedule = made.tile.schedule
    if schedule is None:
        return
    schedule.verify()
    assert columns % schedule.panels.data == 0
    deep = schedule.depth.data
    for size in made.tile.sizes[2 + schedule.axis.data + 1 :]:
        assert isinstance(size, int)
        deep *= size
    if schedule.copies_of("columns"):
        assert deep * schedule.columns.data * 4 <= SCRATCH
    if schedule.copies_of("rows"):
        assert (deep + PADDING) * schedule.rows.data * 4 <= SCRATCH


@pytest.mark.parametrize("target", TARGETS)
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


def test_candidates_are_what_a_schedule_has():
    module, _ = read(SUBJECTS["weights"])
    (op,) = contractions(module)
    target = TARGETS["x86-64-v3"]
    own = build(op, target)
    assert own.tile.block == (9, 8, 8)
    found = {
        each: build(op, target, each) for each in candidates(own.tile, OWN, target)
    }
    for preference, made in found.items():
        schedule = made.tile.schedule
        assert schedule is not None
        for name, wanted in preference.entries.items():
            match name:
                case "panels":
                    assert schedule.panels.data == wanted
                case "tall":
                    assert made.tile.block[0] <= int(wanted)
                case "copies":
                    assert schedule.copies.data == wanted
                case _:
                    # Blocks are shared out evenly, so they may be smaller.
                    got = {"depth": schedule.depth, "rows": schedule.rows}
                    own_tall = made.tile.block[0]
                    got["columns"] = schedule.columns
                    assert got[name].data < int(wanted) + own_tall
    names = {name for each in found for name in each.entries}
    assert names >= {"panels", "tall", "copies"}
