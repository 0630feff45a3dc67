"""Where a command writes a text: standard output, or a file that is whole or absent."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import NoReturn

from ...runtime.files import atomic_file, followed
from ..session import CompileError

STANDARD = "-"
"""What stands for standard input or output."""


def write_text(name: str, text: str) -> None:
    """Writes to standard output, or a file; raises `CompileError` when it cannot."""
    if name == STANDARD:
        sys.stdout.write(text)
        sys.stdout.flush()
        return
    try:
        with atomic_file(followed(Path(name))) as file:
            file.write(text.encode())
    except OSError as error:
        raise CompileError(f"cannot write {name}: {error.strerror}") from error


def leave_pipe() -> NoReturn:
    """Ends a command whose output nobody reads any more."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    sys.exit(1)
