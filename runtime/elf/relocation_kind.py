"""What a kind of relocation writes, and the checks of its value."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

from .object_file import ObjectError

_WORD_MASK = 2**64 - 1


class Place(NamedTuple):
    """The addresses that the value of a relocation is computed from."""

    at: int
    """The field that is written."""

    symbol: int
    """The symbol; for a call, what stands in for a symbol that is far away."""

    entry: int
    """The entry of the symbol in the global offset table, if the kind needs one."""

    table: int
    """The global offset table."""

    addend: int


Write: TypeAlias = Callable[[bytearray, int, int], None]
"""Writes a value to a field at an offset; raises `ObjectError` if it has no room."""


@dataclass(frozen=True)
class RelocationKind:
    """A kind of relocation: its name in the ABI, its value, and how it is written."""

    name: str
    value: Callable[[Place], int]
    write: Write
    size: int
    """Bytes of the field."""

    needs_entry: bool = False
    """Whether the symbol needs an entry in the global offset table."""

    is_call: bool = False
    """Whether code far away may be called by a stub that stands nearer."""


def write_word(code: bytearray, at: int, value: int) -> None:
    """Writes 64 bits."""
    code[at : at + 8] = (value & _WORD_MASK).to_bytes(8, "little")


def write_half(code: bytearray, at: int, value: int) -> None:
    """Writes 32 bits of a signed number."""
    check_reach(value, 32)
    code[at : at + 4] = (value & 0xFFFFFFFF).to_bytes(4, "little")


def check_reach(value: int, bits: int) -> None:
    """Raises `ObjectError` unless a signed number fits `bits` bits."""
    if not -(2 ** (bits - 1)) <= value < 2 ** (bits - 1):
        raise ObjectError(f"expected a distance of {bits} bits, got {value:#x}")
