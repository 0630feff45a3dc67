"""
External weight files of a model: each part is read once, and hashed as it is read.

The compiler keeps the bytes in memory, and notes the offsets and the hash of each part.
A cached model is valid while those parts of the file have these hashes.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from io import FileIO
from pathlib import Path
from typing import Any

from ...runtime.files import (
    Array,
    Bytes,
    aligned_bytes,
    fill,
    locked,
    open_inside,
    pieces,
    read_from,
    size_of,
    stamp,
)
from .errors import ModelFileError

_MOST_READS = 2
"""How often, on average, a byte of a file may be read as a part of another tensor."""


class WeightFile:
    """A file `name` in the folder of a model, and what was read of it."""

    def __init__(self, folder: Path, name: str) -> None:
        """The file, before anything is read."""
        self.folder = folder
        self.name = name
        self._read: dict[tuple[int, int], Bytes] = {}
        self._total = 0
        self._parts: list[tuple[int, int]] = []
        self._hash = hashlib.sha256()
        self._stamp: tuple[int, ...] | None = None

    def open(self) -> FileIO:
        """The file, open; raises as `open_inside` does, and when it was changed."""
        file = open_inside(self.folder, self.name)
        try:
            self._check(file)
        except ModelFileError:
            file.close()
            raise
        return file

    def read(self, file: FileIO, start: int, length: int) -> Bytes:
        """Bytes of the open file, which are in it; nothing may write to them."""
        known = self._read.get((start, length))
        if known is not None:
            return known
        self._total += length
        if self._total > _MOST_READS * size_of(file):
            raise ModelFileError(
                f"{self.folder / self.name}: expected tensors that share none of its "
                f"{size_of(file)} bytes, got some that do"
            )
        data = aligned_bytes(length)
        for piece in fill(file, start, data):
            self._hash.update(piece.data)
        self._check(file)
        self._read[start, length] = locked(data)
        self._parts.append((start, length))
        return data

    def read_safetensors(self, file: FileIO) -> Mapping[str, Array]:
        """
        The arrays of the open file, which is a safetensors file.

        Raises `SafetensorsError` when it is none, and `OSError`.
        """
        arrays, _ = read_from(file, self._hash.update)
        self._parts.append((0, size_of(file)))
        self._check(file)
        return arrays

    @property
    def note(self) -> dict[str, Any]:
        """The parts that were read, in that order, and a hash of their bytes."""
        return {"parts": self._parts, "sha256": self._hash.hexdigest()}

    def _check(self, file: FileIO) -> None:
        """Raises `ModelFileError` when this is not the file that was read before."""
        now = stamp(file)
        self._stamp = self._stamp or now
        if now != self._stamp:
            raise ModelFileError(
                f"{self.folder / self.name}: expected a file that stays as it is while "
                "it is read, got one that was changed"
            )


def is_as_noted(folder: Path, name: str, note: Mapping[str, Any]) -> bool:
    """Whether a file in a model's folder still has the bytes that a note is of."""
    result = hashlib.sha256()
    try:
        with open_inside(folder, name) as file:
            for start, length in note["parts"]:
                for piece in pieces(file, start, length):
                    result.update(piece.data)
    except (OSError, ValueError):
        # It is gone, or another one: what the front end says of it is of use.
        return False
    return result.hexdigest() == note["sha256"]
