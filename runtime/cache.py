"""
`Cache`: a folder of results that are slow to compute, shared by processes and runs.

Losing an entry costs time and nothing else, so the cache never stands in the way: what
is damaged counts as absent, and a folder that cannot be used is not used, with one
warning. Entries become code that runs, so the folder and its files must be the user's
or root's, and nobody else may write to them. That is asked of what was opened, each
time, so it does not matter who may rename what is above the folder.
"""

from __future__ import annotations

import os
import re
import tempfile
import time
import warnings
from collections.abc import Generator, Iterator
from contextlib import ExitStack, contextmanager, suppress
from hashlib import sha256
from io import FileIO
from pathlib import Path
from typing import BinaryIO

from .files import TEMPORARY, atomic_file, file_lock, open_regular, reason

_KEY = re.compile(r"[0-9a-f]{16,64}")

_SUFFIX = re.compile(r"(\.[a-z0-9]+)+")

_LIMIT = 2 * 2**30
"""Bytes that the entries of a cache may take together."""

PUTS = 64
"""Entries added by one cache before it looks at the size of its folder again."""

_UNCHECKED_SHARE = 16
"""The share of the limit, as its divisor, that may be added without such a look."""

_ABANDONED = 3600
"""Seconds after which a file that is still being written has lost its writer."""


_LOCK = ".lock"
"""How the name of a lock ends."""

_FOLDER_MODE = 0o700
"""The mode of a folder that is made for a cache, or above one."""

_OTHERS_WRITE = 0o022
"""The bits of a mode that let others write."""


def default_folder() -> Path:
    """
    The folder of a cache that nobody chose.

    It is `$STATIC_RUNTIME_CACHE` when that is set, or else `static-runtime` within
    `$XDG_CACHE_HOME`, within `~/.cache`, or for a user without a home within the
    temporary folder. For root, the home of another user (as `sudo` may leave it) is
    none: files of root would be in that user's way there.
    """
    if chosen := os.environ.get("STATIC_RUNTIME_CACHE"):
        return Path(chosen).absolute()
    base = Path(os.environ.get("XDG_CACHE_HOME", ""))
    if base.is_absolute() and not _is_foreign_to_root(base):
        return base / "static-runtime"
    with suppress(RuntimeError):
        home = Path.home()
        if not _is_foreign_to_root(home):
            return home / ".cache" / "static-runtime"
    return Path(tempfile.gettempdir()) / f"static-runtime-{os.geteuid()}"


def _is_foreign_to_root(folder: Path) -> bool:
    """Whether this is root, and the folder another user's."""
    if os.geteuid() != 0:
        return False
    try:
        return folder.stat().st_uid != 0
    except OSError:
        return False


