"""Run a console script: what a user can mend is told in a line, without a traceback."""

from __future__ import annotations

import sys
from collections.abc import Callable

from ...runtime.files import error_line
from .output import leave_pipe
from .reproducer import CrashError, Guard

RUN_ERRORS = (
    *(TypeError, ValueError, IndexError, OSError, MemoryError, OverflowError),
    ImportError,  # of a framework that runs nodes
)
"""What a run of a model raises for what the user gave."""


def run_script(
    name: str,
    whose: str,
    accepts: tuple[type[Exception], ...],
    action: Callable[[], object],
) -> None:
    """
    Does what a command is for. Ends it with one line for the errors that it `accepts`,
    and for others, which are a bug of the runtime or of the compiler, as `whose` says.
    """
    try:
        with Guard(f"this is a bug of the {whose}", accepts=accepts):
            action()
    except BrokenPipeError:
        leave_pipe()
    except (CrashError, *accepts) as error:
        sys.exit(f"{name}: {error_line(error)}")
