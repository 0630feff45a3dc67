"""`atomic_file`: a file that other processes see whole, or not at all."""

from __future__ import annotations

import os
import re
import secrets
from collections.abc import Generator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

TEMPORARY = re.compile(r"\.[0-9a-f]{16}\.tmp")
"""The names of files that are being written; one that grows old was given up."""


@contextmanager
def atomic_file(path: Path) -> Generator[BinaryIO]:
    """
    A binary file to write, which takes the place of `path` when the block ends.

    It is written beside `path`, since a rename within a folder happens at once. When
    the block raises, `path` stays as it was and nothing is left. Raises `OSError`.
    """
    temporary = path.with_name(f".{secrets.token_hex(8)}.tmp")
    try:
        with temporary.open("xb") as file:
            yield file
        os.replace(temporary, path)
    except BaseException:
        with suppress(OSError):
            temporary.unlink()
        raise
