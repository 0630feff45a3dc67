"""A run that takes long is interrupted by a signal, and the module goes on working."""

from __future__ import annotations

import signal
import sys
import threading
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

import static_runtime as sr
from static_runtime.dialects.dims import dim, guess, total
from static_runtime.dialects.graph.op import GraphOp
from static_runtime.dialects.graph.ops.cumulative import CumsumOp
from static_runtime.lowering.program_to_host import polls as interrupts
from static_runtime.runtime.abi import ContextLayout, State
from static_runtime.runtime.call.compiled import CompiledModule

from ...runtime.texts import as_compiled

pytestmark = pytest.mark.skipif(
    not hasattr(signal, "pthread_kill"), reason="no signals to threads on this system"
)

Array = npt.NDArray[Any]

LOOP = """
func.func @count(%from: tensor<i64>, %to: tensor<i64>) -> tensor<i64> {{
  %go = graph.lt %from, %to : tensor<i64>, tensor<i64> -> tensor<i1>
  %one = graph.constant dense<1> : tensor<i64>
  %last = graph.loop %go, %from, %to, %one {{trips = "{trips}", carried = 1 : i64,
      scanned = 0 : i64, conditional = true, backward = array<i64>}}
      : tensor<i1>, tensor<i64>, tensor<i64>, tensor<i64> -> tensor<i64> {{
  ^bb0(%at: tensor<i64>, %end: tensor<i64>, %step: tensor<i64>):
    %next = graph.add %at, %step : tensor<i64>, tensor<i64> -> tensor<i64>
    {op}
    %more = graph.lt %now, %end : tensor<i64>, tensor<i64> -> tensor<i1>
    graph.yield %more, %now : tensor<i1>, tensor<i64>
  }}
  return %last : tensor<i64>
}}
"""
"""Counts from one number to the other."""

NEGATE = "%now = graph.neg %minus : tensor<i64> -> tensor<i64>"
NEGATED = "%minus = graph.neg %next : tensor<i64> -> tensor<i64>\n    " + NEGATE
CALLING = """%row = graph.reshape %next {shape = ["1"]} : tensor<i64> -> tensor<1xi64>
    %sum = graph.cumsum %row {axis = 0 : i64} : tensor<1xi64> -> tensor<1xi64>
    %now = graph.reshape %sum {shape = []} : tensor<1xi64> -> tensor<i64>"""

ENDLESS, LIMITED = str(2**63 - 1), str(10**12)
START, SOON, LATE = np.int64(0), np.array(5), np.array(10**9)
"""Where counting starts, and ends at once, or after a minute at least."""

ZERO = np.array(0)


class Rung(Exception):
    """What the handler of a signal raises."""


@cache
def counting(trips: str = ENDLESS, op: str = NEGATED) -> sr.StaticModule:
    """A module that counts, in up to `trips` trips, with this op in each."""
    with pytest.MonkeyPatch.context() as patch:
        for name in ("nests", "decompose"):
            patch.setattr(CumsumOp, name, getattr(GraphOp, name))
        text = LOOP.format(trips=trips, op=op)
        return sr.compile(text, options=sr.Options(cache=False, threads=1))


def field(module: sr.StaticModule, number: int) -> int:
    """A field of the context of the first runtime."""
    return int(module.context.words[number])


@contextmanager
def handled(number: int, handler: Callable[..., Any]) -> Generator[None]:
    """A handler for a signal, in the place of the one that there is."""
    before = signal.signal(number, handler)
    try:
        yield
    finally:
        signal.signal(number, before)


@contextmanager
def sent_when_running(
    module: sr.StaticModule, number: int = signal.SIGINT, to: int | None = None
) -> Generator[None]:
    """Sends a thread, or else this one, a signal when the module is in a long run."""
    goal, over = threading.get_ident() if to is None else to, threading.Event()

    def send() -> None:
        while not field(module, ContextLayout.THREAD):
            if over.is_set():
                return
            time.sleep(0)
        signal.pthread_kill(goal, number)

    sender = threading.Thread(target=send)
    sender.start()
    try:
        yield
    finally:
        over.set()
        sender.join()


def is_usable(module: sr.StaticModule) -> None:
    """The module has its one context again, and counts."""
    state = as_compiled(module)._code.state  # pyright: ignore[reportPrivateUsage]
    assert int(state[State.FREE]) == module.context.address
    assert module.pool is not None
    assert len(module.pool) == 1
    assert field(module, ContextLayout.THREAD) == 0
    assert module(ZERO, SOON) == 5
    assert module([0][0], SOON) == 5


WAYS: dict[str, Callable[[sr.StaticModule], Any]] = {
    "machine code": lambda module: module(ZERO, LATE),
    "Python": lambda module: module(0, LATE),
    "names": lambda module: module(**{"from": ZERO, "to": LATE}),
    "an array for the output": lambda module: module(ZERO, LATE, out=np.array(7)),
}


@pytest.mark.sampled(every=3)
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("trips", [ENDLESS, LIMITED])
def test_a_key_ends_a_long_run(trips: str, way: str):
    module = counting(trips)
    with sent_when_running(module), pytest.raises(KeyboardInterrupt):
        WAYS[way](module)
    is_usable(module)


