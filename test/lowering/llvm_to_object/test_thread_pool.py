"""Jobs of a pool are run, whatever happens to the caller that submitted them."""

import signal
import subprocess
import sys
import threading
from functools import partial
from threading import Barrier, Event
from typing import Any

import pytest

from static_runtime.lowering.llvm_to_object.thread_pool import CompilePool

PATIENCE = 300
"""Seconds after which what must happen is taken for never."""


def refuse(sentence: str) -> None:
    """Raises an error that says this."""
    raise RuntimeError(sentence)


def test_calls_are_made_side_by_side():
    together = Barrier(3)
    with CompilePool(3) as pool:
        jobs = [pool.submit(1, partial(together.wait, PATIENCE)) for _ in range(3)]
        assert sorted(pool.result(job) for job in jobs) == [0, 1, 2]


def test_there_are_no_more_threads_than_asked_for():
    names: set[str] = set()
    with CompilePool(2) as pool:
        for _ in range(100):
            pool.submit(1, lambda: names.add(threading.current_thread().name))
    assert names == {"static_runtime-compile-0"}


def test_no_thread_outlives_its_pool():
    before = {*threading.enumerate()}
    with CompilePool(4) as pool:
        jobs = [pool.submit(1, partial(sum, range(each))) for each in range(50)]
    assert {*threading.enumerate()} <= before
    assert [pool.result(job) for job in jobs] == [
        sum(range(each)) for each in range(50)
    ]


def test_a_thread_comes_again_after_all_have_ended():
    with CompilePool(2) as pool:
        for each in range(20):
            jobs = [pool.submit(1, partial(abs, -each)) for _ in range(2)]
            for thread in pool.threads:
                thread.join(PATIENCE)
            assert [job.results for job in jobs] == [[each], [each]]
        assert len(pool.threads) == 20


def test_the_heaviest_that_waits_is_begun_first():
    going, order = Event(), list[int]()
    with CompilePool(2) as pool:
        pool.submit(9, partial(going.wait, PATIENCE))
        for each in (0, 2, 5, 3):
            pool.submit(each, partial(order.append, each))
        going.set()
    assert order == [5, 3, 2, 0]


def test_a_pool_of_one_is_the_caller():
    with CompilePool(1) as pool:
        jobs = [pool.submit(1, threading.current_thread) for _ in range(3)]
        assert {pool.result(job) for job in jobs} == {threading.current_thread()}


def test_a_system_without_threads_is_the_caller(monkeypatch: pytest.MonkeyPatch):
    def start(self: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(threading.Thread, "start", start)
    with CompilePool(3) as pool:
        jobs = [pool.submit(1, threading.current_thread) for _ in range(3)]
        assert {pool.result(job) for job in jobs} == {threading.current_thread()}


@pytest.mark.parametrize("threads", [1, 2, 5])
def test_an_error_is_raised_where_its_result_is_asked_for(threads: int):
    with CompilePool(threads) as pool:
        fine, first = pool.submit(1, int), pool.submit(1, partial(refuse, "first"))
        second = pool.submit(9, partial(refuse, "second"))
        assert pool.result(fine) == 0
        with pytest.raises(RuntimeError, match="first"):
            pool.result(first)
        with pytest.raises(RuntimeError, match="second"):
            pool.result(second)


class Waiting(list[Any]):
    """Calls that wait, and an event that comes when all of them are dropped."""

    def __init__(self) -> None:
        super().__init__()
        self.dropped = Event()

    def clear(self) -> None:
        super().clear()
        self.dropped.set()


def test_after_an_error_nothing_is_begun():
    begun, waiting, made = Barrier(2), Waiting(), list[int]()

    def wait() -> None:
        begun.wait(PATIENCE)
        waiting.dropped.wait(PATIENCE)

    def leave(pool: CompilePool) -> None:
        pool.queue = waiting
        with pool:
            pool.submit(9, wait)
            for each in range(100):
                pool.submit(1, partial(made.append, each))
            begun.wait(PATIENCE)
            raise KeyError("the caller")

    with pytest.raises(KeyError, match="the caller"):
        leave(CompilePool(2))
    assert waiting.dropped.is_set()
    assert not made


def interrupt() -> None:
    """Is interrupted, as by a key."""
    raise KeyboardInterrupt


def test_an_interruption_is_not_kept_for_later():
    with CompilePool(1) as pool:
        first, second = pool.submit(1, int), pool.submit(9, interrupt)
        with pytest.raises(KeyboardInterrupt):
            pool.result(first)
        assert not second.running.locked()
        assert first.running.locked()


# The call ends when the interruption has come, so it is waited for until then.
INTERRUPTED = """
import signal, sys, threading
from static_runtime.lowering.llvm_to_object.thread_pool import CompilePool

patience = float(sys.argv[1])
begun, alone, interrupted = threading.Event(), threading.Event(), threading.Event()
def handle(number, frame):
    interrupted.set()
    raise KeyboardInterrupt
def interrupt():
    begun.set()
    alone.wait(patience)
    signal.pthread_kill(threading.main_thread().ident, signal.SIGINT)
    interrupted.wait(patience)
signal.signal(signal.SIGINT, handle)
try:
    with CompilePool(2) as pool:
        jobs = [pool.submit(9, interrupt), pool.submit(1, alone.set)]
        begun.wait(patience)
        print([pool.result(job) for job in jobs])
except KeyboardInterrupt:
    print("interrupted", threading.active_count())
"""

ENDING = """
import atexit, threading, time
from static_runtime.lowering.llvm_to_object.thread_pool import CompilePool

def work(who):
    with CompilePool(2) as pool:
        jobs = [pool.submit(1, lambda each=each: each * each) for each in range(5)]
        print(who, sum(pool.result(job) for job in jobs), flush=True)
def late():
    threading.main_thread().join()
    work("after main")
atexit.register(work, "at exit")
threading.Thread(target=late).start()
"""

FORKED = """
import os, sys, threading
from static_runtime.lowering.llvm_to_object.thread_pool import CompilePool

patience = float(sys.argv[1])
def work():
    with CompilePool(2) as pool:
        jobs = [pool.submit(1, lambda: 1) for _ in range(9)]
        return sum(pool.result(job) for job in jobs)
begun, going = threading.Event(), threading.Event()
def wait():
    begun.set()
    going.wait(patience)
with CompilePool(2) as pool:
    jobs = [pool.submit(9, wait), pool.submit(1, int)]
    begun.wait(patience)
    child = os.fork()
    if not child:
        os._exit(work())
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), work())
    going.set()
"""


def said(script: str) -> list[str]:
    """What a process prints that runs a script, and ends as it should."""
    command = [sys.executable, "-W", "ignore", "-c", script, str(PATIENCE)]
    done = subprocess.run(
        command, capture_output=True, text=True, timeout=PATIENCE, check=True
    )
    return done.stdout.splitlines()


@pytest.mark.skipif(
    not hasattr(signal, "pthread_kill"), reason="no thread can be sent a signal"
)
def test_who_waits_can_be_interrupted():
    assert said(INTERRUPTED) == ["interrupted 1"]


def test_a_child_and_an_interpreter_that_ends_have_crews():
    # One process, as to start it takes the most. Windows has no fork.
    forks = sys.platform != "win32"
    ends = ["after main 30", "at exit 30"]
    assert said(FORKED * forks + ENDING) == ["9 9"] * forks + ends
