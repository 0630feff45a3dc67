"""Blocks of activations are aligned, counted and limited."""

from __future__ import annotations

import gc
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import static_runtime as sr
from static_runtime.runtime.abi import ALIGNMENT
from static_runtime.runtime.plan import block
from static_runtime.runtime.plan.block import (
    aligned_block,
    memory_in_use,
    set_memory_limit,
)

from ..resident import resident_bytes
from ..texts import fresh

SUMS = """
func.func @sums(%x: tensor<?x3xf32, ["n"]>) -> tensor<?x3xf32, ["n"]> {
  %0 = graph.cumsum %x {axis = 0 : i64} : tensor<?x3xf32, ["n"]>
    -> tensor<?x3xf32, ["n"]>
  %1 = graph.cumsum %0 {axis = 0 : i64} : tensor<?x3xf32, ["n"]>
    -> tensor<?x3xf32, ["n"]>
  return %1 : tensor<?x3xf32, ["n"]>
}
"""


@pytest.fixture(autouse=True)
def no_limit() -> Iterator[None]:
    """Lifts the limit after a test."""
    yield
    set_memory_limit(None)


def ones(count: int) -> np.ndarray[tuple[int, int], np.dtype[np.float32]]:
    """Rows of three ones."""
    return np.ones((count, 3), np.float32)


@pytest.mark.parametrize("size", [1, 63, 64, 1000, 1 << 17, (1 << 22) + 1])
def test_blocks_are_aligned_and_counted(size: int):
    before = memory_in_use()
    made = aligned_block(size, lambda: "a test")
    assert made.size == size
    assert made.ctypes.data % ALIGNMENT == 0
    assert memory_in_use() - before == size
    made[:] = 7
    part = made[-1:]
    del made
    assert memory_in_use() - before == size
    assert part[0] == 7
    del part
    assert memory_in_use() == before


def test_a_large_block_goes_back_to_the_system():
    made = aligned_block(1 << 26, lambda: "a test")
    made[:] = 1
    before = resident_bytes()
    del made
    assert before - resident_bytes() > 1 << 25


def test_there_may_be_too_little():
    before = memory_in_use()
    with pytest.raises(MemoryError, match="of 1152921504606846976 bytes for a test"):
        aligned_block(1 << 60, lambda: "a test")
    assert memory_in_use() == before


def test_a_limit_holds_for_all_modules_together():
    # What modules of other tests do not use would be given back meanwhile.
    gc.collect()
    for each in list(block._budget.releasers):  # pyright: ignore[reportPrivateUsage]
        each.release()
    assert not memory_in_use()
    one, other = fresh(SUMS), fresh(SUMS)
    one(ones(1000))
    each = memory_in_use()
    with pytest.raises(ValueError, match="at least 0 bytes, got -1"):
        sr.set_memory_limit(-1)
    wrong: Any = "5"
    with pytest.raises(TypeError, match="a limit in bytes or None, got '5'"):
        sr.set_memory_limit(wrong)
    # What one module does not use at the moment, it gives to the other.
    sr.set_memory_limit(each)
    other(ones(1000))
    assert memory_in_use() <= each
    np.testing.assert_array_equal(one(ones(1000)), other(ones(1000)))
    code = one.context.code
    one(ones(1000))
    lent = code.borrow()
    message = rf"at most {each} bytes of activations in all .* with n = 1000; the larg"
    with pytest.raises(MemoryError, match=message):
        other(ones(1000))
    code.give_back(lent)
    other(ones(1000))
    with pytest.raises(MemoryError, match="set_memory_limit"):
        other(ones(1000_000))
    sr.set_memory_limit(None)
    np.testing.assert_allclose(other(ones(10_000))[-1], 50_005_000, rtol=1e-3)


def test_a_block_grows_no_further_than_the_limit():
    module = fresh(SUMS)
    module(ones(1000))
    before = module.context.activations.size
    needed = module.memory_report(n=1010).activations
    # An eighth more than before is more than there may be, what is needed is not.
    sr.set_memory_limit(memory_in_use() - before + needed)
    module(ones(1010))
    assert module.context.activations.size == needed


SCRIPT = """
import os
from static_runtime.runtime.plan.block import aligned_block

made = aligned_block(1 << 20, lambda: "a test")
made[:] = 1
child = os.fork()
if not child:
    made[:] = 2
    os._exit(0)
assert os.waitpid(child, 0)[1] == 0
assert made.max() == 1
"""


def test_the_child_of_a_fork_has_memory_of_its_own():
    # In a process of one thread, as Python warns of a fork of several.
    subprocess.run([sys.executable, "-c", SCRIPT], check=True)
