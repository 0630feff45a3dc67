"""The relocations of AArch64 that compiled models have."""

from __future__ import annotations

from .object_file import ObjectError
from .relocation_kind import (
    Place,
    RelocationKind,
    Write,
    check_reach,
    write_half,
    write_word,
)


def _page(address: int) -> int:
    """The start of the 4 KiB in which an address is."""
    return address & ~0xFFF


def _set_bits(code: bytearray, at: int, mask: int, bits: int) -> None:
    """Replaces the bits of an instruction that a mask has."""
    word = int.from_bytes(code[at : at + 4], "little")
    code[at : at + 4] = (word & ~mask | bits).to_bytes(4, "little")


def _write_page(code: bytearray, at: int, value: int) -> None:
    """Writes the distance of pages into `adrp`."""
    check_reach(value, 33)
    pages = value >> 12
    bits = (pages & 3) << 29 | (pages >> 2 & 0x7FFFF) << 5
    _set_bits(code, at, 0x60FFFFE0, bits)


def _write_branch(code: bytearray, at: int, value: int) -> None:
    """Writes a distance into `b` or `bl`."""
    check_reach(value, 28)
    if value & 3:
        raise ObjectError(f"expected a branch by multiples of 4 bytes, got {value:#x}")
    _set_bits(code, at, 0x3FFFFFF, value >> 2 & 0x3FFFFFF)


def _low_bits(shift: int) -> Write:
    """Writes the offset in a page into an `add`, `ldr` or `str` of 1 << shift bytes."""

    def write(code: bytearray, at: int, value: int) -> None:
        low = value & 0xFFF
        if low % (1 << shift):
            raise ObjectError(
                f"expected an address of a multiple of {1 << shift} bytes, got "
                f"{value:#x}"
            )
        _set_bits(code, at, 0xFFF << 10, low >> shift << 10)

    return write


def _symbol(p: Place) -> int:
    """The address of a symbol."""
    return p.symbol + p.addend


def _distance(p: Place) -> int:
    """The distance of a symbol."""
    return p.symbol + p.addend - p.at


KINDS = {
    257: RelocationKind("R_AARCH64_ABS64", _symbol, write_word, 8),
    260: RelocationKind("R_AARCH64_PREL64", _distance, write_word, 8),
    261: RelocationKind("R_AARCH64_PREL32", _distance, write_half, 4),
    275: RelocationKind(
        "R_AARCH64_ADR_PREL_PG_HI21",
        lambda p: _page(p.symbol + p.addend) - _page(p.at),
        _write_page,
        4,
    ),
    277: RelocationKind("R_AARCH64_ADD_ABS_LO12_NC", _symbol, _low_bits(0), 4),
    278: RelocationKind("R_AARCH64_LDST8_ABS_LO12_NC", _symbol, _low_bits(0), 4),
    282: RelocationKind("R_AARCH64_JUMP26", _distance, _write_branch, 4, is_call=True),
    283: RelocationKind("R_AARCH64_CALL26", _distance, _write_branch, 4, is_call=True),
    284: RelocationKind("R_AARCH64_LDST16_ABS_LO12_NC", _symbol, _low_bits(1), 4),
    285: RelocationKind("R_AARCH64_LDST32_ABS_LO12_NC", _symbol, _low_bits(2), 4),
    286: RelocationKind("R_AARCH64_LDST64_ABS_LO12_NC", _symbol, _low_bits(3), 4),
    299: RelocationKind("R_AARCH64_LDST128_ABS_LO12_NC", _symbol, _low_bits(4), 4),
    311: RelocationKind(
        "R_AARCH64_ADR_GOT_PAGE",
        lambda p: _page(p.entry + p.addend) - _page(p.at),
        _write_page,
        4,
        needs_entry=True,
    ),
    312: RelocationKind(
        "R_AARCH64_LD64_GOT_LO12_NC",
        lambda p: p.entry + p.addend,
        _low_bits(3),
        4,
        needs_entry=True,
    ),
}
"""The kinds by their numbers."""


def stub(target: int) -> bytes:
    """16 bytes of code that jump to an address."""
    # ldr x16, .+8; br x16; the address.
    return bytes.fromhex("50000058 00021fd6") + target.to_bytes(8, "little")
