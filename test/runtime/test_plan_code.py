"""Plans that code makes are those that Python makes, for all sizes."""

from __future__ import annotations

import numpy as np
import pytest

import static_runtime as sr
from static_runtime.runtime.abi import Opcode, RowLayout, State
from static_runtime.runtime.plan_code import PlanCode, PlanLayout
from static_runtime.runtime.plan_table import PlanTable
from static_runtime.runtime.program import Program
from static_runtime.runtime.skips import taken_ways

from ..models.open_models import BLOCK, CHAIN, GROWN, OpenModel

pytestmark = pytest.mark.usefixtures("runs_host")

SOME = [0, 1, 2, 3, 5, 8, 17, 64, 129, 1000, 2**20, 2**31, 2**61]
"""Values of symbols: some make results other memory, some are too great."""


def by_python(program: Program, symbols: dict[str, int]) -> list[int] | None:
    """The row that is made without code; None where the sizes are refused."""
    made = PlanTable(program, np.zeros(State.SIZE, np.uint64))
    try:
        return made.row_for(symbols).tolist()
    except ValueError:
        return None


@pytest.mark.parametrize(
    "model", [BLOCK, CHAIN, GROWN], ids=["texts", "chain", "grown"]
)
def test_rows_are_those_of_python(model: OpenModel):
    module = sr.compile(model.model)
    program, planner = module.program, module.runtime.plans.planner
    assert planner is not None
    assert program.skips
    random = np.random.default_rng(3)
    refused = skipping = 0
    for turn in range(300):
        some = SOME[: 3 if turn % 2 else None]
        values = [int(each) for each in random.choice(some, len(program.symbols))]
        symbols = dict(zip(program.symbols, values, strict=True))
        row, known = planner.row(values), by_python(program, symbols)
        if row is None or known is None:
            # Python counts in numbers of any length, and has the last word.
            assert row is None
            assert known is None or max(values) >= 2**20
            refused += 1
            continue
        known[RowLayout.USED] = 0
        assert row.tolist() == known
        skipping += any(taken_ways(program, symbols))
    assert refused
    assert skipping


def test_code_of_plans_is_in_the_artifact():
    model = CHAIN.model
    assert sr.compile(model).runtime.plans.planner is not None
    # The second time it is loaded.
    again = sr.compile(model)
    assert again.report.warm
    assert again.runtime.plans.planner is not None
    inputs = CHAIN.inputs(np.random.default_rng(2), 3, 2, 1, 2)
    CHAIN.check(again(*inputs), inputs)
    assert again.statistics().plans == 1


def test_code_that_is_none_is_refused():
    layout = PlanLayout(RowLayout(1, 0))
    with pytest.raises(ValueError, match="expected the code of plans, got none"):
        PlanCode.of_bytes(b"", layout)
    with pytest.raises(ValueError, match="expected"):
        PlanCode.of_bytes(np.array([1, 2, 3], "<i8").tobytes(), layout)
    stores = [Opcode.STORE, 0, 0, 8 * layout.size, Opcode.RETURN, 0, 0, 0]
    with pytest.raises(ValueError, match="expected an instruction"):
        PlanCode(np.array(stores, np.int64), 1, layout)
    kept = PlanCode(np.array([Opcode.RETURN, 0, 0, 0], np.int64), 1, layout)
    assert PlanCode.of_bytes(kept.to_bytes(), layout).code.tolist() == [0, 0, 0, 0]
