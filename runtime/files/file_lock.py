"""
`file_lock`: a file that one process, and one thread of it, holds at a time.

The system lets go of it when its holder ends in any way, so nobody waits for one that
died. Its file is removed by whoever held it.
"""

from __future__ import annotations

import fcntl
import os
from collections.abc import Generator
from contextlib import contextmanager, suppress

_FLAGS = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK

_PRIVATE = 0o600
"""The mode of a file that only its owner may read and write."""

_held: set[int] = set()
"""The open files of locks of this process."""


def _let_go() -> None:
    """Closes, in the child of a fork, files that would keep the locks of its parent."""
    for each in _held:
        os.close(each)
    _held.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_let_go)


@contextmanager
def file_lock(name: str, folder: int) -> Generator[None]:
    """
    Waits for the lock with a name in an open folder, and holds it for the block.

    Raises `OSError` where there can be none, as in a folder that is read only.
    """
    file = _locked(name, folder)
    try:
        yield
    finally:
        # In the child of a fork during the block it is the parent's.
        if file in _held:
            with suppress(OSError):
                os.unlink(name, dir_fd=folder)
            _held.discard(file)
            os.close(file)


def _locked(name: str, folder: int) -> int:
    """The file of a lock, open and held."""
    while True:
        file = os.open(name, _FLAGS, _PRIVATE, dir_fd=folder)
        _held.add(file)
        try:
            fcntl.flock(file, fcntl.LOCK_EX)
            # Who held it before has removed it, and others may hold a newer one.
            if _is_named(file, name, folder):
                return file
        except BaseException:
            _close(file)
            raise
        _close(file)


def _close(file: int) -> None:
    """Closes the file of a lock."""
    _held.discard(file)
    os.close(file)


def _is_named(file: int, name: str, folder: int) -> bool:
    """Whether an open file is the one that has a name."""
    try:
        found = os.stat(name, dir_fd=folder, follow_symlinks=False)
    except FileNotFoundError:
        return False
    return os.path.samestat(found, os.fstat(file))
