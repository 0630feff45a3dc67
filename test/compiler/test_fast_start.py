"""
Quick code answers while a thread compiles the full code, which is exchanged between
calls: whoever calls meanwhile, and whatever becomes of the compile.
"""

from __future__ import annotations

import copy
import threading
import warnings
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import static_runtime as sr
from static_runtime.compiler.driver.driver import Driver
from static_runtime.compiler.fast_start import Rest
from static_runtime.lowering import llvm_to_object
from static_runtime.lowering.llvm_to_object import CODE, Machine
from static_runtime.runtime.call.compiled import NativeModule

from .held_compiles import MODEL, PATIENCE, QUICK, W, rows, tier

pytestmark = pytest.mark.usefixtures("own_cache")

THREADS = 6

SAME = """
func.func @same(%x: tensor<4x40xf32>, %w: tensor<40x40xf32>) -> tensor<4x40xf32> {
  %0 = graph.matmul %x, %w : tensor<4x40xf32>, tensor<40x40xf32> -> tensor<4x40xf32>
  return %0 : tensor<4x40xf32>
}
"""
"""A product of known sizes."""


def test_quick_code_answers_until_the_full_code_is_there(go: threading.Event):
    module = sr.compile(MODEL, options=QUICK)
    assert tier(module) == "fast-start"
    assert not module.wait(0)
    before = {n: module(rows(n), W) for n in (1, 5)}
    seconds = module.report.seconds
    go.set()
    assert module.wait(PATIENCE)
    assert tier(module) == "full"
    assert module.report.seconds > seconds
    whole: Any = sr.compile(MODEL, options=sr.Options(cache=False))
    assert tier(whole) == "full"
    assert whole.wait(0)
    assert module.report.object_bytes == whole.report.object_bytes
    for n in (1, 5, 3):
        np.testing.assert_array_equal(module(rows(n), W), whole(rows(n), W))
        np.testing.assert_array_equal(
            before.get(n, whole(rows(n), W)), whole(rows(n), W)
        )


@pytest.mark.sampled(every=2)
@pytest.mark.usefixtures("runs_host")
@pytest.mark.parametrize("text", [MODEL, SAME])
def test_threads_call_while_the_code_is_exchanged(go: threading.Event, text: str):
    counts = [4] if text is SAME else [*range(1, 30)]
    whole: Any = sr.compile(text, options=sr.Options(cache=False))
    wanted = {n: whole(rows(n), W) for n in counts}
    module: Any = sr.compile(text, options=QUICK)
    begun = threading.Barrier(THREADS + 1)

    def call(number: int) -> int:
        calls = 0
        order = np.random.default_rng(number).permutation(counts)
        last = ""
        while last != "full":
            last = module.report.tier
            for n in map(int, order):
                out = np.empty_like(wanted[n])
                is_odd = number % 2
                result = module(rows(n), W, out=out) if is_odd else module(rows(n), W)
                np.testing.assert_array_equal(result, wanted[n])
                # By way of Python, which converts.
                slow = module(rows(n).tolist(), W)
                np.testing.assert_array_equal(slow, wanted[n])
            calls += 1
            if calls == 3:
                # Nothing waits for the full code: that has not even begun.
                begun.wait(PATIENCE)
        return calls

    with ThreadPoolExecutor(THREADS) as pool:
        running = [pool.submit(call, number) for number in range(THREADS)]
        begun.wait(PATIENCE)
        go.set()
        assert module.wait(PATIENCE)
        for each in running:
            assert each.result(PATIENCE) >= 3
    assert tier(module) == "full"


def test_a_call_once_warm_is_one_of_machine_code(monkeypatch: pytest.MonkeyPatch):
    module: Any = sr.compile(MODEL, options=QUICK)
    quick, x = module._code, rows(3)
    module(x, W)
    assert module.wait(PATIENCE)
    assert module._code is not quick
    assert np.shares_memory(module._code.state, quick.state)
    slow = module.statistics().slow_calls

    def refuse(*_: Any, **__: Any) -> Any:
        raise AssertionError("expected machine code, got a call by Python")

    monkeypatch.setattr(NativeModule, "__call__", refuse)
    monkeypatch.setattr(NativeModule, "_lend", refuse)
    monkeypatch.setattr(NativeModule, "_add_row", refuse)
    module(x, W, out=np.empty((3, 40), np.float32))
    assert module.statistics().slow_calls == slow
    assert all(each.code is module._code for each in module.pool)


