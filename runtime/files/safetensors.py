"""
The safetensors format: named arrays in one file.

    bytes 0 to 8      length of the header, unsigned, little-endian
    the header        JSON: {"__metadata__": {name: text}, name: {"dtype": "F32",
                      "shape": [2, 3], "data_offsets": [begin, end]}, ...}, then spaces
    the data          the arrays in row-major order, without a hole between them

Offsets count from the first byte after the header. No part of a file is trusted: all
that the header says (`safetensors_header.py`) is checked against the file before an
array is made of it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from io import FileIO
from pathlib import Path
from typing import Any, BinaryIO, TypeAlias

import numpy as np
import numpy.typing as npt

from ..abi import SAFETENSORS
from .atomic import atomic_file
from .regular_file import aligned_bytes, fill, locked, open_regular, size_of
from .safetensors_header import (
    LONGEST_HEADER,
    METADATA,
    NAMES,
    Entry,
    SafetensorsError,
    check_text,
    check_tiling,
    decode,
    encode,
)

Array: TypeAlias = npt.NDArray[Any]


@dataclass(frozen=True)
class Stream:
    """An array of bytes that are made while they are written, piece after piece."""

    size: int
    pieces: Callable[[], Iterable[npt.NDArray[np.uint8]]]
    dtype: np.dtype[Any] = SAFETENSORS["U8"]

    @property
    def shape(self) -> tuple[int]:
        """Its only axis."""
        return (self.size,)


def write(
    path: str | Path,
    arrays: Mapping[str, Array | Stream],
    metadata: Mapping[str, str] = {},
) -> None:
    """
    Writes arrays and texts to the file `path`, all or nothing.

    Arrays of any rank, layout and byte order are taken. Larger element types come
    first, so that every array is aligned to its own; then they go by name. Raises
    `SafetensorsError` for an element type or a name that the format does not have, and
    `OSError`.
    """
    path = Path(path)
    with atomic_file(path) as file:
        try:
            write_to(file, arrays, metadata)
        except SafetensorsError as error:
            raise SafetensorsError(f"{path}: {error}") from error


def write_to(
    file: BinaryIO,
    arrays: Mapping[str, Array | Stream],
    metadata: Mapping[str, str] = {},
) -> None:
    """Writes what `write` does to an open file."""
    entries = _lay_out(arrays)
    text = encode(entries, metadata)
    file.write(len(text).to_bytes(8, "little"))
    file.write(text)
    for entry in entries:
        array = arrays[entry.name]
        if isinstance(array, Stream):
            written = sum(file.write(piece.data) for piece in array.pieces())
            assert written == array.size, "a stream has the size that it says"
        else:
            data = np.asarray(array, entry.dtype, order="C")
            file.write(data.reshape(-1).view(np.uint8).data)


@dataclass(frozen=True)
class Contents:
    """What the header of a file says, all of it checked against the file."""

    header: bytes
    """The first bytes of the file, up to the data."""

    entries: Mapping[str, Entry]
    """What there is of each array, in the order of their data."""

    metadata: dict[str, str]

    def start(self, name: str) -> int:
        """Where the data of an array begins in the file."""
        return len(self.header) + self.entries[name].begin


def contents(file: FileIO) -> Contents:
    """What there is in an open file; raises `SafetensorsError` and `OSError`."""
    size = size_of(file)
    text = _read_header(file, size)
    entries, metadata = decode(text)
    check_tiling(entries, size - 8 - len(text))
    header = len(text).to_bytes(8, "little") + text
    return Contents(header, {each.name: each for each in entries}, metadata)


def read(
    path: str | Path, seen: Callable[[memoryview], object] | None = None
) -> tuple[dict[str, Array], dict[str, str]]:
    """
    The arrays of the file `path` in the order of their data, and its metadata.

    The arrays are read-only, and in memory of their own. Raises `SafetensorsError` when
    anything in the file is wrong, and `OSError`.
    """
    path = Path(path)
    with open_regular(path) as file:
        try:
            return read_from(file, seen)
        except SafetensorsError as error:
            raise SafetensorsError(f"{path}: {error}") from error


def read_from(
    file: FileIO, seen: Callable[[memoryview], object] | None = None
) -> tuple[dict[str, Array], dict[str, str]]:
    """What `read` gives, of an open file; `seen` is told all of its bytes in order."""
    found = contents(file)
    if seen is not None:
        seen(memoryview(found.header))
    arrays: dict[str, Array] = {}
    for name, entry in found.entries.items():
        data = aligned_bytes(entry.end - entry.begin)
        for piece in fill(file, found.start(name), data):
            if seen is not None:
                seen(piece.data)
        arrays[name] = _as_array(entry, locked(data))
    return arrays, found.metadata


def _lay_out(arrays: Mapping[str, Array | Stream]) -> list[Entry]:
    """Where the data of each array goes: the larger element types first."""
    dtypes: dict[str, np.dtype[Any]] = {}
    for name, array in arrays.items():
        dtypes[check_text(name)] = dtype = array.dtype.newbyteorder("<")
        if name == METADATA:
            raise SafetensorsError(f"expected the name of an array, got {name!r}")
        if dtype not in NAMES:
            known = ", ".join(str(dtype) for dtype in NAMES)
            raise SafetensorsError(
                f"array {name!r}: expected a dtype among {known}, got {array.dtype}"
            )
    entries: list[Entry] = []
    end = 0
    for name in sorted(dtypes, key=lambda name: (-dtypes[name].itemsize, name)):
        begin, end = end, end + arrays[name].size * dtypes[name].itemsize
        entries.append(Entry(name, dtypes[name], arrays[name].shape, begin, end))
    return entries


def _read_header(file: FileIO, size: int) -> bytes:
    """The header of a file of `size` bytes, as it stands there."""
    file.seek(0)
    if size < 8:
        raise SafetensorsError(f"expected at least 8 bytes, got {size}")
    length = int.from_bytes(file.read(8), "little")
    longest = min(LONGEST_HEADER, size - 8)
    if length > longest:
        raise SafetensorsError(
            f"expected a header of at most {longest} bytes, got a length of {length}"
        )
    text = file.read(length)
    if len(text) < length:
        raise SafetensorsError(f"expected a header of {length} bytes, got {len(text)}")
    return text


def _as_array(entry: Entry, data: npt.NDArray[np.uint8]) -> Array:
    """An array, from the bytes of its data."""
    try:
        array = data.view(entry.dtype).reshape(entry.shape)
    except ValueError as error:
        # The sizes beside a zero may have a product that numpy cannot hold.
        raise SafetensorsError(
            f"array {entry.name!r}: expected a shape that numpy can hold, "
            f"got {[*entry.shape]}"
        ) from error
    if entry.dtype == np.bool_ and (largest := array.view(np.uint8).max(initial=0)) > 1:
        raise SafetensorsError(
            f"array {entry.name!r}: expected booleans of 0 or 1, got {largest}"
        )
    return array
