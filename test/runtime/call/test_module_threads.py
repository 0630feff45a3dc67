"""One module serves many threads, lets others run meanwhile, and works after a fork."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

import static_runtime as sr

from ..arrangements import same
from ..texts import AFFINE, RUNNING, WORDS, compiled, fresh

Array = npt.NDArray[Any]

THREADS = 8

PATIENCE = 300
"""Seconds after which what must happen is taken for never."""

LONG = """
func.func @long(%x: tensor<?x400xf32, ["n"]>, %w: tensor<400x400xf32>)
    -> tensor<?x400xf32, ["n"]> {
  %0 = graph.matmul %x, %w : tensor<?x400xf32, ["n"]>, tensor<400x400xf32>
    -> tensor<?x400xf32, ["n"]>
  %1 = graph.matmul %0, %w : tensor<?x400xf32, ["n"]>, tensor<400x400xf32>
    -> tensor<?x400xf32, ["n"]>
  %2 = graph.matmul %1, %w : tensor<?x400xf32, ["n"]>, tensor<400x400xf32>
    -> tensor<?x400xf32, ["n"]>
  return %2 : tensor<?x400xf32, ["n"]>
}
"""
"""Three products of matrices, which take milliseconds."""


def in_threads(work: Any) -> None:
    """Calls `work` with the number of each thread, in all of them at a time."""
    start = threading.Barrier(THREADS)

    def run(number: int) -> None:
        start.wait(PATIENCE)
        work(number)

    with ThreadPoolExecutor(THREADS) as pool:
        for each in [pool.submit(run, number) for number in range(THREADS)]:
            each.result(PATIENCE)


@pytest.fixture
def impatient() -> Iterator[None]:
    """Threads that take turns as often as they can."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


