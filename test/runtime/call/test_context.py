"""A runtime has the memory that its runs need, and gives it back."""

from __future__ import annotations

import gc
from typing import Any

import numpy as np
import pytest

import static_runtime as sr
from static_runtime.runtime.abi import CALLS, aligned
from static_runtime.runtime.call.context import Context
from static_runtime.runtime.plan.block import memory_in_use

from ..texts import DOUBLE, RUNNING, WORDS, compiled, fresh

pytestmark = pytest.mark.usefixtures("few_objects")

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
"""Three activations; no more than two are alive at a time."""


def rows(count: int) -> np.ndarray[Any, np.dtype[np.float32]]:
    """Rows of three numbers."""
    return np.arange(count * 3, dtype=np.float32).reshape(count, 3) - 2


def steps(x: np.ndarray[Any, np.dtype[np.float32]]) -> np.ndarray[Any, Any]:
    """What the model computes."""
    for _ in range(4):
        x = np.cumsum(x, 0, dtype=np.float32)
    return x


def test_a_program_without_symbols_is_planned_from_the_start():
    context = fresh(DOUBLE).context
    assert context.plan.offsets == ()
    assert context.plan.is_optimal


def test_the_plan_is_of_the_last_sizes():
    module = fresh(STEPS)
    assert module.plan.size == 0
    for count in (5, 2, 100):
        module(rows(count))
        rounded = aligned(count * 12)
        assert module.plan.size == module.plan.lower_bound == 2 * rounded
        assert len(module.plan.offsets) == 3


def test_the_block_grows_and_is_used_again():
    module = fresh(STEPS)
    context = module.context
    module(rows(100))
    block = context.activations
    assert block.size == context.plan.size
    module(rows(3))
    assert context.activations is block
    module(rows(200))
    assert context.activations.size >= context.plan.size > block.size
    assert context.words[context.layout.ACTIVATIONS] == context.activations.ctypes.data


def test_a_block_that_grows_by_small_steps_seldom_does():
    module, sizes = fresh(STEPS), set[int]()
    for count in range(1000, 1500, 5):
        np.testing.assert_array_equal(module(rows(count)), steps(rows(count)))
        sizes.add(module.context.activations.size)
    assert len(sizes) <= 5
    assert max(sizes) <= 1.2 * module.plan.size


def test_a_block_that_is_much_too_large_shrinks():
    module = fresh(STEPS)
    context = module.context
    for _ in range(2):
        # One call that needs much begins the count anew.
        module(rows(100_000))
        for at in range(CALLS):
            module(rows(40 if at == 5 else 10))
        assert context.activations.size > 100_000
    module(rows(10))
    assert context.activations.size == module.memory_report(n=40).activations
    np.testing.assert_array_equal(module(rows(5000)), steps(rows(5000)))


def test_contexts_that_no_call_had_meanwhile_give_their_blocks_back():
    module = fresh(STEPS)
    code = module.context.code
    lent = code.borrow()
    module(rows(100_000))
    other = module._pool[code.borrow()]  # pyright: ignore[reportPrivateUsage]
    assert other.address != lent
    assert other.activations.size
    code.give_back(other.address)
    code.give_back(lent)
    module(rows(100_000))
    for _ in range(2):
        module(rows(100_000))
        for _ in range(CALLS + 1):
            module(rows(10))
    assert not other.activations.size
    assert module.context.activations.size == module.context.plan.size


def test_memory_is_given_back_and_taken_again():
    gc.collect()
    module, before = fresh(STEPS), memory_in_use()
    for count in (1000, 10):
        module(rows(count))
        assert memory_in_use() > before
        module.release()
        assert memory_in_use() == before
        np.testing.assert_array_equal(module(rows(count)), steps(rows(count)))
    # Whose plan is known needs no conversion for new memory.
    assert module.statistics().slow_calls == 2
    del module
    gc.collect()
    assert memory_in_use() == before


def test_a_runtime_in_use_keeps_its_memory():
    module = fresh(STEPS)
    module(rows(1000))
    context = module.context
    assert context.code.borrow() == context.address
    module.release()
    assert context.activations.size
    context.code.give_back(context.address)
    module.release()
    assert not context.activations.size


def test_a_plan_that_is_too_large_leaves_the_module_as_it_was():
    module = fresh(STEPS)
    module(rows(4))
    context = module.context
    for count in (2**60, 2**62):
        with pytest.raises((MemoryError, ValueError)):
            context.prepare({"n": count})
        assert context.symbols == {"n": 4}
    np.testing.assert_array_equal(module(rows(4)), steps(rows(4)))


def test_says_which_sizes_and_which_op_need_the_memory():
    context = fresh(STEPS).context
    with pytest.raises(MemoryError) as error:
        context.prepare({"n": 2**50})
    assert str(error.value) == (
        "expected memory of 27021597764222976 bytes for what steps computes with "
        "n = 1125899906842624; the largest tensor has 13510798882111488 bytes "
        "(graph.cumsum), got none"
    )


def another(module: sr.StaticModule) -> Context:
    """A context of a module that is in no pool."""
    first = module.context
    call_out = int(first.words[first.layout.CALL_OUT])
    return Context(module.program, first.code, first.constants, call_out, first.plans)


def test_a_context_of_its_own_runs_the_program():
    context = another(compiled(WORDS))
    table, indices = np.eye(4, 2, dtype=np.float32), np.array([1, 0, 3])
    (result,) = context.run([table, indices], {"rows": 4, "n": 3})
    np.testing.assert_array_equal(result, table[indices])


def test_says_what_failed_and_runs_again():
    context = another(compiled(WORDS))
    table = np.eye(4, 2, dtype=np.float32)
    for index in (4, -1):
        with pytest.raises(IndexError, match=f"words: .* from 0 to 3, got {index}"):
            context.run([table, np.array([0, index])], {"rows": 4, "n": 2})
    (result,) = context.run([table, np.array([1])], {"rows": 4, "n": 1})
    np.testing.assert_array_equal(result, table[[1]])


def test_an_error_is_told_once():
    module = fresh(RUNNING)
    context = module.context
    context.error = ValueError("of a run before")
    context.run([rows(2)], {"n": 2})
    assert context.error is None
