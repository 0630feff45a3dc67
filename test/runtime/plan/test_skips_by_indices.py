"""A gather by the indices 0, 1, 2, … is not run, and has the bits that it would."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from threading import Barrier
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

import static_runtime as sr
from static_runtime.runtime.abi import MOST_ORDERS

from ...compiler.library.replay import replay
from ...compiler.tracing.test_trace import executed, traced
from ...models.open_models import several
from ..reordered_models import (
    COMPUTED,
    FIXED,
    INSIDE,
    LOOP,
    PARALLEL,
    SQUARES,
    beams,
    many,
)

Array = npt.NDArray[Any]

pytestmark = pytest.mark.usefixtures("runs_host")


def numbers(*shape: int) -> Array:
    """Numbers of this shape, always the same."""
    return np.random.default_rng(0).standard_normal(shape).astype(np.float32)


@cache
def compiled(text: str, **options: Any) -> sr.StaticModule:
    """A module of its own."""
    return sr.compile(text, options=sr.Options(cache=False, **options))


def poison(module: sr.StaticModule) -> None:
    """Fills what a call left in memory with NaN."""
    module.context.activations[:] = 0xFF


def outcome(module: sr.StaticModule, *inputs: Array) -> list[bytes] | str:
    """The bits of the results of a call, or its error."""
    try:
        results = module(*inputs)
    except IndexError as error:
        return str(error)
    finally:
        poison(module)
    return [each.tobytes() for each in several(results)]


def check(text: str, *inputs: Array, **options: Any) -> int:
    """How many kernels a call skips, whose outcome is that without skips."""
    module = compiled(text, **options)
    other = compiled(text, use_maybe_copy_variants=False, **options)
    assert module.program.skips
    assert not other.program.skips
    for _ in range(2):
        assert outcome(module, *inputs) == outcome(other, *inputs)
    return len(module.statistics().skipped)


ROWS: list[tuple[list[int], int, int]] = [
    ([0, 1, 2], 3, 1),
    ([2, 1, 0], 3, 0),
    ([0, 1, 1], 3, 0),
    ([1, 1, 2], 3, 0),
    ([0, 1, -1], 3, 0),
    ([-3, -2, -1], 3, 0),
    ([0, 1, 3], 3, 0),
    ([0, -4, 2], 3, 0),
    ([0], 1, 1),
    ([-1], 1, 0),
    ([1], 1, 0),
    ([], 0, 1),
    ([*range(100)], 100, 1),
    ([*range(99), 98], 100, 0),
    ([*range(99), 100], 100, 0),
]
"""Indices, the rows of the cache, and how many kernels are not run."""


@pytest.mark.sampled(together=1)
@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("kind", ["i32", "i64"])
@pytest.mark.parametrize("count", ["n", "m"])
def test_indices_decide(kind: str, count: str, threads: int):
    for rows, size, skipped in ROWS:
        indices = np.array(rows, kind.replace("i", "int"))
        inputs = numbers(size, 2, 64), indices, numbers(64, 8)
        assert check(beams(kind, count), *inputs, threads=threads) == skipped


@pytest.mark.sampled(every=2, start=1)
@pytest.mark.parametrize("kind", ["i32", "i64"])
def test_fewer_or_more_indices_are_no_copy(kind: str):
    for rows, size in (
        ([0, 1], 3),
        ([0, 1, 2], 2),
        ([], 2),
        ([0], 0),
        ([0, 1, 2, 0], 3),
    ):
        indices = np.array(rows, kind.replace("i", "int"))
        assert not check(
            beams(kind, "m"), numbers(size, 2, 64), indices, numbers(64, 8)
        )


def test_the_upper_half_of_an_index_counts():
    for high in (1, -1):
        indices = np.arange(3) + (np.int64(high) << 32) * np.array([0, 0, 1])
        assert not check(beams(), numbers(3, 2, 64), indices, numbers(64, 8))


@pytest.mark.parametrize("options", [{}, {"check_memory": True}, {"threads": 2}])
def test_sizes_may_be_known(options: dict[str, Any]):
    for rows, skipped in (([0, 1, 2, 3], 1), ([0, 1, 2, 2], 0), ([0, 1, 2, 4], 0)):
        inputs = numbers(4, 2, 64), np.array(rows), numbers(64, 8)
        assert check(FIXED, *inputs, **options) == skipped
    assert compiled(FIXED, **options).program.is_planned


def test_any_axis_may_be_in_order():
    for rows, skipped in (([0, 1, 2], 1), ([0, 2, 1], 0)):
        inputs = numbers(2, 3, 64), np.array(rows), numbers(64, 8)
        assert check(INSIDE, *inputs) == skipped


@pytest.mark.parametrize(
    "options", [{}, pytest.param({"check_memory": True}, marks=pytest.mark.full)]
)
def test_what_is_computed_stays_as_long_as_it_may_be_read(options: dict[str, Any]):
    orders = ([0, 1, 2], [2, 0, 1])
    for one in orders:
        for other in orders:
            inputs = numbers(3, 64), np.array(one), np.array(other), numbers(64, 64)
            wanted = (one == orders[0]) + (other == orders[0])
            assert check(COMPUTED, *inputs, **options) == wanted


def test_each_trip_has_its_own_indices():
    orders = np.array([[0, 1, 2], [2, 1, 0], [0, 1, 2], [0, 2, 1], [0, 1, 2]])
    for last, skipped in (([0, 1, 2], 1), ([1, 0, 2], 0)):
        orders[-1] = last
        assert check(LOOP, numbers(3, 64), orders, numbers(64, 64)) == skipped


@pytest.mark.parametrize("threads", [2, pytest.param(1, marks=pytest.mark.full)])
def test_each_branch_finds_out_for_itself(threads: int):
    random = np.random.default_rng(1)
    k, v = (random.standard_normal((8, 48, 48), np.float32) for _ in range(2))
    orders = np.arange(8), np.arange(8)[::-1].copy()
    assert compiled(PARALLEL, threads=2).program.branches
    for one in orders:
        for other in orders:
            wanted = (one is orders[0]) + (other is orders[0])
            assert check(PARALLEL, k, v, one, other, threads=threads) == wanted


def test_statistics_tell_of_the_last_run():
    module = sr.compile(beams("i64", "m"), options=sr.Options(cache=False))
    k, w = numbers(3, 2, 64), numbers(64, 8)
    assert module.statistics().skipped == ()
    for rows in ([0, 1, 2], [1, 0, 2], [0, 1, 2]):
        module(k, np.array(rows), w)
        told = module.statistics()
        if rows == [0, 1, 2]:
            (found,) = told.skipped
            assert found.source == "graph.index_select"
            assert found.reason == "m - n = 0 and indices in order"
            assert told.bytes_not_moved == k.nbytes
        else:
            assert told.skipped == ()
            assert told.bytes_not_moved == 0
    assert told.plans == 1


@pytest.mark.parametrize("text", [beams(), FIXED], ids=["open", "known"])
def test_each_thread_is_told_of_its_own_run(text: str):
    module, count = sr.compile(text, options=sr.Options(cache=False)), 8
    barrier, k, w = Barrier(count), numbers(4, 2, 64), numbers(64, 8)
    wanted = {rows: k[[*rows]] @ w for rows in ((0, 1, 2, 3), (0, 1, 3, 2))}

    def work(number: int) -> None:
        rows = [*wanted][number % 2]
        barrier.wait()
        for _ in range(50):
            found = module(k, np.array(rows), w)
            np.testing.assert_allclose(found, wanted[rows], rtol=1e-4, atol=1e-4)
            assert len(module.statistics().skipped) == 1 - number % 2
        barrier.wait()
        assert len(module.statistics().skipped) == 1 - number % 2

    with ThreadPoolExecutor(count) as pool:
        list(pool.map(work, range(count)))


@pytest.mark.full(beside="test_indices_decide")
def test_models_as_data_skip_too():
    for text in (beams("i32", "m"), beams("i64", "m"), FIXED):
        module = replay(text)
        for rows, skipped in (([0, 1, 2, 3], 1), ([0, 1, 3, 2], 0), ([0, 1, 2, 4], 0)):
            kind = np.int32 if "xi32" in text else np.int64
            inputs = numbers(4, 2, 64), np.array(rows, kind), numbers(64, 8)
            assert outcome(module, *inputs) == outcome(compiled(text), *inputs)
            assert len(module.statistics().skipped) == skipped


def test_a_kernel_that_other_indices_need_is_traced():
    inputs = numbers(3, 2, 64), np.arange(3), numbers(64, 8)
    assert "graph::index_select" in executed(traced(beams(), inputs))


def test_an_input_that_is_an_output_too_is_not_taken():
    module = sr.compile(SQUARES, options=sr.Options(cache=False))
    assert module.program.donations == ((0, 0),)
    w = numbers(64, 8)
    for rows in ([0, 1, 2], [2, 1, 0]):
        k, made = numbers(3, 2, 64), np.empty((3, 2, 8), np.float32)
        squares, wanted = module(k, np.array(rows), w)
        assert len(module.statistics().skipped) == (rows == [0, 1, 2])
        module(k, np.array(rows), w, out=(k, made))
        assert module.statistics().skipped == ()
        assert (k.tobytes(), made.tobytes()) == (squares.tobytes(), wanted.tobytes())


@pytest.mark.full(beside="test_indices_decide")
def test_a_program_keeps_a_word_of_what_it_finds():
    count = MOST_ORDERS + 2
    module = sr.compile(many(count), options=sr.Options(cache=False))
    assert len(module.program.skips) == MOST_ORDERS
    cache, w = numbers(count, 2, 64), numbers(64, 1)
    for turned in (0, 61, 63):
        orders = [
            np.arange(2)[:: -1 if at == turned else 1].copy() for at in range(count)
        ]
        inputs: Sequence[Array] = [
            each for pair in zip(cache, orders, strict=True) for each in pair
        ]
        found = module(*inputs, w)
        for at, each in enumerate(found):
            wanted = cache[at][orders[at]] @ w
            np.testing.assert_allclose(each, wanted, rtol=1e-4, atol=1e-4)
        assert len(module.statistics().skipped) == MOST_ORDERS - (turned < MOST_ORDERS)
