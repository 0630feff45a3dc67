"""`SourceFile`: the bytes of a model's file, as they were read, and its folder."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import cached_property
from io import FileIO
from pathlib import Path

from ..runtime.regular_file import (
    Bytes,
    open_regular,
    pieces,
    read_bytes,
    size_of,
    stamp,
)
from .errors import ModelFileError

LONGEST = 2**31
"""Bytes that the file of a model may have: more than a message of protobuf can."""


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
        with open_model(path) as file:
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

    @cached_property
    def digest(self) -> str:
        """A hash of the bytes, the same as that of the file."""
        return hashlib.sha256(self.data.data).hexdigest()


def open_model(path: Path) -> FileIO:
    """The file of a model, open for reading; raises as `SourceFile.read` does."""
    file = open_regular(path)
    if (size := size_of(file)) > LONGEST:
        file.close()
        raise ModelFileError(
            f"{path}: expected a model of at most {LONGEST} bytes, got {size}; store "
            "its weights in a file beside it"
        )
    return file


def digest_of(path: Path) -> str:
    """A hash of a model's file, of which a piece at a time is in memory."""
    result = hashlib.sha256()
    with open_model(path) as file:
        for piece in pieces(file, 0, size_of(file)):
            result.update(piece.data)
    return result.hexdigest()
