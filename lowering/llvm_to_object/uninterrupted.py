"""
Functions that no handler of a signal interrupts, such as that of Ctrl-C.

Python runs handlers in the main thread, between any two steps of what it does there.
llvmlite frees what LLVM made, then notes that it has: an exception between the two
frees it again, which ends the process now or later. So in the main thread such a
function runs in a thread of its own, for which the main thread waits. What interrupts
that is raised at once; the call then ends by itself, and nobody has its result.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from functools import partial, wraps
from typing import ParamSpec, TypeVar

from .thread_pool import LOOK_UP, Job

Given = ParamSpec("Given")
_Result = TypeVar("_Result")


def uninterrupted(function: Callable[Given, _Result]) -> Callable[Given, _Result]:
    """The function, which handlers of signals do not interrupt."""

    @wraps(function)
    def called(*given: Given.args, **named: Given.kwargs) -> _Result:
        if threading.current_thread() is not threading.main_thread():
            return function(*given, **named)
        job = Job(partial(function, *given, **named), is_quiet=True)
        thread = threading.Thread(
            target=job.run, name="static_runtime-llvm", daemon=False
        )
        try:
            thread.start()
        except RuntimeError:  # the system has no thread
            return function(*given, **named)
        while not job.running.acquire(timeout=LOOK_UP):
            pass
        thread.join()
        error, job.error = job.error, None
        if error is not None:
            try:
                raise error
            finally:
                # A circle by way of the traceback would be freed in any order.
                del error
        return job.results.pop()

    return called
