"""
Work done in processes of their own; one that ends or hangs is replaced.

A worker is a fork, so that it has what its parent has loaded.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from multiprocessing import get_context
from multiprocessing.connection import Connection, wait
from typing import Any, TypeAlias

from ..worker import die_with_parent
from .outcome import Outcome

Work: TypeAlias = Callable[[int, int], Iterator[tuple[str, Outcome]]]
"""
The outcomes of the cases of an item, by its number, from the second number on. A name
is given before its outcome, with the outcome `STARTED`.
"""

STARTED = Outcome("started")

_DONE = None


@dataclass
class _Worker:
    """A process that works on one item after the other."""

    work: Work
    item: int = -1
    done: int = 0
    """The cases of the item that have an outcome."""

    case: str = ""
    """The case that it is at."""

    deadline: float = 0
    pipe: Connection = field(init=False)
    process: Any = field(init=False)

    def start(self) -> None:
        """Starts the process."""
        forked = get_context("fork")
        self.pipe, theirs = forked.Pipe()
        self.process = forked.Process(target=_serve, args=(self.work, theirs))
        self.process.start()
        theirs.close()

    def take(self, item: int, first: int, seconds: float) -> None:
        """Begins with an item, at one of its cases."""
        self.item, self.done, self.case = item, first, ""
        self.deadline = time.monotonic() + seconds
        self.pipe.send((item, first))

    def stop(self) -> None:
        """Ends the process."""
        self.process.kill()
        self.process.join()
        self.pipe.close()


def _serve(work: Work, pipe: Connection) -> None:
    """Answers with the outcomes of items."""
    die_with_parent()
    while True:
        item, first = pipe.recv()
        for name, outcome in work(item, first):
            pipe.send((name, outcome))
        pipe.send(_DONE)


def outcomes_of(
    items: Sequence[str], work: Work, seconds: float, jobs: int = 1
) -> Iterator[tuple[str, Outcome]]:
    """
    The outcomes of all cases of some items, each case in `seconds` at most; `items` are
    named where a process ends between two cases.
    """
    waiting = iter(range(len(items)))
    workers = [_Worker(work) for _ in range(min(jobs, len(items)))]
    for each in workers:
        each.start()
        each.take(next(waiting), 0, seconds)
    while workers:
        ready = wait([each.pipe for each in workers], timeout=1)
        for each in [*workers]:
            if each.pipe in ready:
                found, is_busy = _heard(each, items, seconds)
            elif time.monotonic() > each.deadline:
                found, is_busy = _replaced(each, items, "hung", seconds)
            else:
                continue
            if found is not None:
                yield found
            if is_busy:
                continue
            if (item := next(waiting, None)) is None:
                each.stop()
                workers.remove(each)
            else:
                each.take(item, 0, seconds)


_Heard: TypeAlias = tuple[tuple[str, Outcome] | None, bool]
"""An outcome, if there is one, and whether the worker is still at its item."""


def _heard(worker: _Worker, items: Sequence[str], seconds: float) -> _Heard:
    """What a worker said, or that it ended."""
    try:
        message = worker.pipe.recv()
    except EOFError:
        return _replaced(worker, items, "crashed", seconds)
    if message is _DONE:
        return None, False
    worker.deadline = time.monotonic() + seconds
    worker.case, outcome = message
    if outcome == STARTED:
        return None, True
    worker.done += 1
    worker.case = ""
    return (message[0], outcome), True


def _replaced(
    worker: _Worker, items: Sequence[str], kind: str, seconds: float
) -> _Heard:
    """Puts a new process in the place of one, which goes on after the case."""
    worker.stop()
    code = worker.process.exitcode
    reason = f"exit code {code}" if kind == "crashed" else f"more than {seconds:g} s"
    worker.start()
    if not worker.case:
        # It ended before the first case, or between two: the rest is given up.
        name = f"{items[worker.item]}::{worker.done}"
        return (name, Outcome(kind, reason)), False
    name = worker.case
    worker.take(worker.item, worker.done + 1, seconds)
    return (name, Outcome(kind, reason)), True
