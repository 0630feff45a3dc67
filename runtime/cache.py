"""
`Cache`: a folder of results that are slow to compute, shared by processes and runs.

Losing an entry costs time and nothing else, so the cache never stands in the way: what
is damaged counts as absent, and a folder that cannot be used is not used, with one
warning. Entries become code that runs, so the folder must be closed to others.
"""

from __future__ import annotations

import os
import re
import sys
import tempfile
import time
import warnings
from collections.abc import Iterator
from contextlib import suppress
from hashlib import sha256
from pathlib import Path

from .atomic_file import TEMPORARY, atomic_file

KEY = re.compile(r"[0-9a-f]{16,64}")

SUFFIX = re.compile(r"(\.[a-z0-9]+)+")

LIMIT = 2 * 2**30
"""Bytes that the entries of a cache may take together."""

PUTS = 64
"""Entries added by one cache before it looks at the size of its folder again."""

SHARE = 16
"""The part of the limit, as 1 / SHARE, that may be added without such a look."""

ABANDONED = 3600
"""Seconds after which a file that is still being written has lost its writer."""


def default_folder() -> Path:
    """
    The folder of a cache that nobody chose.

    It is `$STATIC_RUNTIME_CACHE` when that is set, or else `static-runtime` within
    `$XDG_CACHE_HOME`, within `~/.cache`, or for a user without a home within the
    temporary folder.
    """
    if chosen := os.environ.get("STATIC_RUNTIME_CACHE"):
        return Path(chosen).absolute()
    base = Path(os.environ.get("XDG_CACHE_HOME", ""))
    if base.is_absolute():
        return base / "static-runtime"
    try:
        return Path.home() / ".cache" / "static-runtime"
    except RuntimeError:
        user = os.getuid() if sys.platform != "win32" else "user"
        return Path(tempfile.gettempdir()) / f"static-runtime-{user}"


class Cache:
    """
    Bytes and files by key, where a key is 16 to 64 hexadecimal digits of a hash.

    Any number of threads and processes may use one folder. Bytes are kept with their
    checksum (SHA-256). A file is its writer's, who says with `register` that it is
    there and checks what it contains. When the entries take more than `limit` bytes
    together, those used least recently are removed. Methods raise `ValueError` for what
    is not a key, and never `OSError`.
    """

    def __init__(self, folder: Path, limit: int = LIMIT) -> None:
        self.folder = folder
        self.limit = limit
        self._readable = self._writable = True
        # The folder has an unknown size, so the first entry makes the cache look.
        self._puts_since_look = PUTS
        self._bytes_since_look = 0
        try:
            _own(folder)
        except OSError as error:
            self._readable = False
            self._give_up(error)

    @property
    def writable(self) -> bool:
        """Whether the cache takes entries: not when its folder refused one before."""
        return self._writable and os.access(self.folder, os.W_OK)

    def get(self, key: str) -> bytes | None:
        """The bytes under `key`, or None; removes them when their checksum is wrong."""
        path = self.folder / _check_key(key)
        if not self._readable:
            return None
        try:
            with path.open("rb") as file:
                digest = file.read(sha256().digest_size)
                data = file.read()
        except OSError:
            return None
        if sha256(data).digest() != digest:
            _remove(path)
            return None
        _mark_used(path)
        return data

    def put(self, key: str, data: bytes) -> None:
        """Stores `data` under `key`, unless it alone is larger than the limit."""
        path = self.folder / _check_key(key)
        if not self._writable or len(data) > self.limit:
            return
        try:
            # The folder may have been removed since it was made.
            _own(self.folder)
            with atomic_file(path) as file:
                file.write(sha256(data).digest())
                file.write(data)
        except OSError as error:
            self._give_up(error)
        else:
            self._count(len(data))

    def path(self, key: str, suffix: str) -> Path:
        """
        Where the caller writes a file for `key`, when the cache is writable.

        A suffix is like `.so`; a key has one file for each, beside its bytes. Whoever
        writes it does so in one step, as `atomic_file` does, and then registers it.
        """
        if not SUFFIX.fullmatch(suffix):
            raise ValueError(f"expected a suffix such as .so, got {suffix!r}")
        return self.folder / (_check_key(key) + suffix)

    def register(self, key: str, suffix: str) -> None:
        """Counts a file that has just been written at `path(key, suffix)`."""
        path = self.path(key, suffix)
        with suppress(OSError):
            self._count(path.stat().st_size)

    def find(self, key: str, suffix: str) -> Path | None:
        """The path of a file that was stored for `key`, or None; marks it as used."""
        path = self.path(key, suffix)
        if not self._readable or not os.path.isfile(path):
            return None
        _mark_used(path)
        return path

    def _count(self, size: int) -> None:
        """Looks at the folder when enough was added for that to be worth the time."""
        self._puts_since_look += 1
        self._bytes_since_look += size
        if self._puts_since_look > PUTS or self._bytes_since_look > self.limit // SHARE:
            self._puts_since_look = self._bytes_since_look = 0
            self._evict()

    def _evict(self) -> None:
        """Removes the entries used least recently until the others are in the limit."""
        entries = sorted(self._entries())
        total = sum(size for _, size, _ in entries)
        for _, size, path in entries:
            if total <= self.limit:
                break
            _remove(path)
            total -= size

    def _entries(self) -> Iterator[tuple[float, int, Path]]:
        """When each entry was used, its size and path; removes what was abandoned."""
        with suppress(OSError), os.scandir(self.folder) as found:
            for file in found:
                key, dot, suffix = file.name.partition(".")
                with suppress(OSError):
                    status = file.stat(follow_symlinks=False)
                    if TEMPORARY.fullmatch(file.name):
                        if time.time() - status.st_mtime > ABANDONED:
                            os.unlink(file.path)
                    elif KEY.fullmatch(key) and (
                        not dot or SUFFIX.fullmatch(dot + suffix)
                    ):
                        yield status.st_mtime, status.st_size, Path(file.path)

    def _give_up(self, error: OSError) -> None:
        self._writable = False
        warnings.warn(
            f"{self.folder}: expected a folder to keep results in, got {error}; "
            "they are computed anew in each process",
            RuntimeWarning,
            stacklevel=3,
        )


def _own(folder: Path) -> None:
    """Makes `folder`; raises `OSError` when others could put their code into it."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    if sys.platform == "win32":
        return
    status = folder.stat()
    if status.st_uid not in (0, os.geteuid()):
        raise PermissionError(f"one that belongs to user {status.st_uid}")
    if status.st_mode & 0o022:
        raise PermissionError(
            f"one that others may write to, with mode {status.st_mode & 0o777:o} "
            "(make it 700)"
        )


def _check_key(key: str) -> str:
    if not KEY.fullmatch(key):
        raise ValueError(f"expected a key of 16 to 64 hexadecimal digits, got {key!r}")
    return key


def _mark_used(path: Path) -> None:
    with suppress(OSError):
        os.utime(path)


def _remove(path: Path) -> None:
    with suppress(OSError):
        path.unlink()
