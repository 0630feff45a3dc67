"""
Write a static library: objects in one file, with an index for linkers.

The format is that of System V and GNU: after a line that says what the file is, each
member has a header of 60 characters and its bytes, padded to an even count. The first
member, `/`, is the index: how many functions and constants the objects export, then of
each the offset of its member, both big-endian, then their names.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

_START = b"!<arch>\n"
_LONGEST = 15
"""Characters of a name of a member."""


def archive(
    members: Mapping[str, bytes], exported: Mapping[str, Sequence[str]]
) -> bytes:
    """
    The library of some objects by name, of which each exports these symbols; raises
    `ValueError` for a name of more than 15 characters.
    """
    for name in members:
        if len(name.encode()) > _LONGEST:
            raise ValueError(f"expected a name of {_LONGEST} characters, got {name}")
    symbols = [(each, name) for name in members for each in exported.get(name, ())]
    texts = b"".join(each.encode() + b"\0" for each, _ in symbols)
    index_size = 4 + 4 * len(symbols) + len(texts)
    at = len(_START) + len(_header("/", index_size)) + index_size + index_size % 2
    starts: dict[str, int] = {}
    for name, data in members.items():
        starts[name] = at
        at += len(_header(name, len(data))) + len(data) + len(data) % 2
    offsets = [len(symbols), *(starts[name] for _, name in symbols)]
    index = b"".join(each.to_bytes(4, "big") for each in offsets) + texts
    parts = [_START, _member("/", index)]
    parts += (_member(f"{name}/", data) for name, data in members.items())
    return b"".join(parts)


def _member(name: str, data: bytes) -> bytes:
    """A member, with its header and its padding."""
    return _header(name, len(data)) + data + b"\n" * (len(data) % 2)


def _header(name: str, size: int) -> bytes:
    """The header of a member that nobody owns, of no time, that all may read."""
    fields = f"{name:<16}{0:<12}{0:<6}{0:<6}{'100644':<8}{size:<10}"
    return fields.encode() + b"`\n"
