"""
A thread pool of compile jobs: threads make calls, the heaviest that waits first.

The caller works too: while it waits for a result it makes calls that wait, so it never
waits for a thread that is late to start. A thread ends when no call waits. So no thread
outlives its pool by more than the call that it makes, and there is nothing to stop
after an error, at exit or in the child of a fork.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from heapq import heappop, heappush
from types import TracebackType
from typing import Any, Generic, Self, TypeVar

_Result = TypeVar("_Result")

LOOK_UP = 0.1
"""
Seconds after which a thread that waits looks for signals: one that arrives after Python
looked, but before it sleeps, does not wake it.
"""


@dataclass
class Job(Generic[_Result]):
    """A call, and its result or error."""

    call: Callable[[], _Result]
    running: threading.Lock = field(default_factory=threading.Lock)
    """Taken until the call has ended; an event takes its lock by a method in Python."""

    results: list[_Result] = field(default_factory=list[_Result])
    error: BaseException | None = None
    is_quiet: bool = False
    """Whether an interruption is kept alone, in a thread to which none comes."""

    def __post_init__(self) -> None:
        self.running.acquire()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> bool:
        """
        Keeps an error, to be raised where the result is asked for. An interruption is
        no error of the call: it is raised in the thread that it comes to as well.
        """
        self.error = error
        self.running.release()
        return self.is_quiet or isinstance(error, Exception)

    def run(self) -> None:
        """Makes the call, and keeps its result or error."""
        with self:
            self.results.append(self.call())


class CompilePool:
    """A pool of `threads` threads, counting the caller; others start as work comes."""

    def __init__(self, threads: int) -> None:
        """A pool with an empty queue, in which only the caller works."""
        self.most_started = threads - 1
        self.lock = threading.Lock()
        self.queue: list[tuple[int, int, Job[Any]]] = []
        """A heap of jobs: the heaviest first, of equal ones the earliest."""
        self.submitted = 0
        self.running = 0
        """Threads that were started and have not ended."""
        self.threads: list[threading.Thread] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Joins the threads; after an error, drops the jobs that none has begun."""
        if error is not None:
            with self.lock:
                self.queue.clear()
        for each in self.threads:
            each.join()

    def submit(self, weight: int, call: Callable[[], _Result]) -> Job[_Result]:
        """Queues a call; of those in the queue the heaviest is made first."""
        job = Job(call)
        with self.lock:
            heappush(self.queue, (-weight, self.submitted, job))
            self.submitted += 1
            # A single job in the queue is left to the caller.
            if len(self.queue) > 1 and self.running < self.most_started:
                self.start_thread()
        return job

    def result(self, job: Job[_Result]) -> _Result:
        """What the call of a job returns, or raises."""
        while job.running.locked():
            if not self.work_once() and job.running.acquire(timeout=LOOK_UP):
                job.running.release()
        if job.error is not None:
            raise job.error
        (result,) = job.results
        return result

    def start_thread(self) -> None:
        """Starts a thread, if the system has one."""
        thread = threading.Thread(
            target=self.work,
            name=f"static_runtime-compile-{self.running}",
            daemon=False,
        )
        try:
            thread.start()
        except RuntimeError:
            return
        self.threads.append(thread)
        self.running += 1

    def work(self) -> None:
        """Makes calls until the queue is empty."""
        while self.work_once(may_end=True):
            pass

    def work_once(self, may_end: bool = False) -> bool:
        """
        Makes the heaviest call of the queue; False if there is none, and with `may_end`
        the thread then counts as ended.
        """
        with self.lock:
            if not self.queue:
                self.running -= may_end
                return False
            _, _, job = heappop(self.queue)
        job.run()
        return True
