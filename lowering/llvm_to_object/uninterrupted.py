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
from functools import wraps
from typing import ParamSpec, TypeVar

Given = ParamSpec("Given")
_Result = TypeVar("_Result")

LOOK_UP = 0.1
"""
Seconds after which a thread that waits looks for signals: one that arrives after Python
looked, but before it sleeps, does not wake it.
"""


def uninterrupted(function: Callable[Given, _Result]) -> Callable[Given, _Result]:
    """The function, which handlers of signals do not interrupt."""

    @wraps(function)
    def called(*given: Given.args, **named: Given.kwargs) -> _Result:
        if threading.current_thread() is not threading.main_thread():
            return function(*given, **named)
        results: list[_Result] = []
        errors: list[BaseException] = []
        # A lock of Python's own: an event takes one by a method in Python.
        running = threading.Lock()

        def run() -> None:
            try:
                results.append(function(*given, **named))
            except BaseException as error:
                errors.append(error)
            finally:
                running.release()

        thread = threading.Thread(target=run, name="static_runtime-llvm", daemon=False)
        running.acquire()
        try:
            thread.start()
        except RuntimeError:  # the system has no thread
            return function(*given, **named)
        while not running.acquire(timeout=LOOK_UP):
            pass
        thread.join()
        if errors:
            try:
                raise errors.pop()
            finally:
                del run  # nothing refers to itself by way of a traceback
        return results.pop()

    return called
