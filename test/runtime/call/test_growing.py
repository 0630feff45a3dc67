"""A cache that a model concatenates with new rows and returns grows where it is."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from copy import copy
from functools import cache
from threading import Barrier
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

import static_runtime as sr
from static_runtime.compiler.profiling import measure
from static_runtime.runtime.call import buffer
from static_runtime.runtime.machine import numpy_layout

Array = npt.NDArray[Any]

ATTENTION = """
func.func @attention(
    %q: tensor<?x2x?x4xf32, ["batch", "n"]>,
    %mask: tensor<?x1x1x?xf32, ["batch", "n + past"]>,
    %k: tensor<?x2x?x4xf32, ["batch", "past"]>,
    %v: tensor<?x2x?x4xf32, ["batch", "past"]>)
    -> (tensor<?x2x?x4xf32, ["batch", "n"]>,
        tensor<?x2x?x4xf32, ["batch", "n + past"]>,
        tensor<?x2x?x4xf32, ["batch", "n + past"]>) {
  %row = graph.tanh %q : tensor<?x2x?x4xf32, ["batch", "n"]>
    -> tensor<?x2x?x4xf32, ["batch", "n"]>
  %keys = graph.concat %k, %q {axis = 2 : i64} : tensor<?x2x?x4xf32, ["batch", "past"]>,
    tensor<?x2x?x4xf32, ["batch", "n"]> -> tensor<?x2x?x4xf32, ["batch", "n + past"]>
  %values = graph.concat %v, %row {axis = 2 : i64} :
    tensor<?x2x?x4xf32, ["batch", "past"]>, tensor<?x2x?x4xf32, ["batch", "n"]>
    -> tensor<?x2x?x4xf32, ["batch", "n + past"]>
  %turned = graph.permute %keys {order = array<i64: 0, 1, 3, 2>} :
    tensor<?x2x?x4xf32, ["batch", "n + past"]>
    -> tensor<?x2x4x?xf32, ["batch", "n + past"]>
  %0 = graph.matmul %q, %turned : tensor<?x2x?x4xf32, ["batch", "n"]>,
    tensor<?x2x4x?xf32, ["batch", "n + past"]>
    -> tensor<?x2x?x?xf32, ["batch", "n", "n + past"]>
  %1 = graph.add %0, %mask : tensor<?x2x?x?xf32, ["batch", "n", "n + past"]>,
    tensor<?x1x1x?xf32, ["batch", "n + past"]>
    -> tensor<?x2x?x?xf32, ["batch", "n", "n + past"]>
  %2 = graph.softmax %1 {axis = -1 : i64} :
    tensor<?x2x?x?xf32, ["batch", "n", "n + past"]>
    -> tensor<?x2x?x?xf32, ["batch", "n", "n + past"]>
  %3 = graph.matmul %2, %values : tensor<?x2x?x?xf32, ["batch", "n", "n + past"]>,
    tensor<?x2x?x4xf32, ["batch", "n + past"]> -> tensor<?x2x?x4xf32, ["batch", "n"]>
  return %3, %keys, %values : tensor<?x2x?x4xf32, ["batch", "n"]>,
    tensor<?x2x?x4xf32, ["batch", "n + past"]>,
    tensor<?x2x?x4xf32, ["batch", "n + past"]>
}
"""

SUMS = """
func.func @sums(%k: tensor<?xi64, ["past"]>, %row: tensor<2xi64>)
    -> (tensor<?xi64, ["past + 2"]>, tensor<?xi64, ["past + 2"]>) {
  %0 = graph.concat %k, %row {axis = 0 : i64} : tensor<?xi64, ["past"]>, tensor<2xi64>
    -> tensor<?xi64, ["past + 2"]>
  %1 = graph.add %0, %0 : tensor<?xi64, ["past + 2"]>, tensor<?xi64, ["past + 2"]>
    -> tensor<?xi64, ["past + 2"]>
  return %1, %0 : tensor<?xi64, ["past + 2"]>, tensor<?xi64, ["past + 2"]>
}
"""
"""Twice a cache, whose size only the run knows, and the cache."""


@cache
def original(text: str) -> sr.StaticModule:
    """A module whose `past` grows, which nothing calls."""
    return sr.compile(text, options=sr.Options(cache=False, grow=("past",)))


def made(text: str) -> sr.StaticModule:
    """A module of its own whose `past` grows."""
    return copy(original(text))


@cache
def attention() -> sr.StaticModule:
    """The module, for tests that look at results alone."""
    return made(ATTENTION)


@cache
def copying() -> sr.StaticModule:
    """The same model, which copies its caches."""
    return sr.compile(ATTENTION, options=sr.Options(cache=False))


def rows(seed: int, n: int, batch: int = 1) -> Array:
    """What is appended by a call."""
    random = np.random.default_rng(seed)
    return random.standard_normal((batch, 2, n, 4)).astype(np.float32)


def empty(batch: int = 1) -> tuple[Array, Array]:
    """The caches at the beginning."""
    none = np.zeros((batch, 2, 0, 4), np.float32)
    return none, none.copy()


def step(module: sr.StaticModule, q: Array, k: Array, v: Array) -> tuple[Array, ...]:
    """What a call returns: the result and both caches."""
    count = q.shape[2] + k.shape[2]
    mask = np.linspace(0, 1, q.shape[0] * count, dtype=np.float32)
    return module(q, mask.reshape(q.shape[0], 1, 1, count), k, v)


def same(found: tuple[Array, ...], wanted: tuple[Array, ...]) -> None:
    """Both are the same bits."""
    for one, other in zip(found, wanted, strict=True):
        assert one.dtype == other.dtype
        np.testing.assert_array_equal(one, other)


@pytest.fixture
def copies(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The rows that were copied to each new buffer."""
    found = list[int]()
    make = buffer.Buffer.__init__

    def note(self: Any, shape: Any, dtype: Any, axis: int, past: Array) -> None:
        found.append(past.shape[axis])
        make(self, shape, dtype, axis, past)

    monkeypatch.setattr(buffer.Buffer, "__init__", note)
    return found