def fail_full_code(monkeypatch: pytest.MonkeyPatch, error: Exception) -> None:
    """Lets LLVM fail for all but quick code."""
    compile_text = llvm_to_object.compile_text

    def failing(text: str, machine: Machine) -> bytes:
        if machine.code == CODE:
            raise error
        return compile_text(text, machine)

    monkeypatch.setattr(llvm_to_object, "compile_text", failing)


@pytest.mark.parametrize("error", [RuntimeError("no registers"), MemoryError("none")])
def test_a_failure_is_told_once_and_quick_code_goes_on(
    monkeypatch: pytest.MonkeyPatch,
    error: Exception,
    own_cache: Path,
    go: threading.Event,
):
    fail_full_code(monkeypatch, error)
    module: Any = sr.compile(MODEL, options=QUICK)
    first = module(rows(2), W)
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        go.set()
        assert not module.wait(PATIENCE)
    (only,) = told
    assert only.category is RuntimeWarning
    name = type(error).__name__
    assert str(only.message).startswith("expected the full code of <StaticModule model")
    assert f"got {name}: {error}; code of tier fast-start goes on" in str(only.message)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert not module.wait()
        assert tier(module) == "fast-start"
        np.testing.assert_array_equal(module(rows(2), W), first)
        other = copy.copy(module)
        assert not other.wait()
        assert tier(other) == "fast-start"
        np.testing.assert_array_equal(other(rows(2), W), first)
    assert not [*own_cache.rglob("*.sr")]


def test_only_full_code_is_kept(own_cache: Path, go: threading.Event):
    module: Any = sr.compile(MODEL, options=QUICK)
    module(rows(2), W)
    files = [each for each in own_cache.rglob("*") if each.is_file()]
    assert not [each for each in files if b"\x7fELF" in each.read_bytes()]
    again: Any = sr.compile(MODEL, options=QUICK)
    assert (again.report.warm, tier(again)) == (False, "fast-start")
    go.set()
    assert module.wait(PATIENCE)
    assert again.wait(PATIENCE)
    for options in (QUICK, sr.Options()):
        warm: Any = sr.compile(MODEL, options=options)
        assert (warm.report.warm, tier(warm)) == (True, "full")
        assert warm.report.object_bytes == module.report.object_bytes
        assert warm.maker.artifact.objects == module.maker.artifact.objects


def test_full_code_that_is_kept_meanwhile_is_taken(
    monkeypatch: pytest.MonkeyPatch, go: threading.Event
):
    module: Any = sr.compile(MODEL, options=QUICK)
    whole: Any = sr.compile(MODEL)
    assert (whole.report.warm, tier(whole)) == (False, "full")

    def refuse(*_: Any) -> Any:
        raise AssertionError("expected nothing to be compiled")

    monkeypatch.setattr(Driver, "finish_aside", refuse)
    go.set()
    assert module.wait(PATIENCE)
    assert tier(module) == "full"
    np.testing.assert_array_equal(module(rows(2), W), whole(rows(2), W))


def test_where_there_is_no_thread_who_waits_compiles(monkeypatch: pytest.MonkeyPatch):
    start = threading.Thread.start

    def refuse(self: threading.Thread) -> None:
        if self.name == "static_runtime-fast-start":
            raise RuntimeError("can't start new thread")
        start(self)

    monkeypatch.setattr(threading.Thread, "start", refuse)
    module: Any = sr.compile(MODEL, options=QUICK)
    first = module(rows(2), W)
    assert tier(module) == "fast-start"
    with ThreadPoolExecutor(4) as pool:
        assert all(each.result() for each in [pool.submit(module.wait)] * 4)
    assert tier(module) == "full"
    np.testing.assert_array_equal(module(rows(2), W), first)


def test_other_compiles_go_between_the_kernels_of_a_full_one(
    monkeypatch: pytest.MonkeyPatch,
):
    waiting, go = threading.Event(), threading.Event()
    finish = Rest.finish

    def held_between(self: Rest, go_on: Callable[[], None]) -> Any:
        def wait() -> None:
            waiting.set()
            assert go.wait(PATIENCE)
            go_on()

        return finish(self, wait)

    monkeypatch.setattr(Rest, "finish", held_between)
    module: Any = sr.compile(MODEL, options=QUICK)
    assert waiting.wait(PATIENCE)
    other: Any = sr.compile(SAME, options=sr.Options(cache=False))
    assert other(rows(4), W).shape == (4, 40)
    assert tier(module) == "fast-start"
    go.set()
    assert module.wait(PATIENCE)
