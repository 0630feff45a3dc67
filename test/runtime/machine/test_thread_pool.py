"""Threads share kernels, and nobody sees it but the clock."""

from __future__ import annotations

import ctypes
import os
import subprocess
import sys
import threading
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import static_runtime as sr
from static_runtime.compiler.session.errors import CompileError
from static_runtime.runtime.call import context
from static_runtime.runtime.machine.thread_pool import ThreadPool, is_supported

pytestmark = pytest.mark.skipif(not is_supported(), reason="no pool on this system")

WIDE = """
func.func @main(%x: tensor<?x1003xf32, ["n"]>, %w: tensor<1003x64xf32>)
    -> (tensor<?x1003xf32, ["n"]>, tensor<?x64xf32, ["n"]>, tensor<?xf32, ["n"]>) {
  %0 = graph.tanh %x : tensor<?x1003xf32, ["n"]> -> tensor<?x1003xf32, ["n"]>
  %1 = graph.matmul %0, %w : tensor<?x1003xf32, ["n"]>, tensor<1003x64xf32>
      -> tensor<?x64xf32, ["n"]>
  %2 = graph.sum %0 {axes = array<i64: 1>, keepdims = false}
      : tensor<?x1003xf32, ["n"]> -> tensor<?xf32, ["n"]>
  func.return %0, %1, %2
      : tensor<?x1003xf32, ["n"]>, tensor<?x64xf32, ["n"]>, tensor<?xf32, ["n"]>
}"""

PATIENCE = 300
"""Seconds after which what must happen is taken for never."""

rng = np.random.default_rng(3)
W = rng.standard_normal((1003, 64), np.float32)


@cache
def module(threads: int) -> sr.StaticModule:
    """The model, whose kernels `threads` threads share."""
    return sr.compile(WIDE, options=sr.Options(cache=False, threads=threads))


def rows(count: int) -> Any:
    """An input of `count` rows."""
    return rng.standard_normal((count, 1003), np.float32)


@pytest.mark.sampled(every=7)
@pytest.mark.parametrize("count", [0, 1, 7, 64, 301])
@pytest.mark.parametrize("threads", [2, 3, 5])
def test_bits_do_not_depend_on_the_number_of_threads(count: int, threads: int):
    x = rows(count)
    for alone, shared in zip(module(1)(x, W), module(threads)(x, W), strict=True):
        np.testing.assert_array_equal(alone, shared)


def test_kernels_of_fixed_sizes_are_shared_too():
    text = WIDE.replace('?x1003xf32, ["n"]', "301x1003xf32")
    text = text.replace('?x64xf32, ["n"]', "301x64xf32")
    text = text.replace('?xf32, ["n"]', "301xf32")
    fixed = sr.compile(text, options=sr.Options(cache=False, threads=2))
    assert fixed.program.is_shared
    x = rows(301)
    for one, two in zip(module(1)(x, W), fixed(x, W), strict=True):
        np.testing.assert_array_equal(one, two)


def test_a_small_model_has_nothing_to_share():
    text = "func.func @main(%x: tensor<16xf32>) -> tensor<16xf32> {\n"
    text += "  %0 = graph.exp %x : tensor<16xf32> -> tensor<16xf32>\n"
    text += "  func.return %0 : tensor<16xf32>\n}"
    assert not sr.compile(text, options=sr.Options(cache=False)).program.is_shared


def test_callers_from_several_threads_do_not_meet():
    x, expected = rows(301), module(1)
    inputs = [x + number for number in range(4)]
    wanted = [expected(each, W)[1] for each in inputs]
    wrong: list[int] = []

    def call(number: int) -> None:
        for _ in range(5):
            got = module(2 + number % 2)(inputs[number], W)[1]
            if not np.array_equal(got, wanted[number]):
                wrong.append(number)

    callers = [threading.Thread(target=call, args=(each,)) for each in range(4)]
    for each in callers:
        each.start()
    for each in callers:
        each.join()
    assert not wrong


def test_a_worker_that_is_late_is_not_waited_for(monkeypatch: pytest.MonkeyPatch):
    pool, ended = ThreadPool(), threading.Event()
    at_once = pool.work

    def late(*arguments: int) -> None:
        ended.wait(PATIENCE)
        at_once(*arguments)

    monkeypatch.setattr(pool, "work", late)
    pool.grow(2)
    parts: list[int] = []
    kernel = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_int64, ctypes.c_int64)
    fork = ctypes.CFUNCTYPE(
        None, ctypes.c_void_p, kernel, ctypes.c_void_p, ctypes.c_int64
    )

    def note(_: int, part: int, count: int) -> None:
        parts.append(part)

    call = threading.Thread(
        target=fork(pool.fork), args=(pool.address, kernel(note), None, 2), daemon=True
    )
    call.start()
    call.join(PATIENCE / 2)
    in_time = not call.is_alive()
    ended.set()
    pool.stop()
    assert in_time
    assert sorted(parts) == [0, 1]


@pytest.mark.parametrize("given", [0, 1])
def test_a_system_that_refuses_threads_has_fewer(
    given: int, monkeypatch: pytest.MonkeyPatch
):
    started: list[threading.Thread] = []
    start = threading.Thread.start

    def refuse(self: threading.Thread) -> None:
        if "compile" not in self.name and len(started) >= given:
            raise RuntimeError("can't start new thread")
        start(self)
        if "compile" not in self.name:
            started.append(self)

    monkeypatch.setattr(threading.Thread, "start", refuse)
    pool = ThreadPool()
    monkeypatch.setattr(context, "thread_pool", lambda: pool)
    model = sr.compile(WIDE, options=sr.Options(cache=False, threads=5))
    assert pool.threads == started
    assert len(started) == given
    x = rows(301)
    for alone, shared in zip(module(1)(x, W), model(x, W), strict=True):
        np.testing.assert_array_equal(alone, shared)
    monkeypatch.undo()
    # Another time the system may have more.
    pool.grow(3)
    assert len(pool.threads) == 2
    for alone, shared in zip(module(1)(x, W), model(x, W), strict=True):
        np.testing.assert_array_equal(alone, shared)
    pool.stop()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this system")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_child_of_a_fork_computes_the_same(tmp_path: Path):
    x = rows(301)
    wanted, place = module(2)(x, W), tmp_path / "got.npy"
    child = os.fork()
    if child == 0:
        try:
            np.save(place, module(2)(x, W)[1])
        finally:
            os._exit(0)
    os.waitpid(child, 0)
    np.testing.assert_array_equal(np.load(place), wanted[1])


@pytest.mark.full(
    beside="runtime/call/test_runtime.py::test_the_end_of_the_process_waits_for_runs"
)
@pytest.mark.usefixtures("runs_host")
def test_a_process_ends_in_silence():
    text = (
        "import numpy as np, static_runtime as sr\n"
        f"m = sr.compile('''{WIDE}''', options=sr.Options(cache=False, threads=3))\n"
        "m(np.zeros((301, 1003), np.float32), np.zeros((1003, 64), np.float32))\n"
    )
    ran = subprocess.run(
        [sys.executable, "-c", text], capture_output=True, text=True, timeout=PATIENCE
    )
    assert (ran.returncode, ran.stdout, ran.stderr) == (0, "", "")


def test_a_number_of_threads_is_positive():
    with pytest.raises(CompileError, match="expected one thread or more, got 0"):
        sr.Options(threads=0)