@pytest.mark.full(beside="test_two_calls_continue_one_past")
@pytest.mark.parametrize("batch", [1, 3])
def test_steps_are_those_of_copies_bit_by_bit(batch: int, copies: list[int]):
    module, caches, wanted = made(ATTENTION), empty(batch), empty(batch)
    kept: list[tuple[Array, Array]] = []
    for at in range(64):
        q = rows(at, 1, batch)
        result, *caches = step(module, q, *caches)
        expected, *wanted = step(copying(), q, *wanted)
        same((result, *caches), (expected, *wanted))
        kept += zip(caches, wanted, strict=True)
    # The caches of all steps are the same memory, and each has its own rows still.
    for one, other in kept:
        np.testing.assert_array_equal(one, other)
    assert copies == [0, 0]
    assert module.statistics().plans == 1
    assert len({each.__array_interface__["data"][0] for each, _ in kept}) == 2


def test_memory_grows_geometrically(copies: list[int]):
    module, caches, wanted = made(ATTENTION), empty(), empty()
    for at, n in enumerate((50, 20, 1, 100, 1)):
        q = rows(at, n)
        result, *caches = step(module, q, *caches)
        expected, *wanted = step(copying(), q, *wanted)
        same((result, *caches), (expected, *wanted))
    assert copies == [0, 0, 50, 50, 71, 71]


def test_two_calls_continue_one_past(copies: list[int]):
    module = attention()
    _, *past = step(module, rows(0, 5), *empty())
    before = [each.copy() for each in past]
    copies.clear()
    one, other = rows(1, 2), rows(2, 3)
    first = step(module, one, *past)
    second = step(module, other, *past)
    again = step(module, one, *past)
    assert copies == [5, 5, 5, 5]
    same(first, step(copying(), one, *before))
    same(second, step(copying(), other, *before))
    same(again, first)
    same(tuple(past), tuple(before))
    # Each goes on where it is.
    copies.clear()
    for each in (first, second):
        caches = [cache.copy() for cache in each[1:]]
        same(step(module, one, *each[1:]), step(copying(), one, *caches))
    assert copies == []


CHANGES: Sequence[Callable[[Array], Any]] = (
    lambda each: each[:, :, :3],
    lambda each: each[:, :, 1:],
    lambda each: each[::-1],
    lambda each: each[[1, 1, 0]],
    lambda each: each.astype(np.float16),
    lambda each: np.asfortranarray(each),
    lambda each: each.tolist(),
)
"""What callers may make of a past."""


@pytest.mark.parametrize("change", CHANGES)
def test_a_past_that_was_changed_is_copied(change: Callable[[Array], Any]):
    module = attention()
    _, *past = step(module, rows(0, 5, 2), *empty(2))
    before = [each.copy() for each in past]
    changed = [change(each) for each in past]
    plain = [np.ascontiguousarray(change(each), np.float32) for each in before]
    q = rows(1, 1, len(plain[0]))
    mask = np.zeros((len(q), 1, 1, plain[0].shape[2] + 1), np.float32)
    same(module(q, mask, *changed), copying()(q, mask, *plain))
    same(tuple(past), tuple(before))


def test_one_array_is_the_past_of_both():
    module = attention()
    _, k, _ = step(module, rows(0, 5), *empty())
    before = k.copy()
    q = rows(1, 1)
    same(step(module, q, k, k), step(copying(), q, before, before))
    same((k,), (before,))


def test_threads_continue_one_past():
    module, plain = attention(), copying()
    _, *past = step(module, rows(0, 5), *empty())
    before = [each.copy() for each in past]
    barrier = Barrier(8)

    def run(seed: int) -> tuple[Array, ...]:
        barrier.wait()
        result = step(module, rows(seed, 1), *past)
        for at in range(40):
            result = step(module, rows(seed * 50 + at, 1), *result[1:])
        return result

    with ThreadPoolExecutor(8) as pool:
        found = [*pool.map(run, range(1, 9))]
    for seed, each in enumerate(found, 1):
        wanted = step(plain, rows(seed, 1), *before)
        for at in range(40):
            wanted = step(plain, rows(seed * 50 + at, 1), *wanted[1:])
        same(each, wanted)


