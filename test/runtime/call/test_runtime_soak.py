"""Runtimes in many threads, and managed outputs, take no more memory after a while."""

from __future__ import annotations

import gc
import random
import time
from threading import Barrier, Thread
from typing import Any

import numpy as np
import pytest

import static_runtime as sr
from static_runtime.runtime.call.compiled import CompiledModule

from ..resident import resident_bytes
from ..texts import as_compiled

pytestmark = pytest.mark.soak

THREADS = 40
SECONDS = 60
LARGEST = 128
SLACK = 2 * 2**20
"""Bytes that a process may grow by after it has warmed up."""

LAYER = 'tensor<?x64xf32, ["n"]>'
MODEL = f"""
func.func @model(%x: {LAYER}, %w: tensor<64x64xf32>) -> {LAYER} {{
  %0 = graph.matmul %x, %w : {LAYER}, tensor<64x64xf32> -> {LAYER}
  %1 = graph.relu %0 : {LAYER} -> {LAYER}
  %2 = graph.matmul %1, %w : {LAYER}, tensor<64x64xf32> -> {LAYER}
  func.return %2 : {LAYER}
}}
"""


def compiled(**options: Any) -> CompiledModule:
    own = sr.Options(threads=1, cache=False, **options)
    return as_compiled(sr.compile(MODEL, options=own))


def test_forty_threads_start_small_and_grow():
    module = compiled()
    weight = np.eye(64, dtype=np.float32)
    barrier, at_rest, go_on = (Barrier(THREADS + 1) for _ in range(3))
    wrong: list[str] = []
    end = [0.0]

    def call(runtime: sr.StaticRuntime, chosen: random.Random, rows: int) -> None:
        x = np.full((rows, 64), chosen.randrange(1, 9), np.float32)
        x[0] = 0
        y = runtime.run([x, weight])
        if not np.array_equal(x, y):
            wrong.append(f"{rows} rows")

    def work(seed: int) -> None:
        runtime, chosen = sr.StaticRuntime(module), random.Random(seed)
        for rows in range(1, LARGEST + 1):
            call(runtime, chosen, rows)
        barrier.wait()
        call(runtime, chosen, LARGEST)
        at_rest.wait()
        go_on.wait()
        while time.monotonic() < end[0] and not wrong:
            call(runtime, chosen, chosen.randrange(1, LARGEST + 1))

    threads = [Thread(target=work, args=(each,)) for each in range(THREADS)]
    for each in threads:
        each.start()
    barrier.wait()
    at_rest.wait()
    # Threads and their arrays are what is warm, not what Python collects.
    gc.collect()
    end[0] = time.monotonic() + SECONDS
    go_on.wait()
    time.sleep(SECONDS / 10)
    before = resident_bytes()
    for each in threads:
        each.join()
    assert not wrong
    assert resident_bytes() - before <= SLACK
    assert len(module._pool) <= THREADS + 1  # pyright: ignore[reportPrivateUsage]


@pytest.mark.parametrize("manages", [False, True])
def test_results_are_kept_and_dropped_at_random(manages: bool):
    module = compiled(manage_output_tensors=manages)
    weight = np.eye(64, dtype=np.float32)
    chosen = random.Random(0)
    held: list[tuple[float, Any]] = []

    def calls(count: int) -> None:
        for _ in range(count):
            value = float(chosen.randrange(1, 9))
            x = np.full((chosen.randrange(1, LARGEST + 1), 64), value, np.float32)
            y = module(x, weight)
            held.append((value, y[::2] if chosen.random() < 0.3 else y))
            if len(held) > 20 or chosen.random() < 0.45:
                value, y = held.pop(chosen.randrange(len(held)))
                assert (y == value).all()

    calls(20_000)
    before = resident_bytes()
    calls(100_000)
    assert resident_bytes() - before <= SLACK


def test_two_threads_do_nearly_twice_the_work():
    """A figure that is printed, since machines differ; results are compared."""
    module = compiled()
    x = np.random.default_rng(0).standard_normal((4096, 64)).astype(np.float32)
    weight = np.eye(64, dtype=np.float32)
    expected = module(x, weight)

    def work(times: int) -> None:
        runtime = sr.StaticRuntime(module)
        for _ in range(times):
            runtime.run([x, weight])
        np.testing.assert_array_equal(runtime.run([x, weight]), expected)

    def seconds(count: int) -> float:
        threads = [Thread(target=work, args=(300,)) for _ in range(count)]
        start = time.perf_counter()
        for each in threads:
            each.start()
        for each in threads:
            each.join()
        return time.perf_counter() - start

    pairs = [(seconds(1), seconds(2)) for _ in range(5)]
    ratio = sorted(2 * one / two for one, two in pairs)[len(pairs) // 2]
    print(
        f"\ntwo threads do {ratio:.2f} times what one does; {pairs[0][0] / 300:.2e} s"
    )
