"""A runtime plans its memory for the sizes of a run, and keeps the last few plans."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import static_runtime as sr
from static_runtime.runtime.runtime import (
    ALIGNMENT,
    KEPT_PLANS,
    StaticRuntime,
    aligned_block,
)

from .texts import DOUBLE, RUNNING, WORDS, compiled, fresh

STEPS = """
func.func @steps(%x: tensor<?x3xf32, ["n"]>) -> tensor<?x3xf32, ["n"]> {
  %0 = graph.cumsum %x {axis = 0 : i64} : tensor<?x3xf32, ["n"]>
    -> tensor<?x3xf32, ["n"]>
  %1 = graph.cumsum %0 {axis = 0 : i64} : tensor<?x3xf32, ["n"]>
    -> tensor<?x3xf32, ["n"]>
  %2 = graph.cumsum %1 {axis = 0 : i64} : tensor<?x3xf32, ["n"]>
    -> tensor<?x3xf32, ["n"]>
  %3 = graph.cumsum %2 {axis = 0 : i64} : tensor<?x3xf32, ["n"]>
    -> tensor<?x3xf32, ["n"]>
  return %3 : tensor<?x3xf32, ["n"]>
}
"""
"""Three activations, of which no more than two are alive at a time."""


def rows(count: int) -> np.ndarray[Any, np.dtype[np.float32]]:
    """Rows of three numbers."""
    return np.arange(count * 3, dtype=np.float32).reshape(count, 3) - 2


def steps(x: np.ndarray[Any, np.dtype[np.float32]]) -> np.ndarray[Any, Any]:
    """What the model computes."""
    for _ in range(4):
        x = np.cumsum(x, 0, dtype=np.float32)
    return x


@pytest.mark.parametrize("size", [1, 63, 64, 1000])
def test_blocks_are_aligned(size: int):
    block = aligned_block(size)
    assert block.size == size
    assert block.ctypes.data % ALIGNMENT == 0


def test_a_program_without_symbols_is_planned_from_the_start():
    runtime = fresh(DOUBLE).runtime
    assert runtime.plan.offsets == ()
    assert runtime.plan.is_optimal


def test_the_plan_is_of_the_last_sizes():
    module = fresh(STEPS)
    assert module.plan.total == 0
    for count in (5, 2, 100):
        module(rows(count))
        rounded = -(-count * 12 // ALIGNMENT) * ALIGNMENT
        assert module.plan.total == module.plan.lower_bound == 2 * rounded
        assert len(module.plan.offsets) == 3
        assert module.plan is module.runtime.plan


def test_sizes_that_take_turns_are_planned_once():
    module = fresh(STEPS)
    for _ in range(3):
        for count in (3, 17, 3, 0, 1):
            np.testing.assert_array_equal(module(rows(count)), steps(rows(count)))
    runtime = module.runtime
    assert set(runtime.plans) == {(3,), (17,), (0,), (1,)}
    known = {key: id(plan) for key, plan in runtime.plans.items()}
    for count in (0, 1, 3, 17):
        module(rows(count))
    assert known == {key: id(plan) for key, plan in runtime.plans.items()}


def test_the_plan_unused_for_longest_is_dropped():
    module = fresh(STEPS)
    for count in range(KEPT_PLANS):
        module(rows(count))
    module(rows(0))
    for count in range(KEPT_PLANS, KEPT_PLANS + 10):
        module(rows(count))
        module(rows(0))
        assert len(module.runtime.plans) == KEPT_PLANS
    assert {(0,), (11,), (KEPT_PLANS + 9,)} <= set(module.runtime.plans)
    assert (1,) not in module.runtime.plans
    assert (10,) not in module.runtime.plans
    np.testing.assert_array_equal(module(rows(1)), steps(rows(1)))


def test_the_block_grows_and_is_used_again():
    runtime = fresh(STEPS).runtime
    runtime.prepare({"n": 100})
    block = runtime.activations
    assert block.size == runtime.plan.total
    runtime.prepare({"n": 3})
    assert runtime.activations is block
    runtime.prepare({"n": 200})
    assert runtime.activations.size == runtime.plan.total > block.size
    assert (
        runtime.context[runtime.layout.ACTIVATIONS] == runtime.activations.ctypes.data
    )


def test_a_plan_that_is_too_large_leaves_the_runtime_as_it_was():
    module = fresh(STEPS)
    module(rows(4))
    runtime = module.runtime
    context = runtime.context.copy()
    for count in (2**60, 2**62):
        with pytest.raises((MemoryError, ValueError)):
            runtime.prepare({"n": count})
        np.testing.assert_array_equal(runtime.context, context)
        assert runtime.symbols == {"n": 4}
    np.testing.assert_array_equal(module(rows(4)), steps(rows(4)))


def another(module: sr.StaticModule) -> StaticRuntime:
    """A runtime of a module that is in no pool."""
    first = module.runtime
    call_out = int(first.context[first.layout.CALL_OUT])
    return StaticRuntime(module.program, first.code, first.constants, call_out)


def test_a_runtime_of_its_own_runs_the_program():
    runtime = another(compiled(WORDS))
    table, indices = np.eye(4, 2, dtype=np.float32), np.array([1, 0, 3])
    (result,) = runtime.run([table, indices], {"rows": 4, "n": 3})
    np.testing.assert_array_equal(result, table[indices])


def test_says_what_failed_and_runs_again():
    runtime = another(compiled(WORDS))
    table = np.eye(4, 2, dtype=np.float32)
    for index in (4, -1):
        with pytest.raises(IndexError, match=f"words: .* from 0 to 3, got {index}"):
            runtime.run([table, np.array([0, index])], {"rows": 4, "n": 2})
    (result,) = runtime.run([table, np.array([1])], {"rows": 4, "n": 1})
    np.testing.assert_array_equal(result, table[[1]])


def test_an_error_is_told_once():
    module = fresh(RUNNING)
    runtime = module.runtime
    runtime.error = ValueError("of a run before")
    runtime.run([rows(2)], {"n": 2})
    assert runtime.error is None


def test_activations_that_no_memory_holds_are_told_with_their_sizes():
    module = fresh(STEPS)
    runtime = module.runtime
    program = replace(runtime.program, reach=())
    runtime.program = program
    with pytest.raises(ValueError, match=r"2\*\*62 bytes, got .* = 23058430"):
        runtime.plan_for({name: 2**61 for name in program.symbols})
    np.testing.assert_array_equal(module(rows(3)), steps(rows(3)))