class Cache:
    """
    Bytes and files by key, where a key is 16 to 64 hexadecimal digits of a hash.

    Any number of threads and processes may use one folder. Bytes are kept with a
    checksum (SHA-256) of them and their key, so that no entry is taken for another. A
    file is its writer's, who checks what it contains. When the entries take more than
    `limit` bytes together, those used least recently are removed. Methods raise
    `ValueError` for what is not a key; only `create` raises `OSError`.
    """

    def __init__(self, folder: Path, limit: int = _LIMIT) -> None:
        self.folder = folder
        self.limit = limit
        self._writable = True
        # The folder has an unknown size, so the first entry makes the cache look.
        self._puts_since_look = PUTS
        self._bytes_since_look = 0
        try:
            _make_private(folder)
            with self._opened():
                pass
        except OSError as error:
            self._give_up(error)

    @property
    def writable(self) -> bool:
        """Whether the cache takes entries: not when its folder refused one before."""
        return self._writable and os.access(self.folder, os.W_OK)

    def get(self, key: str) -> bytes | None:
        """The bytes under `key`, or None; removes them when their checksum is wrong."""
        file = self._open(_check_key(key))
        if file is None:
            return None
        with file:
            try:
                digest = file.read(sha256().digest_size)
                data = file.readall()
            except OSError:
                return None
        if _checksum(key, data) != digest:
            self._remove(key)
            return None
        return data

    def put(self, key: str, data: bytes) -> None:
        """Stores `data` under `key`, unless it alone is larger than the limit."""
        _check_key(key)
        if not self._writable or len(data) > self.limit:
            return
        try:
            with self._created(key) as file:
                file.write(_checksum(key, data))
                file.write(data)
        except OSError as error:
            self._give_up(error)

    def open(self, key: str, suffix: str) -> FileIO | None:
        """
        A file that was created for `key`, open for reading, or None; marks it as used.

        It is never written to again: another one takes its place, which does not
        change what is open.
        """
        return self._open(_name(key, suffix))

    @contextmanager
    def create(self, key: str, suffix: str) -> Generator[BinaryIO]:
        """
        A file to write and read for `key`, which is there when the block ends.

        A suffix is like `.so`; a key has one file for each, beside its bytes. Raises
        `OSError` when the file cannot be written; then it is not there.
        """
        with self._created(_name(key, suffix)) as file:
            yield file

    @contextmanager
    def lock(self, key: str) -> Generator[None]:
        """
        Lets one process at a time do what the entry for `key` comes from.

        Nobody waits for one that ended. Where the folder takes no files there is no
        lock, and each process does it by itself.
        """
        name = _name(key, _LOCK)
        with ExitStack() as stack:
            if self.writable:
                with suppress(OSError):
                    stack.enter_context(
                        file_lock(name, stack.enter_context(self._opened()))
                    )
            yield

    def _open(self, name: str) -> FileIO | None:
        """A file of the folder, if it is as safe as the folder must be."""
        with suppress(OSError), self._opened() as folder, ExitStack() as stack:
            file = open_regular(name, folder=folder, follow=False)
            stack.callback(file.close)
            _check_owner(os.fstat(file.fileno()), "600")
            with suppress(OSError):
                os.utime(file.fileno())
            stack.pop_all()
            return file
        return None

    @contextmanager
    def _created(self, name: str) -> Generator[BinaryIO]:
        """A file to write, which is in the folder, and counted, when the block ends."""
        # The folder may have been removed since it was made.
        _make_private(self.folder)
        with self._opened() as folder:
            with atomic_file(Path(name), folder) as file:
                yield file
                size = file.tell()
            self._count(size)

    @contextmanager
    def _opened(self) -> Generator[int]:
        """The open folder; raises `OSError` when others could put code into it."""
        folder = os.open(self.folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            _check_owner(os.fstat(folder), "700")
            yield folder
        finally:
            os.close(folder)

    def _remove(self, name: str) -> None:
        """Removes a file of the folder, if it can be."""
        with suppress(OSError), self._opened() as folder:
            os.unlink(name, dir_fd=folder)

    def _count(self, size: int) -> None:
        """Looks at the folder when enough was added for that to be worth the time."""
        self._puts_since_look += 1
        self._bytes_since_look += size
        if (
            self._puts_since_look > PUTS
            or self._bytes_since_look > self.limit // _UNCHECKED_SHARE
        ):
            self._puts_since_look = self._bytes_since_look = 0
            self._evict()

    def _evict(self) -> None:
        """Removes the entries used least recently until the others are in the limit."""
        with suppress(OSError), self._opened() as folder:
            entries = sorted(_entries(folder))
            total = sum(size for _, size, _ in entries)
            for _, size, name in entries:
                if total <= self.limit:
                    break
                with suppress(OSError):
                    os.unlink(name, dir_fd=folder)
                total -= size

    def _give_up(self, error: OSError) -> None:
        self._writable = False
        self.warn_of(error)

    def warn_of(self, error: OSError) -> None:
        """Warns that the folder did not take an entry."""
        warnings.warn(
            f"{self.folder}: expected a folder to keep results in, got "
            f"{reason(error)}; they are computed anew in each process",
            RuntimeWarning,
            stacklevel=4,
        )


def _entries(folder: int) -> Iterator[tuple[float, int, str]]:
    """When each entry was used, its size and name; removes what was abandoned."""
    with os.scandir(folder) as found:
        for file in found:
            key, dot, suffix = file.name.partition(".")
            with suppress(OSError):
                status = file.stat(follow_symlinks=False)
                if TEMPORARY.fullmatch(file.name):
                    if time.time() - status.st_mtime > _ABANDONED:
                        os.unlink(file.name, dir_fd=folder)
                elif _KEY.fullmatch(key) and (
                    not dot or _SUFFIX.fullmatch(dot + suffix)
                ):
                    yield status.st_mtime, status.st_size, file.name


def _make_private(folder: Path) -> None:
    """Makes a folder, and those above it that are absent, for this user alone."""
    missing: list[Path] = []
    while not os.path.lexists(folder):
        missing.append(folder)
        folder = folder.parent
    for each in reversed(missing):
        try:
            os.mkdir(each, _FOLDER_MODE)
        except FileExistsError:
            continue
        if os.lstat(each).st_mode & 0o777 != _FOLDER_MODE:
            # An umask took rights of the user's own.
            os.chmod(each, _FOLDER_MODE)


def _check_owner(status: os.stat_result, mode: str) -> None:
    """Raises `OSError` when another user has, or may write to, what has this status."""
    if status.st_uid not in (0, os.geteuid()):
        raise PermissionError(f"one that belongs to user {status.st_uid}")
    if status.st_mode & _OTHERS_WRITE:
        raise PermissionError(
            f"one that others may write to, with mode {status.st_mode & 0o777:o} "
            f"(make it {mode})"
        )


def _checksum(key: str, data: bytes) -> bytes:
    """The checksum of bytes that are kept under a key."""
    result = sha256(f"{key}\n".encode())
    result.update(data)
    return result.digest()


def _name(key: str, suffix: str) -> str:
    """The name of a file for a key; raises `ValueError` for what is none."""
    if not _SUFFIX.fullmatch(suffix):
        raise ValueError(f"expected a suffix such as .so, got {suffix!r}")
    return _check_key(key) + suffix


def _check_key(key: str) -> str:
    if not _KEY.fullmatch(key):
        raise ValueError(f"expected a key of 16 to 64 hexadecimal digits, got {key!r}")
    return key
