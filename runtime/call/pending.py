"""
Runs that are waited for later: a future for each, of a bounded queue and some threads.
"""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import Callable, Generator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import AbstractContextManager
from dataclasses import dataclass
from types import TracebackType
from typing import Any, TypeAlias

from ..machine import usable_threads

_Inputs: TypeAlias = tuple[Sequence[Any], Mapping[str, Any]]

_QUEUED = 256
"""Runs that may wait for a thread; who asks for more waits until one has begun."""


class Pending(Future[Any]):
    """The outputs of a run that may not have ended; `await` takes it in asyncio too."""

    def __await__(self) -> Generator[Any, None, Any]:
        """Lets the event loop of the caller go on until the outputs are there."""
        return asyncio.wrap_future(self).__await__()


@dataclass
class _Answering(AbstractContextManager[None]):
    """Lets a future raise what its block raises."""

    pending: Pending

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> bool:
        if error is not None:
            self.pending.set_exception(error)
        return True


class Launcher:
    """
    Threads that run what is asked for, as many as the process may run at once.

    They begin with the first run, and end with the interpreter, which waits for the
    runs that it was asked for.
    """

    def __init__(self, call: Callable[..., Any], queued: int = _QUEUED):
        """A launcher of calls of `call`; at most `queued` of them have not begun."""
        self._call = call
        self._queued = queued
        self._lock = threading.Lock()
        self._process = 0
        self._begin()

    def _begin(self) -> None:
        """Has no thread yet, and no run, in this process."""
        self._room = threading.BoundedSemaphore(self._queued)
        self._threads: ThreadPoolExecutor | None = None
        self._process = os.getpid()

    def launch(self, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Pending:
        """The future of a run; waits while too many others have not begun."""
        with self._lock:
            if self._process != os.getpid():
                # The threads of a parent are not in its child.
                self._begin()
            if self._threads is None:
                self._threads = ThreadPoolExecutor(
                    usable_threads(), "static-runtime-run"
                )
            threads, room = self._threads, self._room
        pending = Pending()
        room.acquire()
        threads.submit(self._run, room, pending, [(args, kwargs)])
        return pending

    def _run(
        self,
        room: threading.BoundedSemaphore,
        pending: Pending,
        inputs: list[_Inputs],
    ) -> None:
        """Runs one call, unless its future was cancelled, and answers by the future."""
        room.release()
        if not pending.set_running_or_notify_cancel():
            return
        with _Answering(pending):
            pending.set_result(self._called(inputs))

    def _called(self, inputs: list[_Inputs]) -> Any:
        """The outputs of one call; nothing of this thread refers to inputs after it."""
        args, kwargs = inputs.pop()
        return self._call(*args, **kwargs)
