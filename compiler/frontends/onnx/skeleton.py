"""
Replace the large weights of a serialized model by references to their bytes.

Protobuf copies a message when it parses it, and again at each access to its bytes. So
each large weight of the graph is replaced before parsing by the location of its bytes,
in the form of ONNX's external data.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt
from onnx import TensorProto

Bytes = npt.NDArray[np.uint8]

INSIDE = "\0"
"""The location of data inside the model itself; no file can have this name."""

MIN_REPLACED_BYTES = 4096
"""The least size in bytes of a weight that is replaced."""

GRAPH, _INITIALIZER, _RAW_DATA = 7, 5, 9
"""The field numbers on the path from a model to the bytes of a weight."""

_FIELDS = (13, 14)
"""The field numbers of the data location of a tensor."""

_BYTES = 2
"""The wire type of a length-delimited field."""

_Rewrite: TypeAlias = "Callable[[Bytes, int, int], bytes | None]"
"""Rewrites the message between two offsets; None when it stays unchanged."""


@dataclass(frozen=True)
class _Field:
    """The offsets of a field in a message."""

    number: int
    kind: int
    begin: int
    value: int
    """The offset of its value."""
    end: int


def skeleton(data: Bytes) -> bytes | None:
    """
    The model `data` with references for its large weights; None when it is broken.
    """
    try:
        return _with_rewritten(data, 0, len(data), GRAPH, _graph)
    except (IndexError, ValueError):
        # Protobuf's parser reports what is wrong.
        return None


def _with_rewritten(
    data: Bytes, begin: int, end: int, number: int, rewrite: _Rewrite
) -> bytes:
    """A message with each submessage in field `number` rewritten."""
    parts: list[bytes] = []
    kept = begin
    for field in _fields(data, begin, end):
        if field.number != number or field.kind != _BYTES:
            continue
        new = rewrite(data, field.value, field.end)
        if new is None:
            continue
        head = _varint(number << 3 | _BYTES) + _varint(len(new))
        parts += [data[kept : field.begin].tobytes(), head, new]
        kept = field.end
    return b"".join([*parts, data[kept:end].tobytes()])


def _graph(data: Bytes, begin: int, end: int) -> bytes | None:
    """A graph with references for its large weights."""
    return _with_rewritten(data, begin, end, _INITIALIZER, _tensor)


def _tensor(data: Bytes, begin: int, end: int) -> bytes | None:
    """A tensor with a reference to its bytes; None when they are few or external."""
    if end - begin < MIN_REPLACED_BYTES:
        return None
    fields = list(_fields(data, begin, end))
    raw = [each for each in fields if each.number == _RAW_DATA and each.kind == _BYTES]
    placed = any(each.number in _FIELDS for each in fields)
    if placed or len(raw) != 1 or raw[0].end - raw[0].value < MIN_REPLACED_BYTES:
        return None
    (bytes_of,) = raw
    rest = data[begin : bytes_of.begin].tobytes() + data[bytes_of.end : end].tobytes()
    place = TensorProto(data_location=TensorProto.EXTERNAL)
    length = bytes_of.end - bytes_of.value
    for key, value in (
        ("location", INSIDE),
        ("offset", bytes_of.value),
        ("length", length),
    ):
        place.external_data.add(key=key, value=str(value))
    # Protobuf merges two concatenated messages into one with the fields of both.
    return rest + place.SerializeToString()


def _fields(data: Bytes, begin: int, end: int) -> Iterator[_Field]:
    """The fields of a message; raises `ValueError` when its bytes are malformed."""
    at = begin
    while at < end:
        start = at
        tag, at = _read_varint(data, at)
        number, kind = tag >> 3, tag & 7
        value = at
        match kind:
            case 0:
                _, at = _read_varint(data, at)
            case 1:
                at += 8
            case 2:  # LENGTH
                length, value = _read_varint(data, at)
                at = value + length
            case 5:
                at += 4
            case _:
                raise ValueError(f"expected a field that ends, got kind {kind}")
        if at > end or number == 0:
            raise ValueError(f"expected fields up to {end}, got one up to {at}")
        yield _Field(number, kind, start, value, at)


def _read_varint(data: Bytes, at: int) -> tuple[int, int]:
    """Decodes a varint; returns the number and the offset of its end."""
    result = 0
    for shift in range(0, 70, 7):
        byte = int(data[at])
        at += 1
        result |= (byte & 0x7F) << shift
        if byte < 0x80:
            return result, at
    raise ValueError("expected a number of at most ten bytes, got more")


def _varint(number: int) -> bytes:
    """Encodes a number as a varint."""
    parts: list[int] = []
    while number >= 0x80:
        parts.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes([*parts, number])
