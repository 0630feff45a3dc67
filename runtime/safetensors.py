"""
The safetensors format: named arrays in one file.

    bytes 0 to 8      length of the header, unsigned, little-endian
    the header        JSON: {"__metadata__": {name: text}, name: {"dtype": "F32",
                      "shape": [2, 3], "data_offsets": [begin, end]}, ...}, then spaces
    the data          the arrays in row-major order, without a hole between them

Offsets count from the first byte after the header. No part of a file is trusted: all
that the header says is checked against the file before an array is made of it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from io import FileIO
from math import prod
from pathlib import Path
from typing import Any, BinaryIO, TypeAlias

import numpy as np
import numpy.typing as npt

from .atomic_file import atomic_file
from .regular_file import fill, locked, open_regular, room, size_of

Array: TypeAlias = npt.NDArray[Any]

DTYPES: Mapping[str, np.dtype[Any]] = {
    "BOOL": np.dtype("?"),
    "U8": np.dtype("u1"),
    "I8": np.dtype("i1"),
    "U16": np.dtype("<u2"),
    "I16": np.dtype("<i2"),
    "U32": np.dtype("<u4"),
    "I32": np.dtype("<i4"),
    "U64": np.dtype("<u8"),
    "I64": np.dtype("<i8"),
    "F16": np.dtype("<f2"),
    "F32": np.dtype("<f4"),
    "F64": np.dtype("<f8"),
}
"""The element types that are supported, by the name that the format gives them."""

NAMES = {dtype: name for name, dtype in DTYPES.items()}

FIELDS = {"dtype", "shape", "data_offsets"}

METADATA = "__metadata__"

SURROGATE = re.compile(r"[\ud800-\udfff]")
"""Half of a character, which JSON can spell and no text can have."""

ALIGNMENT = 64
"""The data in a file that `write` makes begins at a multiple of so many bytes."""

BRACKETS = b"[]{}"
NO_BRACKETS = bytes(each for each in range(256) if each not in BRACKETS)

DEEPEST = 8
"""Lists and objects within each other in the deepest header; a right one has three."""

LONGEST_HEADER = 100_000_000
"""Bytes of the longest header, as in the format's own implementation."""

MOST_AXES = 64
"""Axes that an array of numpy can have."""


class SafetensorsError(ValueError):
    """A file is not in the format, or cannot have what it should; names the file."""


@dataclass(frozen=True)
class Entry:
    """What the header says of one array; offsets count from the first data byte."""

    name: str
    dtype: np.dtype[Any]
    shape: tuple[int, ...]
    begin: int
    end: int


class _Fields(dict[str, "_Json"]):
    """An object of JSON, in which each name must stand once."""

    def __init__(self, pairs: Iterable[tuple[str, _Json]]) -> None:
        super().__init__()
        for name, value in pairs:
            if name in self:
                raise SafetensorsError(f"expected each name once, got {name!a} again")
            self[name] = value


_Json: TypeAlias = bool | int | float | str | list["_Json"] | _Fields | None


@dataclass(frozen=True)
class Stream:
    """An array of bytes that are made while they are written, piece after piece."""

    size: int
    pieces: Callable[[], Iterable[npt.NDArray[np.uint8]]]
    dtype: np.dtype[Any] = DTYPES["U8"]

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
    text = _encode(entries, _check_metadata(_Fields(metadata.items())))
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
    entries, metadata = _decode(text)
    _check_tiling(entries, size - 8 - len(text))
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
        data = room(entry.end - entry.begin)
        for piece in fill(file, found.start(name), data):
            if seen is not None:
                seen(piece.data)
        arrays[name] = as_array(entry, locked(data))
    return arrays, found.metadata


def _lay_out(arrays: Mapping[str, Array | Stream]) -> list[Entry]:
    """Where the data of each array goes: the larger element types first."""
    dtypes: dict[str, np.dtype[Any]] = {}
    for name, array in arrays.items():
        dtypes[_check_text(name)] = dtype = array.dtype.newbyteorder("<")
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


def _encode(entries: Iterable[Entry], metadata: dict[str, str]) -> bytes:
    """The header, with spaces after it so that the data begins at a multiple of 64."""
    header: dict[str, object] = {METADATA: metadata} if metadata else {}
    for entry in entries:
        header[entry.name] = {
            "dtype": NAMES[entry.dtype],
            "shape": entry.shape,
            "data_offsets": (entry.begin, entry.end),
        }
    text = json.dumps(header, ensure_ascii=False, separators=(",", ":")).encode()
    text += b" " * (-(8 + len(text)) % ALIGNMENT)
    if len(text) > LONGEST_HEADER:
        raise SafetensorsError(
            f"expected a header of at most {LONGEST_HEADER} bytes, got {len(text)}"
        )
    return text


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


