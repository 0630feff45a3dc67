"""
Threads that make calls for one who gives them out, the heaviest that waits first.

A thread ends when no call waits, so none outlives its crew by more than the call that
it makes: there is nothing to stop after an error, at exit or in the child of a fork.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from heapq import heappop, heappush
from types import TracebackType
from typing import Any, Generic, Self, TypeVar

Result = TypeVar("Result")


@dataclass
class Job(Generic[Result]):
    """A call, and what came of it."""

    call: Callable[[], Result]
    taken: bool = False
    """Whether a thread of the crew makes the call, or will."""

    done: threading.Event = field(default_factory=threading.Event)
    results: list[Result] = field(default_factory=list[Result])
    error: BaseException | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> bool:
        """Keeps what the call raises, for who asks for its result."""
        self.error = error
        self.done.set()
        return True

    def run(self) -> None:
        """Makes the call, and keeps what comes of it."""
        with self:
            self.results.append(self.call())

    def result(self) -> Result:
        """What the call returns, or raises; made here when no thread takes it."""
        if not self.taken:
            return self.call()
        self.done.wait()
        if self.error is not None:
            raise self.error
        (result,) = self.results
        return result


class Crew:
    """At most so many threads, which are started when there is work for one more."""

    def __init__(self, threads: int) -> None:
        """A crew without threads; of one thread, who gives a call makes it."""
        self.most = threads if threads > 1 else 0
        self.lock = threading.Lock()
        self.waiting: list[tuple[int, int, Job[Any]]] = []
        self.given = 0
        self.working = 0
        self.threads: list[threading.Thread] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Waits for the threads; after an error, for no more than they have begun."""
        if error is not None:
            with self.lock:
                self.waiting.clear()
        for each in self.threads:
            each.join()

    def give(self, weight: int, call: Callable[[], Result]) -> Job[Result]:
        """A job for the crew; the heavier one is begun before others that wait."""
        job = Job(call)
        with self.lock:
            self.grow()
            if self.working:
                job.taken = True
                heappush(self.waiting, (-weight, self.given, job))
                self.given += 1
        return job

    def grow(self) -> None:
        """Starts a thread, unless there are enough or the system refuses one."""
        if self.working >= self.most:
            return
        thread = threading.Thread(
            target=self.work, name=f"static_runtime-crew-{self.working}", daemon=False
        )
        try:
            thread.start()
        except RuntimeError:
            return
        self.threads.append(thread)
        self.working += 1

    def work(self) -> None:
        """Makes the calls that wait, until there are none."""
        while True:
            with self.lock:
                if not self.waiting:
                    self.working -= 1
                    return
                _, _, job = heappop(self.waiting)
            job.run()