def test_callers_may_not_write():
    _, k, _ = step(attention(), rows(0, 5), *empty())
    with pytest.raises(ValueError, match="read-only"):
        k[:] = 0


def test_a_run_that_fails_gives_its_rows_back(
    copies: list[int], monkeypatch: pytest.MonkeyPatch
):
    module = made(ATTENTION)
    _, *past = step(module, rows(0, 5), *empty())
    copies.clear()

    def fail(*_: Any, **__: Any) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(module, "_native", fail)
        with pytest.raises(KeyboardInterrupt):
            step(module, rows(1, 1), *past)
    step(module, rows(1, 1), *past)
    assert copies == []


def test_an_output_of_a_size_that_grows(copies: list[int]):
    module, past, wanted = made(SUMS), np.zeros(0, np.int64), np.zeros(0, np.int64)
    for at in range(40):
        row = np.array([at, -at])
        double, past = module(past, row)
        wanted = np.concatenate([wanted, row])
        same((double, past), (2 * wanted, wanted))
    assert copies == [0, 64]
    assert module.statistics().plans == 2


def test_python_may_run_it(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(numpy_layout, "is_as_expected", lambda: False)
    module, caches, wanted = made(ATTENTION), empty(), empty()
    for at in range(3):
        result, *caches = step(module, rows(at, 2), *caches)
        expected, *wanted = step(copying(), rows(at, 2), *wanted)
        same((result, *caches), (expected, *wanted))


def test_it_is_known_as_the_model_is():
    module = attention()
    assert module.input_names == ("q", "mask", "k", "v")
    assert "k: float32[batch, 2, past, 4]" in repr(module)
    assert "float32[batch, 2, n + past, 4]" in repr(module)
    mask = np.zeros((1, 1, 1, 2), np.float32)
    k, v = empty()
    by_name = module(mask=mask, q=rows(0, 2), v=v, k=k)
    same(by_name, module(rows(0, 2), mask, k, v))


def test_wrong_arguments_are_refused():
    module = attention()
    q, mask = rows(0, 2), np.zeros((1, 1, 1, 2), np.float32)
    k, v = empty()
    with pytest.raises(TypeError, match=r"expected 4 inputs \(q, mask, k, v\), got 6"):
        module(q, mask, k, v, k, v)
    with pytest.raises(TypeError, match=r"expected 4 inputs .* got none for v"):
        module(q, mask, k)
    with pytest.raises(ValueError, match=r"input mask: expected shape .*n \+ past"):
        module(q, mask[..., :1], k, v)
    with pytest.raises(ValueError, match=r"input v: expected shape .*past = 0"):
        module(q, mask, k, rows(0, 1))
    with pytest.raises(ValueError, match="input k: expected shape"):
        module(q, mask, k[0], v)
    with pytest.raises(TypeError, match="input k: expected float32, got float64"):
        module(q, mask, k.astype(np.float64), v)
    with pytest.raises(TypeError, match="expected no arrays for the outputs"):
        module(q, mask, k, v, out=(q, k, v))


def test_rows_are_not_taken_by_a_call_that_is_refused(copies: list[int]):
    module = attention()
    _, *past = step(module, rows(0, 5), *empty())
    copies.clear()
    with pytest.raises(ValueError, match="input mask"):
        module(rows(1, 1), np.zeros((1, 1, 1, 3), np.float32), *past)
    step(module, rows(1, 1), *past)
    assert copies == []


def test_it_is_pickled_and_run_by_runtimes():
    module = attention()
    again = pickle.loads(pickle.dumps(module))
    runtime = sr.StaticRuntime(again, sr.Options(cache=False, grow="past", threads=1))
    _, *past = step(module, rows(0, 5), *empty())
    mask = np.zeros((1, 1, 1, 6), np.float32)
    wanted = module(rows(1, 1), mask, *(each.copy() for each in past))
    same(runtime.run([rows(1, 1), mask, *past]), wanted)
    repeat = module.repeater(rows(1, 1), mask, *past)
    repeat(3)
    same(module(rows(1, 1), mask, *past), wanted)


def test_it_is_measured():
    arguments = rows(0, 1), np.zeros((1, 1, 1, 1), np.float32), *empty()
    found = measure(attention(), [arguments], warmup_runs=1, main_runs=2)
    assert found.input_size == 1


@pytest.mark.parametrize(
    ("grow", "message"),
    [
        (
            "rows",
            r"expected sizes of the inputs that grow \(batch, n, past\), got rows",
        ),
        ("batch", "expected an output that joins an input of size batch"),
    ],
)
def test_what_does_not_grow_is_refused(grow: str, message: str):
    with pytest.raises(sr.CompileError, match=message):
        sr.compile(ATTENTION, options=sr.Options(cache=False, grow=grow))
