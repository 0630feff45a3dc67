"""The relocations of x86-64 in code of the large and the small model."""

from __future__ import annotations

from .relocation_kind import RelocationKind, write_half, write_word

KINDS = {
    1: RelocationKind("R_X86_64_64", lambda p: p.symbol + p.addend, write_word, 8),
    2: RelocationKind(
        "R_X86_64_PC32", lambda p: p.symbol + p.addend - p.at, write_half, 4
    ),
    4: RelocationKind(
        "R_X86_64_PLT32",
        lambda p: p.symbol + p.addend - p.at,
        write_half,
        4,
        is_call=True,
    ),
    24: RelocationKind(
        "R_X86_64_PC64", lambda p: p.symbol + p.addend - p.at, write_word, 8
    ),
    25: RelocationKind(
        "R_X86_64_GOTOFF64", lambda p: p.symbol + p.addend - p.table, write_word, 8
    ),
    27: RelocationKind(
        "R_X86_64_GOT64",
        lambda p: p.entry + p.addend - p.table,
        write_word,
        8,
        needs_entry=True,
    ),
    29: RelocationKind(
        "R_X86_64_GOTPC64", lambda p: p.table + p.addend - p.at, write_word, 8
    ),
    **{
        number: RelocationKind(
            name, lambda p: p.entry + p.addend - p.at, write_half, 4, needs_entry=True
        )
        for number, name in (
            (9, "R_X86_64_GOTPCREL"),
            (41, "R_X86_64_GOTPCRELX"),
            (42, "R_X86_64_REX_GOTPCRELX"),
        )
    },
}
"""The kinds by their numbers."""


def stub(target: int) -> bytes:
    """16 bytes of code that jump to an address."""
    # jmp *2(%rip); two bytes that nobody runs; the address.
    return bytes.fromhex("ff2502000000 6690") + target.to_bytes(8, "little")
