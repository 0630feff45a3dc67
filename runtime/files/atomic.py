"""`atomic_file`: a file that other processes see whole, or not at all."""

from __future__ import annotations

import errno
import os
import re
import secrets
from collections.abc import Generator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

TEMPORARY = re.compile(r"\.[0-9a-f]{16}\.tmp")
"""The names of files that are being written; one that grows old was given up."""

FLAGS = os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC

_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
"""What a write raises, without a name, where there is no room."""

_PRIVATE = 0o600
"""The mode of a file that only its owner may read and write."""


def followed(path: Path) -> Path:
    """What a path leads to by links; raises `OSError` where these lead in a circle."""
    found = Path(os.path.realpath(path))
    if found.is_symlink():
        raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), str(path))
    return found


@contextmanager
def atomic_file(path: Path, folder: int | None = None) -> Generator[BinaryIO]:
    """
    A binary file to write, which takes the place of `path` when the block ends.

    It is written beside `path`, since a rename within a folder happens at once. When
    the block raises, `path` stays as it was and nothing is left. A path in the open
    folder `folder` becomes a private file, whatever the umask; a device or a pipe is
    written to. Raises `OSError`.
    """
    if folder is None and path.exists() and not path.is_file():
        with path.open("wb") as file:
            yield file
        return
    temporary = path.with_name(f".{secrets.token_hex(8)}.tmp")
    mode = 0o666 if folder is None else _PRIVATE
    try:
        with os.fdopen(os.open(temporary, FLAGS, mode, dir_fd=folder), "w+b") as file:
            if folder is not None:
                os.fchmod(file.fileno(), _PRIVATE)
            yield file
        os.replace(temporary, path, src_dir_fd=folder, dst_dir_fd=folder)
    except BaseException as error:
        with suppress(OSError):
            os.unlink(temporary, dir_fd=folder)
        if isinstance(error, OSError) and (
            error.filename == str(temporary)
            or (error.filename is None and error.errno in _FULL)
        ):
            error.filename = str(path)  # the file that somebody asked for
        raise
