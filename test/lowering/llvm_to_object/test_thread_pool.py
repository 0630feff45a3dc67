"""Calls that are given to threads are made, whatever happens to who gave them."""

import signal
import subprocess
import sys
import threading
from functools import partial
from threading import Barrier, Event
from typing import Any

import pytest

from static_runtime.lowering.llvm_to_object.thread_pool import Crew

PATIENCE = 300
"""Seconds after which what must happen is taken for never."""


def refuse(sentence: str) -> None:
    """Raises an error that says this."""
    raise RuntimeError(sentence)


def test_calls_are_made_side_by_side():
    together = Barrier(3)
    with Crew(3) as crew:
        jobs = [crew.give(1, partial(together.wait, PATIENCE)) for _ in range(3)]
        assert sorted(crew.result(job) for job in jobs) == [0, 1, 2]


def test_there_are_no_more_threads_than_asked_for():
    names: set[str] = set()
    with Crew(2) as crew:
        for _ in range(100):
            crew.give(1, lambda: names.add(threading.current_thread().name))
    assert names == {"static_runtime-crew-0"}


def test_no_thread_outlives_its_crew():
    before = {*threading.enumerate()}
    with Crew(4) as crew:
        jobs = [crew.give(1, partial(sum, range(each))) for each in range(50)]
    assert {*threading.enumerate()} <= before
    assert [crew.result(job) for job in jobs] == [
        sum(range(each)) for each in range(50)
    ]


def test_a_thread_comes_again_after_all_have_ended():
    with Crew(2) as crew:
        for each in range(20):
            jobs = [crew.give(1, partial(abs, -each)) for _ in range(2)]
            for thread in crew.threads:
                thread.join(PATIENCE)
            assert [job.results for job in jobs] == [[each], [each]]
        assert len(crew.threads) == 20


def test_the_heaviest_that_waits_is_begun_first():
    going, order = Event(), list[int]()
    with Crew(2) as crew:
        crew.give(9, partial(going.wait, PATIENCE))
        for each in (0, 2, 5, 3):
            crew.give(each, partial(order.append, each))
        going.set()
    assert order == [5, 3, 2, 0]


def test_a_crew_of_one_is_who_asks():
    with Crew(1) as crew:
        jobs = [crew.give(1, threading.current_thread) for _ in range(3)]
        assert {crew.result(job) for job in jobs} == {threading.current_thread()}


def test_a_system_without_threads_is_who_asks(monkeypatch: pytest.MonkeyPatch):
    def start(self: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(threading.Thread, "start", start)
    with Crew(3) as crew:
        jobs = [crew.give(1, threading.current_thread) for _ in range(3)]
        assert {crew.result(job) for job in jobs} == {threading.current_thread()}


@pytest.mark.parametrize("threads", [1, 2, 5])
def test_an_error_is_raised_where_its_result_is_asked_for(threads: int):
    with Crew(threads) as crew:
        fine, first = crew.give(1, int), crew.give(1, partial(refuse, "first"))
        second = crew.give(9, partial(refuse, "second"))
        assert crew.result(fine) == 0
        with pytest.raises(RuntimeError, match="first"):
            crew.result(first)
        with pytest.raises(RuntimeError, match="second"):
            crew.result(second)


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

    def leave(crew: Crew) -> None:
        crew.waiting = waiting
        with crew:
            crew.give(9, wait)
            for each in range(100):
                crew.give(1, partial(made.append, each))
            begun.wait(PATIENCE)
            raise KeyError("who gave the calls")

    with pytest.raises(KeyError, match="who gave the calls"):
        leave(Crew(2))
    assert waiting.dropped.is_set()
    assert not made


def interrupt() -> None:
    """Is interrupted, as by a key."""
    raise KeyboardInterrupt


def test_an_interruption_is_not_kept_for_later():
    with Crew(1) as crew:
        first, second = crew.give(1, int), crew.give(9, interrupt)
        with pytest.raises(KeyboardInterrupt):
            crew.result(first)
        assert second.done.is_set()
        assert not first.done.is_set()


# The call ends when the interruption has come, so it is waited for until then.
INTERRUPTED = """
import signal, sys, threading
from static_runtime.lowering.llvm_to_object.crew import Crew

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
    with Crew(2) as crew:
        jobs = [crew.give(9, interrupt), crew.give(1, alone.set)]
        begun.wait(patience)
        print([crew.result(job) for job in jobs])
except KeyboardInterrupt:
    print("interrupted", threading.active_count())
"""

ENDING = """
import atexit, threading, time
from static_runtime.lowering.llvm_to_object.crew import Crew

def work(who):
    with Crew(2) as crew:
        jobs = [crew.give(1, lambda each=each: each * each) for each in range(5)]
        print(who, sum(crew.result(job) for job in jobs), flush=True)
def late():
    threading.main_thread().join()
    work("after main")
atexit.register(work, "at exit")
threading.Thread(target=late).start()
"""

FORKED = """
import os, sys, threading
from static_runtime.lowering.llvm_to_object.crew import Crew

patience = float(sys.argv[1])
def work():
    with Crew(2) as crew:
        jobs = [crew.give(1, lambda: 1) for _ in range(9)]
        return sum(crew.result(job) for job in jobs)
begun, going = threading.Event(), threading.Event()
def wait():
    begun.set()
    going.wait(patience)
with Crew(2) as crew:
    jobs = [crew.give(9, wait), crew.give(1, int)]
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


def test_an_interpreter_that_ends_has_crews():
    assert said(ENDING) == ["after main 30", "at exit 30"]


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no fork")
def test_a_child_has_crews_of_its_own():
    assert said(FORKED) == ["9 9"]
