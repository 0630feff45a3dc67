"""
The header of a safetensors file: what there is of each array, and texts.

Nothing that a header says is believed: names come once, types and shapes are known
ones, and the data of the arrays covers the file, each byte once.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from math import prod
from typing import Any, TypeAlias

import numpy as np

from ..abi import SAFETENSORS
from .shortened import shortened

NAMES = {dtype: name for name, dtype in SAFETENSORS.items()}

_FIELDS = {"dtype", "shape", "data_offsets"}

METADATA = "__metadata__"

_SURROGATE = re.compile(r"[\ud800-\udfff]")
"""Half of a character, which JSON can spell and no text can have."""

_ALIGNMENT = 64
"""The data in a file that `write` makes begins at a multiple of these bytes."""

_BRACKETS = b"[]{}"
_NO_BRACKETS = bytes(each for each in range(256) if each not in _BRACKETS)

_MAX_DEPTH = 8
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


class _Fields(dict[str, "Json"]):
    """An object of JSON, in which each name must stand once."""

    def __init__(self, pairs: Iterable[tuple[str, Json]]) -> None:
        super().__init__()
        for name, value in pairs:
            if name in self:
                raise SafetensorsError(f"expected each name once, got {name!a} again")
            self[name] = value


Json: TypeAlias = bool | int | float | str | list["Json"] | _Fields | None


def encode(entries: Iterable[Entry], metadata: Mapping[str, str]) -> bytes:
    """The header, with spaces after it so that the data begins at a multiple of 64."""
    texts = _check_metadata(_Fields(metadata.items()))
    header: dict[str, object] = {METADATA: texts} if texts else {}
    for entry in entries:
        header[entry.name] = {
            "dtype": NAMES[entry.dtype],
            "shape": entry.shape,
            "data_offsets": (entry.begin, entry.end),
        }
    text = json.dumps(header, ensure_ascii=False, separators=(",", ":")).encode()
    text += b" " * (-(8 + len(text)) % _ALIGNMENT)
    if len(text) > LONGEST_HEADER:
        raise SafetensorsError(
            f"expected a header of at most {LONGEST_HEADER} bytes, got {len(text)}"
        )
    return text


def decode(text: bytes) -> tuple[list[Entry], dict[str, str]]:
    """What a header says: the arrays in the order of their data, and the metadata."""
    if not text.startswith(b"{"):
        raise SafetensorsError(f"expected a header that begins with {{, got {text[:1]}")
    if (deepest := _depth(text)) > _MAX_DEPTH:
        raise SafetensorsError(
            f"expected a header nested at most {_MAX_DEPTH} deep, got {deepest}"
        )
    try:
        header: Json = json.loads(text.decode(), object_pairs_hook=_Fields)
    except SafetensorsError:
        raise
    except ValueError as error:
        raise SafetensorsError(f"expected a header in JSON, got {error}") from error
    assert isinstance(header, _Fields), "what begins with a brace is an object"
    metadata = _check_metadata(header.pop(METADATA, _Fields([])))
    entries = [_entry(check_text(name), fields) for name, fields in header.items()]
    return sorted(entries, key=lambda entry: (entry.begin, entry.end)), metadata


def _depth(text: bytes) -> int:
    """How deep lists and objects of JSON are nested, whatever Python could follow."""
    # Between a quote and the next one that no backslash escapes is a text.
    parts = text.replace(rb"\\", b"").replace(rb"\"", b"").split(b'"')
    brackets = b"".join(parts[::2]).translate(None, _NO_BRACKETS)
    # The second bit tells a bracket that opens from one that closes.
    steps = (np.frombuffer(brackets, np.uint8) & 2).astype(np.int8) - 1
    return int(np.cumsum(steps, dtype=np.int32).max(initial=0))


def _entry(name: str, fields: Json) -> Entry:
    """One array of a header, with the size of its data checked."""
    if not isinstance(fields, _Fields) or fields.keys() != _FIELDS:
        raise SafetensorsError(
            f"array {name!r}: expected the fields {', '.join(sorted(_FIELDS))}, "
            f"got {shortened(ascii(fields))}"
        )
    dtype = fields["dtype"]
    if not isinstance(dtype, str) or dtype not in SAFETENSORS:
        raise SafetensorsError(
            f"array {name!r}: expected a dtype among {', '.join(SAFETENSORS)}, "
            f"got {shortened(ascii(dtype))}"
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
    expected = prod(sizes) * SAFETENSORS[dtype].itemsize
    if ends[1] - ends[0] != expected:
        raise SafetensorsError(
            f"array {name!r}: expected {expected} bytes for {dtype} {[*sizes]}, "
            f"got {ends[1] - ends[0]}"
        )
    return Entry(name, SAFETENSORS[dtype], sizes, *ends)


def _check_sizes(name: str, field: str, value: Json) -> tuple[int, ...]:
    """The numbers in a list of JSON; each must be a size of 63 bits."""
    if isinstance(value, list):
        # `True` is an integer to Python, but not to JSON.
        sizes = tuple(item for item in value if type(item) is int)
        if len(sizes) == len(value) and all(0 <= size < 2**63 for size in sizes):
            return sizes
    raise SafetensorsError(
        f"array {name!r}: expected {field} to be a list of sizes, got "
        f"{shortened(ascii(value))}"
    )


def _check_metadata(value: Json) -> dict[str, str]:
    """The metadata, which must be texts with names."""
    if not isinstance(value, _Fields):
        raise SafetensorsError(
            f"{METADATA}: expected texts with names, got {shortened(ascii(value))}"
        )
    return {check_text(name): check_text(text) for name, text in value.items()}


def check_text(value: Json) -> str:
    """The text that `value` must be."""
    if isinstance(value, str) and not _SURROGATE.search(value):
        return value
    raise SafetensorsError(f"expected a text in Unicode, got {shortened(ascii(value))}")


def check_tiling(entries: Iterable[Entry], size: int) -> None:
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
