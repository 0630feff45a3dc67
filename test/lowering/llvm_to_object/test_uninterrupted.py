"""A function that handlers of signals do not interrupt, and who waits for it is."""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Iterator
from typing import Any

import pytest

from static_runtime.lowering.llvm_to_object.uninterrupted import uninterrupted


class Interrupted(BaseException):
    """What a handler raises."""


@pytest.fixture
def alarm() -> Iterator[None]:
    """A signal in a moment, whose handler raises."""

    def interrupt(*_: Any) -> None:
        raise Interrupted

    before = signal.signal(signal.SIGALRM, interrupt)
    signal.setitimer(signal.ITIMER_REAL, 0.05)
    yield
    signal.setitimer(signal.ITIMER_REAL, 0)
    signal.signal(signal.SIGALRM, before)


@uninterrupted
def added(one: int, other: int = 0) -> tuple[int, bool]:
    """A sum, and whether the main thread made it."""
    return one + other, threading.current_thread() is threading.main_thread()


def test_it_runs_elsewhere_with_what_it_is_given():
    assert added(1, other=2) == (3, False)
    assert added.__name__ == "added"


def test_it_stays_in_a_thread_that_has_no_handlers():
    found: list[int] = []

    @uninterrupted
    def who() -> int:
        return threading.get_ident()

    thread = threading.Thread(target=lambda: found.append(who()))
    thread.start()
    thread.join()
    assert found == [thread.ident]


def test_its_error_is_raised_where_it_was_called():
    @uninterrupted
    def fail() -> None:
        raise ValueError("expected more, got this")

    before = threading.active_count()
    with pytest.raises(ValueError, match="expected more"):
        fail()
    assert threading.active_count() == before


def test_it_runs_here_when_there_is_no_thread(monkeypatch: pytest.MonkeyPatch):
    def none(thread: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(threading.Thread, "start", none)
    assert added(1) == (1, True)


@pytest.mark.usefixtures("alarm")
def test_an_interruption_is_raised_at_once_and_the_call_ends_by_itself():
    ended = threading.Event()

    @uninterrupted
    def slow() -> None:
        for _ in range(100):
            time.sleep(0.005)
        ended.set()

    with pytest.raises(Interrupted):
        slow()
    assert not ended.is_set()
    assert ended.wait(30)