@pytest.mark.usefixtures("impatient")
def test_threads_with_batches_of_their_own():
    module = fresh(AFFINE)

    def work(number: int) -> None:
        random = np.random.default_rng(number)
        w = random.standard_normal((3, 5)).astype(np.float32)
        for turn in range(60):
            batch = (number * 7 + turn // 3) % 23
            x = random.standard_normal((batch, 3)).astype(np.float32)
            given: Any = x if turn % 4 else x[:, ::-1].copy()[:, ::-1]
            np.testing.assert_allclose(
                module(given, w), np.maximum(x @ w, 0), atol=1e-5
            )

    in_threads(work)
    # A call that no other disturbs finds a context in the pool.
    assert len(module._pool) <= THREADS  # pyright: ignore[reportPrivateUsage]


@pytest.mark.usefixtures("impatient")
def test_threads_run_fallback_ops():
    module = compiled(RUNNING)

    def work(number: int) -> None:
        for turn in range(20):
            shape = (1 + (number + turn) % 5, 3)
            x = np.full(shape, number + 1, np.float32)
            total, greatest = module(x)
            same(total, np.cumsum(x, 0, dtype=np.float32) * x)
            same(greatest, np.zeros(shape[0], np.int64))

    in_threads(work)


@pytest.mark.usefixtures("impatient")
def test_an_error_stays_in_its_thread():
    module = compiled(WORDS)

    def work(number: int) -> None:
        table = np.full((number + 1, 2), number, np.float32)
        good, bad = np.array([0, number]), np.array([0, 100 + number])
        for _ in range(30):
            same(module(table, good), table[good])
            with pytest.raises(IndexError, match=rf"to {number}, got {100 + number}$"):
                module(table, bad)

    in_threads(work)


def test_long_runs_do_not_mix():
    module = compiled(LONG)
    w = np.random.default_rng(0).standard_normal((400, 400)).astype(np.float32) / 20
    inputs = [np.full((n + 1, 400), n + 1, np.float32) for n in range(THREADS)]
    expected = [module(x, w) for x in inputs]

    def work(number: int) -> None:
        out = np.empty_like(expected[number])
        for turn in range(4):
            at = (number + turn) % THREADS
            same(module(inputs[at], w), expected[at])
            same(module(inputs[number], w, out=out), expected[number])

    in_threads(work)


@pytest.mark.sampled(together=1)
@pytest.mark.parametrize(
    "text", [LONG, LONG.replace("?x", "90x").replace(', ["n"]', "")]
)
@pytest.mark.parametrize("names", [(), ("x", "w")], ids=["fast", "slow"])
def test_other_threads_run_during_a_long_run(text: str, names: tuple[str, ...]):
    module = compiled(text)
    inputs = np.ones((90, 400), np.float32), np.ones((400, 400), np.float32)
    positional = () if names else inputs
    named = dict(zip(names, inputs)) if names else {}
    module(*positional, **named)
    count, stop = 0, threading.Event()

    def tick() -> None:
        nonlocal count
        while not stop.wait(1e-4):
            count += 1

    before = sys.getswitchinterval()
    # Nobody is made to let go of the interpreter: the other thread gets it when it is
    # given up, which happens between the two looks at the count in a run only. When the
    # system lets the other thread run is not known, so there are runs until it has.
    sys.setswitchinterval(10 * PATIENCE)
    thread = threading.Thread(target=tick)
    thread.start()
    try:
        seen, end = 0, time.monotonic() + PATIENCE
        while not seen and time.monotonic() < end:
            first = count
            module(*positional, **named)
            seen += count - first
    finally:
        stop.set()
        sys.setswitchinterval(before)
        thread.join()
    assert seen > 0


@pytest.mark.usefixtures("runs_host")
def test_the_thread_that_made_a_module_may_end():
    w = np.ones((3, 5), np.float32)
    results: list[Array] = []

    def work() -> None:
        module = sr.compile(AFFINE, options=sr.Options(cache=False))
        results.append(module(np.eye(3, dtype=np.float32), w))

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    same(results[0], np.ones((3, 5), np.float32))


def test_threads_compile_at_a_time():
    def work(number: int) -> None:
        # Half as many as run elsewhere here: a compile takes a while.
        if number % 2:
            return
        text = AFFINE.replace("x5xf32", f"x{number + 1}xf32")
        module = sr.compile(text, options=sr.Options(cache=False))
        x, w = np.ones((2, 3), np.float32), np.ones((3, number + 1), np.float32)
        same(module(x, w), x @ w)

    in_threads(work)


FORK = """
import os, sys
import numpy as np
import static_runtime as sr

module = sr.compile(sys.argv[1], options=sr.Options(cache=False))
other = sr.compile(sys.argv[2], options=sr.Options(cache=False))
x, w = np.ones((4, 3), np.float32), np.ones((3, 5), np.float32)
expected = module(x, w)
for _ in range(3):
    child = os.fork()
    if child == 0:
        try:
            for batch in (4, 4, 7, 0):
                x = np.ones((batch, 3), np.float32)
                assert (module(x, w) == 3).all()
                other(x + 1)
            made = sr.compile(sys.argv[1], options=sr.Options(cache=False))
            assert (made(x, w) == module(x, w)).all()
        except BaseException as error:
            print("child:", repr(error), flush=True)
            os._exit(1)
        os._exit(0)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert (module(x, w) == expected).all()
print("done")
"""


@pytest.mark.full(
    beside="runtime/machine/test_fork.py::test_a_child_that_began_within_a_compile_compiles"
)
@pytest.mark.usefixtures("runs_host")
@pytest.mark.skipif(not hasattr(os, "fork"), reason="the system cannot fork")
def test_a_child_of_a_fork_calls_and_compiles():
    # In a process of its own, since other tests have threads.
    done = subprocess.run(
        [sys.executable, "-c", FORK, AFFINE, RUNNING.replace("argmax %2", "argmax %1")],
        capture_output=True,
        text=True,
        timeout=PATIENCE,
    )
    assert (done.stdout, done.returncode) == ("done\n", 0), done.stderr
