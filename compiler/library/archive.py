"""
Write a static library: objects in one file, with an index for linkers.

The format is that of System V and GNU: after a line that says what the file is, each
member has a header of 60 characters and its bytes, padded to an even count. The first
member, `/`, is the index: how many functions and constants the objects export, then of
each the offset of its member, both big-endian, then their names.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

_START = b"!<arch>\n"
_NAME_LENGTH = 15
"""Characters of a name of a member."""


@dataclass(frozen=True)
class ArchiveMember:
    """An object of a library, its name, and the symbols that others see."""

    name: str
    data: bytes
    exported: Sequence[str]


def archive(members: Sequence[ArchiveMember]) -> bytes:
    """
    The library of some objects; raises `ValueError` for a name of more than 15
    characters.
    """
    for each in members:
        if len(each.name.encode()) > _NAME_LENGTH:
            raise ValueError(
                f"expected a name of up to {_NAME_LENGTH} characters, got {each.name}"
            )
    texts = b"".join(
        symbol.encode() + b"\0" for each in members for symbol in each.exported
    )
    count = sum(len(each.exported) for each in members)
    # The index is as long as it will be, whatever it says.
    at = len(_START) + len(_member("/", bytes(4 + 4 * count) + texts))
    parts: list[bytes] = []
    offsets = [count]
    for each in members:
        offsets += [at] * len(each.exported)
        parts.append(_member(f"{each.name}/", each.data))
        at += len(parts[-1])
    index = b"".join(each.to_bytes(4, "big") for each in offsets) + texts
    return b"".join((_START, _member("/", index), *parts))


def _member(name: str, data: bytes) -> bytes:
    """A member of nobody, of no time, that all may read; and its padding."""
    fields = f"{name:<16}{0:<12}{0:<6}{0:<6}{'100644':<8}{len(data):<10}"
    return fields.encode() + b"`\n" + data + b"\n" * (len(data) % 2)
