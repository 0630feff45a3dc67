"""Plans that code makes are those that Python makes, for all sizes."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import numpy as np
import pytest

import static_runtime as sr
from static_runtime.runtime.abi import LIMIT, Opcode, PlanLayout, RowLayout
from static_runtime.runtime.plan.plan_code import PlanCode, Planner
from static_runtime.runtime.planning import (
    LASTING,
    PLANNERS,
    Plan,
    Record,
    plan_in_order,
)
from static_runtime.runtime.program.program import Program, Way
from static_runtime.runtime.program.size import evaluate

from ...models.open_models import BLOCK, CHAIN, GROWN, OpenModel

pytestmark = pytest.mark.usefixtures("runs_host")

SOME = [0, 1, 2, 3, 5, 8, 17, 64, 129, 1000, 2**20, 2**31, 2**61]
"""Values of symbols: some make results other memory, some are too great."""


def by_python(program: Program, symbols: dict[str, int]) -> list[int] | None:
    """The row that Python makes; None where the sizes are refused."""
    if any(evaluate(each.quantity, symbols) < 0 for each in program.checks):
        return None
    taken = [
        next((at for at, way in enumerate(skip.ways, 1) if holds(way, symbols)), 0)
        for skip in program.skips
    ]
    records = [
        Record(evaluate(each.bytes, symbols), each.first, each.last)
        for each in program.slots
    ]
    if sum(each.size + 64 for each in records) >= LIMIT:
        return None
    homes: dict[int, tuple[int, int]] = {}
    for skip, number in zip(program.skips, taken, strict=True):
        if number:
            way, own = skip.ways[number - 1], records[skip.slot]
            records[skip.slot] = replace(own, size=0)
            if way.region == "activations":
                home, before = homes.get(way.number, (way.number, 0))
                start = before + evaluate(way.offset, symbols)
                homes[skip.slot], whole = (home, start), records[home]
                records[home] = Record(
                    max(whole.size, start + own.size) if whole.size else 0,
                    min(whole.first, own.first),
                    max(whole.last, own.last),
                )
    made = plan_in_order(records, program.orders, 64)
    offsets = [*made.offsets]
    for slot, (home, start) in homes.items():
        offsets[slot] = made.offsets[home] + start
    head = [made.size, 0, made.lower_bound]
    return [*head, *symbols.values(), *offsets, *taken]


def holds(way: Way, symbols: dict[str, int]) -> bool:
    """Whether a slot is what `way` says for these sizes."""
    return all(any(evaluate(q, symbols) == 0 for q in each) for each in way.when)


@pytest.mark.parametrize(
    "model", [BLOCK, CHAIN, GROWN], ids=["texts", "chain", "grown"]
)
def test_rows_are_those_of_python(model: OpenModel):
    module = sr.compile(model.model)
    program, planner = module.program, module.context.plans.planner
    assert isinstance(planner, Planner)
    assert program.skips
    random = np.random.default_rng(3)
    refused = skipping = 0
    for turn in range(120):
        some = SOME[: 3 if turn % 2 else None]
        values = [int(each) for each in random.choice(some, len(program.symbols))]
        symbols = dict(zip(program.symbols, values, strict=True))
        row, status = planner.row(values)
        known = by_python(program, symbols)
        if status or known is None:
            # What is too great is refused before all of it is computed.
            assert status
            assert known is None or max(values) >= 2**20
            refused += 1
            continue
        assert row.tolist() == known
        skipping += any(known[program.row_layout.first_skip :])
    assert refused
    assert skipping


@pytest.mark.sampled(every=7)
@pytest.mark.parametrize("planner", PLANNERS)
def test_each_planner_plans_the_sizes_of_a_call(planner: str):
    options = sr.Options(cache=False, planner=planner)
    module = sr.compile(CHAIN.model, options=options)
    for sizes in ((3, 2, 1, 2), (17, 5, 3, 4), (1, 1, 1, 1)):
        inputs = CHAIN.inputs(np.random.default_rng(2), *sizes)
        CHAIN.check(module(*inputs), inputs)
        made = module.context.plan
        assert made.size >= made.lower_bound


def test_code_of_plans_is_in_the_artifact():
    model = CHAIN.model
    assert sr.compile(model).context.plans.planner is not None
    # The second time it is loaded.
    again = sr.compile(model)
    assert again.report.warm
    assert again.context.plans.planner is not None
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
        PlanCode(np.array(stores, np.int64), 2, layout)
    kept = PlanCode(np.array([Opcode.RETURN, 0, 0, 0], np.int64), 2, layout)
    assert PlanCode.of_bytes(kept.to_bytes(), layout).code.tolist() == [0, 0, 0, 0]


DEEP = """
func.func @main(%x: tensor<?x16xf32, ["n"]> {sr.name = "x"}) -> tensor<?x16xf32, ["n"]> {
  %w = graph.constant dense<0.125> : tensor<16x16xf32>
  %a = graph.matmul %x, %w : tensor<?x16xf32, ["n"]>, tensor<16x16xf32> -> tensor<?x16xf32, ["n"]>
  %b = graph.matmul %a, %w : tensor<?x16xf32, ["n"]>, tensor<16x16xf32> -> tensor<?x16xf32, ["n"]>
  %c = graph.matmul %b, %w : tensor<?x16xf32, ["n"]>, tensor<16x16xf32> -> tensor<?x16xf32, ["n"]>
  %d = graph.matmul %c, %w : tensor<?x16xf32, ["n"]>, tensor<16x16xf32> -> tensor<?x16xf32, ["n"]>
  func.return %d : tensor<?x16xf32, ["n"]>
}
"""  # noqa: E501


@pytest.mark.parametrize("planner", LASTING)
def test_plans_of_a_series_of_sizes_only_grow(planner: str):
    module = sr.compile(DEEP, options=sr.Options(cache=False, planner=planner))
    oracle = sr.compile(DEEP, options=sr.Options(cache=False))
    plans: list[Plan] = []
    for rows in (4, 2, 9, 4, 2, 9, 1):
        x = np.random.default_rng(rows).standard_normal((rows, 16)).astype(np.float32)
        np.testing.assert_array_equal(module(x), oracle(x))
        plans.append(module.plan)
    # Four rows of 64 bytes, then nine, in two places; two rows fit in both.
    assert [each.size for each in plans] == [512, 512, *[1152] * 5]
    assert [each.lower_bound for each in plans[2:5]] == [1152, 512, 256]
    assert {each.offsets for each in plans[2:]} == {plans[2].offsets}
    assert plans[0].offsets == plans[1].offsets != plans[2].offsets


def test_a_report_of_sizes_makes_nothing_grow():
    options = sr.Options(cache=False, planner="standard_resizing")
    module = sr.compile(DEEP, options=options)
    module(np.ones((4, 16), np.float32))
    assert module.memory_report(n=100).activations == 12800
    module(np.ones((3, 16), np.float32))
    assert module.plan.size == 512


@pytest.mark.parametrize("planner", LASTING)
def test_threads_see_plans_that_grow(planner: str):
    module = sr.compile(DEEP, options=sr.Options(cache=False, planner=planner))
    oracle = sr.compile(DEEP, options=sr.Options(cache=False))
    sizes = np.random.default_rng(3).permutation(40) + 1
    inputs = [np.full((n, 16), n, np.float32) for n in sizes]
    wanted = [oracle(x) for x in inputs]

    def work(start: int) -> None:
        for at in range(160):
            number = (start + at) % len(inputs)
            np.testing.assert_array_equal(module(inputs[number]), wanted[number])

    with ThreadPoolExecutor(6) as pool:
        assert len([*pool.map(work, range(0, 36, 6))]) == 6
    assert module.plan.size == 2 * 40 * 64
