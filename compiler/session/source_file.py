"""`SourceFile`: the bytes of a model's file as they were read, and its folder."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from io import FileIO
from pathlib import Path

from ...runtime.files import Bytes, open_regular, pieces, read_bytes, size_of, stamp
from .errors import ModelFileError

MAX_FILE_BYTES = 2**31
"""Bytes that the file of a model may have: more than a message of protobuf can."""

CHUNK = 8 * 2**20
"""Bytes that are hashed by one thread in a row; a part of every key."""

_MOST_THREADS = 4
"""Threads that hash a file: more would wait for memory."""


@dataclass(frozen=True)
class SourceFile:
    """What a model's file held when it was read; nothing can change it."""

    path: Path
    data: Bytes

    @staticmethod
    def read(path: Path) -> SourceFile:
        """
        The file `path`, in memory.

        Raises `ModelFileError` for a file that is too long, or that is written to
        meanwhile, and `OSError` when it cannot be read or is no regular file.
        """
        with _open_model(path) as file:
            before = stamp(file)
            data = read_bytes(file, 0, size_of(file))
            if stamp(file) != before:
                raise ModelFileError(
                    f"{path}: expected a file that stays as it is while it is read, "
                    "got one that was written to"
                )
        return SourceFile(path, data)

    @property
    def folder(self) -> Path:
        """The folder of the model, which its other files are in."""
        return self.path.parent

    def digest(self, threads: int = 1) -> str:
        """The digest of the bytes, which is that of the file."""

        def digest_at(start: int) -> bytes:
            return hashlib.sha256(self.data[start : start + CHUNK].data).digest()

        return _digest_of_chunks(digest_at, self.data.size, threads)


def _open_model(path: Path) -> FileIO:
    """The file of a model, open for reading; raises as `SourceFile.read` does."""
    file = open_regular(path)
    if (size := size_of(file)) > MAX_FILE_BYTES:
        file.close()
        raise ModelFileError(
            f"{path}: expected a model of at most {MAX_FILE_BYTES} bytes, got {size}; "
            "store its weights in a file beside it"
        )
    return file


def digest_of(path: Path, threads: int = 1) -> str:
    """The digest of a model's file, read piece by piece."""
    with _open_model(path) as file:
        size = size_of(file)

        def digest_at(start: int) -> bytes:
            result = hashlib.sha256()
            for piece in pieces(file, start, min(CHUNK, size - start)):
                result.update(piece.data)
            return result.digest()

        return _digest_of_chunks(digest_at, size, threads)


def _digest_of_chunks(
    digest_at: Callable[[int], bytes], size: int, threads: int
) -> str:
    """
    A hash of the hashes of all chunks of `size` bytes, which are at `digest_at`.

    It does not depend on the number of threads.
    """
    starts = range(0, size, CHUNK)
    threads = min(threads, len(starts), _MOST_THREADS)
    if threads > 1:
        # Its import takes as long as a file of some megabytes.
        from concurrent.futures import ThreadPoolExecutor

        try:
            with ThreadPoolExecutor(threads) as pool:
                return hashlib.sha256(b"".join(pool.map(digest_at, starts))).hexdigest()
        except RuntimeError:
            # There are no more threads, or Python is about to end.
            pass
    return hashlib.sha256(b"".join(map(digest_at, starts))).hexdigest()