def test_what_any_handler_raises_ends_a_run():
    def ring(number: int, _: Any) -> None:
        raise Rung(number)

    module = counting()
    with (
        handled(signal.SIGALRM, ring),
        sent_when_running(module, signal.SIGALRM),
        pytest.raises(Rung, match=str(int(signal.SIGALRM))),
    ):
        module(ZERO, LATE)
    is_usable(module)


def test_a_handler_may_call_the_module_and_let_the_run_go_on():
    module, answers = counting(), list[int]()

    def answer(*_: Any) -> None:
        if answers:
            raise Rung
        answers.append(int(module(ZERO, SOON)))
        signal.raise_signal(signal.SIGALRM)

    with (
        handled(signal.SIGALRM, answer),
        sent_when_running(module, signal.SIGALRM),
        pytest.raises(Rung),
    ):
        module(ZERO, LATE)
    assert answers == [5]
    assert module(ZERO, SOON) == 5


def begin_and_wait(other: threading.Thread, done: threading.Event) -> None:
    """Starts a thread, and waits for an event as long as no signal comes."""
    other.start()
    # A signal that comes just before a wait is seen after it.
    while not done.wait(0.1):
        pass


def test_runs_of_other_threads_go_on():
    module, results = counting(), list[Any]()
    count = np.array(3_000_000)
    noticed, done = threading.Event(), threading.Event()

    def run() -> None:
        results.append(module(ZERO, count))
        noticed.wait(60)
        done.set()

    with sent_when_running(module, to=threading.get_ident()):
        other = threading.Thread(target=run)
        with pytest.raises(KeyboardInterrupt):
            begin_and_wait(other, done)
        noticed.set()
        assert done.wait(60)
        other.join()
    assert results == [3_000_000]
    assert module(ZERO, SOON) == 5


def test_a_loop_of_fallback_ops_is_interrupted(monkeypatch: pytest.MonkeyPatch):
    # What comes just where Python begins the op is printed, and raised all the same.
    monkeypatch.setattr(sys, "unraisablehook", print)
    module = counting(op=CALLING)
    assert len(module.program.call_outs) == 1
    for _ in range(10):
        with sent_when_running(module), pytest.raises(KeyboardInterrupt):
            module(ZERO, LATE)
    is_usable(module)


def test_an_exception_that_ctypes_drops_ends_the_run(monkeypatch: pytest.MonkeyPatch):
    # That is when a handler raises just before the function of a fallback op begins.
    def dropped(*_: Any) -> int:
        raise KeyboardInterrupt

    told: list[Any] = []
    monkeypatch.setattr(sys, "unraisablehook", told.append)
    monkeypatch.setattr(CompiledModule, "_call_out", dropped)
    counting.cache_clear()
    module = counting(op=CALLING)
    counting.cache_clear()
    with pytest.raises(KeyboardInterrupt, match=r"in .*cumsum"):
        module(ZERO, LATE)
    assert len(told) == 1


ROWS = """
func.func @rows(%x: tensor<{n}x64xf32>, %w: tensor<64x64xf32>) -> tensor<{n}x64xf32> {{
  %0 = graph.matmul %x, %w : tensor<{n}x64xf32>, tensor<64x64xf32> -> tensor<{n}x64xf32>
  %1 = graph.softmax %0 {{axis = 1 : i64}} : tensor<{n}x64xf32> -> tensor<{n}x64xf32>
  %2 = graph.matmul %1, %w : tensor<{n}x64xf32>, tensor<64x64xf32> -> tensor<{n}x64xf32>
  return %2 : tensor<{n}x64xf32>
}}
"""


def rows(symbolic: bool) -> sr.StaticModule:
    """Products without a loop around them."""
    text = ROWS.format(n=32)
    if symbolic:
        text = text.replace("tensor<32x64xf32>", 'tensor<?x64xf32, ["n"]>')
    return sr.compile(text, options=sr.Options(cache=False, threads=1))


@pytest.mark.parametrize("symbolic", [False, True])
def test_calls_in_a_row_ask_when_they_are_long(
    symbolic: bool, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(interrupts, "POINTS_PER_POLL", 1 << 17)
    monkeypatch.setattr(interrupts, "LEAST", 1)
    module = rows(symbolic)
    x, w = np.ones((32, 64), np.float32), np.eye(64, dtype=np.float32)
    few = np.ones((1, 64), np.float32) if symbolic else x
    for each in (few, few, x, x):
        np.testing.assert_allclose(module(each, w), np.full_like(each, 1 / 64), 1e-5)
        # Who looked at the clock says when.
        assert bool(field(module, ContextLayout.TICK)) == (len(each) == 32)


def test_short_runs_ask_nothing():
    module = rows(symbolic=False)
    module(np.ones((32, 64), np.float32), np.ones((64, 64), np.float32))
    assert field(module, ContextLayout.TICK) == 0


def test_what_is_spent_is_guessed_as_its_sum_is():
    spent, parts = interrupts.Spent(), ["n * m + 64", "floordiv(n, 2)", "3", "-n + 1"]
    for each in parts:
        spent.add(dim(each))
    assert spent.whole == total(map(dim, parts))
    assert spent.guessed == guess(spent.whole)
