"""Ten thousand shapes in a row: memory stays flat, and calls stay in machine code."""

from __future__ import annotations

import gc
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import numpy as np
import pytest

import static_runtime as sr
from static_runtime.runtime.plan.block import memory_in_use
from static_runtime.runtime.plan.plan_table import KEPT_BYTES

from ..runtime.resident import resident_bytes
from ..runtime.texts import as_compiled
from .open_models import BLOCK, Array

FEW, MANY = 12, 100
"""Values of each of two sizes: of a test that is always run, and of a long one."""

ROOM = 2 << 20
"""Bytes that a process may have beside what is counted."""

THREADS = 8

EDGES = [FEW, pytest.param(MANY, marks=pytest.mark.soak)]


def trimmed() -> int:
    """Bytes of this process, once what is free was given back."""
    gc.collect()
    return resident_bytes()


@pytest.mark.parametrize("edge", EDGES)
def test_memory_is_that_of_the_largest_shape(edge: int):
    module = sr.compile(BLOCK.model, options=sr.Options(cache=False))
    random = np.random.default_rng(edge)
    shapes = [(1 + at // edge, 1 + at % edge) for at in random.permutation(edge**2)]
    largest, before = 0, memory_in_use()
    kept = as_compiled(module)._plans  # pyright: ignore[reportPrivateUsage]
    for number, (batch, length) in enumerate(shapes):
        inputs = BLOCK.inputs(random, batch, length)
        result = module(*inputs)
        if number % 97 == 0:
            BLOCK.check(result, inputs)
        report = module.memory_report(batch=batch, length=length)
        largest = max(largest, report.activations)
        assert memory_in_use() - before <= 1.2 * largest
        assert kept.nbytes <= KEPT_BYTES
    assert module.statistics().slow_calls == edge**2
    module.release()
    assert memory_in_use() == before


@pytest.mark.soak
def test_the_process_does_not_grow(capsys: pytest.CaptureFixture[str]):
    module = sr.compile(BLOCK.model, options=sr.Options(cache=False, threads=1))
    random = np.random.default_rng(0)
    rows = random.standard_normal((MANY**2, 16), np.float32)

    def call(shapes: list[tuple[int, int]]) -> None:
        for batch, length in shapes:
            module(rows[: batch * length].reshape(batch, length, 16))

    shapes = [(1 + at // MANY, 1 + at % MANY) for at in random.permutation(MANY**2)]
    call(shapes[:1])
    module.release()
    start = trimmed()
    call(shapes[1:5000])
    module.release()
    middle = trimmed()
    call(shapes[5000:])
    module.release()
    end = trimmed()
    # The table of plans is full long before the middle.
    assert middle - start <= ROOM
    assert end - middle <= ROOM // 4
    with capsys.disabled():
        print(f"\ngrowth {middle - start:,} bytes, then {end - middle:,}")


@pytest.mark.parametrize("turns", [2, pytest.param(200, marks=pytest.mark.soak)])
def test_threads_alternate_between_many_shapes(turns: int, runs_host: None):
    module = sr.compile(BLOCK.model, options=sr.Options(cache=False))
    shapes = [(1 + at // 8, 1 + at % 8) for at in range(64)]
    random = np.random.default_rng(0)
    inputs = [BLOCK.inputs(random, *each) for each in shapes]
    wanted = [module(*each) for each in inputs]
    calls, barrier = list[int](), Barrier(THREADS)

    def work(number: int) -> None:
        order = np.random.default_rng(number)
        for turn in range(1 + turns):
            barrier.wait()
            if number == 0 and turn == 1:
                calls.append(module.statistics().slow_calls)
            barrier.wait()
            for at in order.permutation(len(shapes)):
                result: Array = module(*inputs[at])
                np.testing.assert_array_equal(result, wanted[at])

    with ThreadPoolExecutor(THREADS) as pool:
        list(pool.map(work, range(THREADS)))
    assert module.statistics().slow_calls == calls[0]
