"""
Calls that several threads make, the heaviest that waits first; who gives them helps.

Who asks for a result makes calls until it is there, and so waits for no thread that is
late. A thread ends when no call waits, so none outlives its crew by more than the call
that it makes: there is nothing to stop after an error, at exit or in a child.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from heapq import heappop, heappush
from types import TracebackType
from typing import Any, Generic, Self, TypeVar

Result = TypeVar("Result")

LOOK_UP = 0.1
"""
Seconds after which a thread that waits looks up: a signal that comes between Python's
look at signals and its sleep does not wake it.
"""


@dataclass
class Job(Generic[Result]):
    """A call, and what came of it."""

    call: Callable[[], Result]
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
        """
        Keeps an error for who asks for the result; what is none of the call, such as an
        interruption, is also for the thread that it comes to.
        """
        self.error = error
        self.done.set()
        return isinstance(error, Exception)

    def run(self) -> None:
        """Makes the call, and keeps what comes of it."""
        with self:
            self.results.append(self.call())


class Crew:
    """Who gives calls, and more threads, which are started when there is work."""

    def __init__(self, threads: int) -> None:
        """A crew of so many, of whom who gives calls is one."""
        self.most = threads - 1
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
            heappush(self.waiting, (-weight, self.given, job))
            self.given += 1
            # One that waits is left to who gave it.
            if len(self.waiting) > 1 and self.working < self.most:
                self.grow()
        return job

    def result(self, job: Job[Result]) -> Result:
        """What the call of a job returns, or raises."""
        while not job.done.is_set():
            if not self.work_once():
                job.done.wait(LOOK_UP)
        if job.error is not None:
            raise job.error
        (result,) = job.results
        return result

    def grow(self) -> None:
        """Starts a thread, if the system has one."""
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
        while self.work_once(may_end=True):
            pass

    def work_once(self, may_end: bool = False) -> bool:
        """Makes the heaviest call that waits, if one does; or else a thread may end."""
        with self.lock:
            if not self.waiting:
                self.working -= may_end
                return False
            _, _, job = heappop(self.waiting)
        job.run()
        return True