def _decode(text: bytes) -> tuple[list[Entry], dict[str, str]]:
    """What a header says: the arrays in the order of their data, and the metadata."""
    if not text.startswith(b"{"):
        raise SafetensorsError(f"expected a header that begins with {{, got {text[:1]}")
    if (deepest := _depth(text)) > DEEPEST:
        raise SafetensorsError(
            f"expected a header nested at most {DEEPEST} deep, got {deepest}"
        )
    try:
        header: _Json = json.loads(text.decode(), object_pairs_hook=_Fields)
    except SafetensorsError:
        raise
    except ValueError as error:
        raise SafetensorsError(f"expected a header in JSON, got {error}") from error
    assert isinstance(header, _Fields), "what begins with a brace is an object"
    metadata = _check_metadata(header.pop(METADATA, _Fields([])))
    entries = [_entry(_check_text(name), fields) for name, fields in header.items()]
    return sorted(entries, key=lambda entry: (entry.begin, entry.end)), metadata


def _depth(text: bytes) -> int:
    """How deep lists and objects of JSON are nested, whatever Python could follow."""
    # Between a quote and the next one that no backslash escapes is a text.
    parts = text.replace(rb"\\", b"").replace(rb"\"", b"").split(b'"')
    brackets = b"".join(parts[::2]).translate(None, NO_BRACKETS)
    # The second bit tells a bracket that opens from one that closes.
    steps = (np.frombuffer(brackets, np.uint8) & 2).astype(np.int8) - 1
    return int(np.cumsum(steps, dtype=np.int32).max(initial=0))


def _entry(name: str, fields: _Json) -> Entry:
    """One array of a header, with the size of its data checked."""
    if not isinstance(fields, _Fields) or fields.keys() != FIELDS:
        raise SafetensorsError(
            f"array {name!r}: expected the fields {', '.join(sorted(FIELDS))}, "
            f"got {_shorten(fields)}"
        )
    dtype = fields["dtype"]
    if not isinstance(dtype, str) or dtype not in DTYPES:
        raise SafetensorsError(
            f"array {name!r}: expected a dtype among {', '.join(DTYPES)}, "
            f"got {_shorten(dtype)}"
        )
    sizes = _check_sizes(name, "shape", fields["shape"])
    if len(sizes) > MOST_AXES:
        raise SafetensorsError(
            f"array {name!r}: expected at most {MOST_AXES} axes, got {len(sizes)}"
        )
    ends = _check_sizes(name, "data_offsets", fields["data_offsets"])
    if len(ends) != 2:
        raise SafetensorsError(
            f"array {name!r}: expected data_offsets of 2 numbers, got {len(ends)}"
        )
    expected = prod(sizes) * DTYPES[dtype].itemsize
    if ends[1] - ends[0] != expected:
        raise SafetensorsError(
            f"array {name!r}: expected {expected} bytes for {dtype} {[*sizes]}, "
            f"got {ends[1] - ends[0]}"
        )
    return Entry(name, DTYPES[dtype], sizes, *ends)


def _check_sizes(name: str, field: str, value: _Json) -> tuple[int, ...]:
    """The numbers in a list of JSON, each of which must be a size of 63 bits."""
    if isinstance(value, list):
        # `True` is an integer to Python, but not to JSON.
        sizes = tuple(item for item in value if type(item) is int)
        if len(sizes) == len(value) and all(0 <= size < 2**63 for size in sizes):
            return sizes
    raise SafetensorsError(
        f"array {name!r}: expected {field} to be a list of sizes, got {_shorten(value)}"
    )


def _check_metadata(value: _Json) -> dict[str, str]:
    """The metadata, which must be texts with names."""
    if not isinstance(value, _Fields):
        raise SafetensorsError(
            f"{METADATA}: expected texts with names, got {_shorten(value)}"
        )
    return {_check_text(name): _check_text(text) for name, text in value.items()}


def _check_text(value: _Json) -> str:
    """The text that `value` must be."""
    if isinstance(value, str) and not SURROGATE.search(value):
        return value
    raise SafetensorsError(f"expected a text in Unicode, got {_shorten(value)}")


def _check_tiling(entries: Iterable[Entry], size: int) -> None:
    """The arrays must cover the `size` bytes of data, each byte once."""
    end = 0
    for entry in entries:
        if entry.begin != end:
            raise SafetensorsError(
                f"array {entry.name!r}: expected data_offsets to begin at {end}, "
                f"where the data before it ends, got {entry.begin}"
            )
        end = entry.end
    if end != size:
        raise SafetensorsError(f"expected {end} bytes of data, got {size}")


def as_array(entry: Entry, data: npt.NDArray[np.uint8]) -> Array:
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


def _shorten(value: object) -> str:
    """A value as it stands in an error, which a wrong file must not make long."""
    text = ascii(value)
    return text if len(text) <= 80 else f"{text[:77]}..."
