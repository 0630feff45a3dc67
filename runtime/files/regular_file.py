"""
Regular files: opened without waiting, and read no further than they were long.

A name may be that of a pipe or a device, on which a reader waits for ever, and may be
given to something else between a look at it and its opening. So files are opened
without waiting, and the descriptor says what was opened. Bytes are read into memory:
who reads a mapped file that was made shorter gets a signal that ends the process.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import ExitStack
from io import FileIO
from pathlib import Path

import numpy as np
import numpy.typing as npt

from .atomic import followed

Bytes = npt.NDArray[np.uint8]

PIECE = 2**20
"""Bytes that are read at once: few enough to be in a cache when they are used."""

FLAGS = os.O_RDONLY | os.O_CLOEXEC | os.O_NOCTTY | os.O_NONBLOCK

_FOLDER_FLAGS = getattr(os, "O_PATH", os.O_RDONLY) | os.O_DIRECTORY | os.O_CLOEXEC

FILE = "a file"

_KINDS = {
    stat.S_IFREG: FILE,
    stat.S_IFDIR: "a folder",
    stat.S_IFIFO: "a pipe",
    stat.S_IFSOCK: "a socket",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
    stat.S_IFLNK: "a link",
}


class OutsideError(OSError):
    """A file that is not in the folder where it should be."""


def open_regular(
    path: Path | str, *, folder: int | None = None, follow: bool = True
) -> FileIO:
    """
    The regular file `path`, open for reading; raises `OSError` for anything else.

    The path is relative to the open folder `folder`, if there is one. A link is not
    followed unless `follow` is set.
    """
    # To open a device may do something, so the name is asked first what it belongs to.
    check_regular(os.stat(path, dir_fd=folder, follow_symlinks=follow), path)
    flags = FLAGS if follow else FLAGS | os.O_NOFOLLOW
    with ExitStack() as stack:
        file = FileIO(os.open(path, flags, dir_fd=folder))
        stack.callback(file.close)
        check_regular(os.fstat(file.fileno()), path)
        stack.pop_all()
        return file


def open_inside(folder: Path, name: str) -> FileIO:
    """
    The file `name` in `folder`, or in a folder in that, open for reading.

    Raises `OutsideError` for an absolute name, for one that leads out of the folder, by
    a link too, and for a file of several names, as nobody can say that the folder has
    them all; and `OSError` or `ValueError` for what is no file.
    """
    root = followed(folder)
    path = followed(root / name)
    if Path(name).is_absolute() or not path.is_relative_to(root):
        raise OutsideError(errno.EPERM, "which is outside of it", name)
    *parents, last = path.relative_to(root).parts or (".",)
    with ExitStack() as stack:
        within: int | None = None
        for each in (root, *parents):
            # Links are resolved, so a link here was put there since.
            flags = _FOLDER_FLAGS if within is None else _FOLDER_FLAGS | os.O_NOFOLLOW
            within = os.open(each, flags, dir_fd=within)
            stack.callback(os.close, within)
        file = open_regular(last, folder=within, follow=False)
        if (names := os.fstat(file.fileno()).st_nlink) > 1:
            file.close()
            what = f"which has {names} names (hard links); copy it into the folder"
            raise OutsideError(errno.EPERM, what, name)
        return file


def check_regular(status: os.stat_result, path: Path | str) -> None:
    """Raises `OSError` when a status is not that of a regular file."""
    kind = stat.S_IFMT(status.st_mode)
    if kind == stat.S_IFDIR:
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
    if kind != stat.S_IFREG:
        raise OSError(errno.EINVAL, _KINDS.get(kind, "no file"), str(path))


def kind_of(path: Path) -> str:
    """What a path leads to, in words; raises `OSError` when that cannot be said."""
    try:
        mode = path.stat().st_mode
    except (FileNotFoundError, NotADirectoryError, ValueError):
        # A name with a character that no file has is a ValueError.
        return "no such file"
    except OSError as error:
        if error.errno == errno.ENAMETOOLONG:
            return "a name that is too long"
        raise
    return _KINDS.get(stat.S_IFMT(mode), "no file")


def reason(error: OSError) -> str:
    """What came in place of a file, in words."""
    if isinstance(error, FileNotFoundError):
        return "no such file"
    if isinstance(error, IsADirectoryError):
        return "a folder"
    return error.strerror or str(error)


def error_line(error: Exception) -> str:
    """An error as a command tells it: of a file, its name and what is the matter."""
    if isinstance(error, OSError) and error.filename is not None:
        return f"{error.filename}: {error.strerror}"
    return str(error)


def size_of(file: FileIO) -> int:
    """The bytes that an open file has now."""
    return os.fstat(file.fileno()).st_size


def stamp(file: FileIO) -> tuple[int, int, int, int]:
    """What differs when an open file is another one, or was written to."""
    status = os.fstat(file.fileno())
    return status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns


def aligned_bytes(size: int, alignment: int = 1) -> Bytes:
    """
    An array of `size` bytes, not set, which begins at a multiple of `alignment`.

    Raises `OSError` when there is no memory for it.
    """
    message = f"{size} bytes, for which there is no memory"
    # A system may promise more memory than it has, and end who uses it.
    if size > os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"):
        raise OSError(errno.ENOMEM, message)
    try:
        whole = np.empty(size + alignment - 1, np.uint8)
    except MemoryError as error:
        raise OSError(errno.ENOMEM, message) from error
    start = -whole.ctypes.data % alignment
    return whole[start : start + size]


def fill(file: FileIO, start: int, array: Bytes) -> Iterator[Bytes]:
    """
    Reads the bytes of a file from `start` on into `array`; its parts, as they come.

    Each has `PIECE` bytes, and the last one fewer. Raises `OSError` when the file ends.
    Threads may read one file, as its position is not used.
    """
    for begin in range(0, array.size, PIECE):
        piece = array[begin : begin + PIECE]
        left = piece.data
        while left:
            at = start + begin + piece.size - len(left)
            count = os.preadv(file.fileno(), [left], at)
            if not count:
                raise OSError(errno.EIO, "a file that was cut short as it was read")
            left = left[count:]
        yield piece


def read_bytes(file: FileIO, start: int, size: int) -> Bytes:
    """Bytes of a file in memory of their own, which nothing may write to."""
    array = aligned_bytes(size)
    for _ in fill(file, start, array):
        pass
    return locked(array)


def locked(array: Bytes) -> Bytes:
    """The array, which nothing may write to from here on."""
    array.flags.writeable = False
    if isinstance(array.base, np.ndarray):
        # Otherwise a view could be made to be written to again.
        array.base.flags.writeable = False
    return array


def pieces(file: FileIO, start: int, size: int) -> Iterator[Bytes]:
    """Bytes of a file, a piece at a time; what comes next overwrites what came."""
    buffer = np.empty(min(size, PIECE), np.uint8)
    for begin in range(start, start + size, PIECE):
        yield from fill(file, begin, buffer[: start + size - begin])
