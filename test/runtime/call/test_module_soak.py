"""A module that runs for long takes no more memory than one that ran for a while."""

from __future__ import annotations

import gc
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

import static_runtime as sr
from static_runtime.runtime.plan.plan_table import KEPT_BYTES

from ..resident import resident_bytes
from ..texts import fresh

pytestmark = pytest.mark.soak

Array = npt.NDArray[Any]

MODEL = """
func.func @model(%x: tensor<?x?xf32, ["n", "m"]>, %w: tensor<?x32xf32, ["m"]>,
    %i: tensor<?xi64, ["k"]>) -> (tensor<?x32xf32, ["k"]>, tensor<?xi64, ["n"]>) {
  %0 = graph.cumsum %x {axis = 0 : i64} : tensor<?x?xf32, ["n", "m"]>
    -> tensor<?x?xf32, ["n", "m"]>
  %1 = graph.matmul %0, %w : tensor<?x?xf32, ["n", "m"]>, tensor<?x32xf32, ["m"]>
    -> tensor<?x32xf32, ["n"]>
  %2 = graph.relu %1 : tensor<?x32xf32, ["n"]> -> tensor<?x32xf32, ["n"]>
  %3 = graph.argmax %2 {axis = 1 : i64, keepdims = false} : tensor<?x32xf32, ["n"]>
    -> tensor<?xi64, ["n"]>
  %4 = graph.embedding %2, %i : tensor<?x32xf32, ["n"]>, tensor<?xi64, ["k"]>
    -> tensor<?x32xf32, ["k"]>
  return %4, %3 : tensor<?x32xf32, ["k"]>, tensor<?xi64, ["n"]>
}
"""
"""Compiled ops, fallback ops and a look-up, of sizes that are known at the call."""

MOST = 100
"""The greatest size of a run; the first run is of these sizes."""

GROWTH = 20e6
"""Bytes that a process may grow by while it calls a module."""


def inputs(random: np.random.Generator, n: int, m: int, k: int) -> list[Array]:
    """Inputs of these sizes, with indices that now and then are out of range."""
    bad = 1 if random.random() < 0.1 else 0
    return [
        random.standard_normal((n, m)).astype(np.float32),
        random.standard_normal((m, 32)).astype(np.float32),
        random.integers(0, n + bad, k) if n + bad else np.zeros(0, np.int64),
    ]


def call(module: Any, random: np.random.Generator, sizes: list[int]) -> None:
    """Runs the model on one way or the other, and compares."""
    x, w, i = inputs(random, *sizes)
    given = [x, w, i] if random.random() < 0.7 else [np.asfortranarray(x), w, i]
    if i.size and i.max() >= len(x):
        with pytest.raises(IndexError, match=f"got {i[i >= len(x)][0]}$"):
            module(*given)
        return
    chosen, greatest = module(*given)
    y = np.maximum(np.cumsum(x, 0, dtype=np.float32) @ w, 0)
    np.testing.assert_allclose(chosen, y[i], rtol=1e-3, atol=1e-2)
    assert greatest.shape == (len(x),)


def random_sizes(random: np.random.Generator) -> list[int]:
    """Three sizes from none to the most."""
    return [int(size) for size in random.integers(0, MOST + 1, 3)]


def test_shapes_at_random_take_no_more_memory():
    module = fresh(MODEL)
    random = np.random.default_rng(0)
    call(module, random, [MOST] * 3)
    for _ in range(1000):
        call(module, random, random_sizes(random))
    before = resident_bytes()
    for _ in range(10_000):
        call(module, random, random_sizes(random))
    assert resident_bytes() - before < GROWTH
    assert module.context.plans.nbytes <= KEPT_BYTES


def test_threads_take_no_more_memory():
    module = fresh(MODEL)

    def work(seed: int, times: int) -> None:
        random = np.random.default_rng(seed)
        for _ in range(times):
            # Sizes stay for some calls, so that threads take both ways into the module.
            sizes = random_sizes(random)
            for _ in range(5):
                call(module, random, sizes)

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(work, range(4), [300] * 4))
        before = resident_bytes()
        list(pool.map(work, range(4, 8), [2000] * 4))
    assert resident_bytes() - before < GROWTH
    assert len(module._pool) <= 4  # pyright: ignore[reportPrivateUsage]


def test_compiling_takes_no_more_memory():
    def build() -> None:
        module = sr.compile(MODEL, options=sr.Options(cache=False))
        call(module, np.random.default_rng(0), [4, 3, 2])

    for _ in range(20):
        build()
    gc.collect()
    before = resident_bytes()
    for _ in range(200):
        build()
    gc.collect()
    assert resident_bytes() - before < 5 * 2**20
