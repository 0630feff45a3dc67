"""
The instruction sets that contractions have instructions of: what cost model and passes
ask of them.

A set multiplies factors of one narrow element and adds the products to accumulators of
a wider one. Its factors lie in the *VNNI layout*: elements of `k_group` successive k
share a word of 32 bits, so that a vector of B has one word for each column. What an
instruction sums up is that word, or several of them.

This table says what a set is; `lowering/loop_to_llvm/isa/NAME.py` writes its
instructions. A new set is an entry here and a file there.
"""

from __future__ import annotations

from collections.abc import Set
from dataclasses import dataclass

from xdsl.dialects.builtin import FixedBitwidthType, bf16, f32
from xdsl.ir import Attribute

WORD = 32
"""Bits of a word of the VNNI layout."""


@dataclass(frozen=True)
class TileGeometry:
    """
    Registers that hold a matrix each: how many there are, and the size of one.

    A tile of accumulators has `rows` rows; a tile of A as many, each of `row_bytes` of
    k; a tile of B has a word of the VNNI layout for each of `columns` columns in a row.
    """

    count: int
    rows: int
    row_bytes: int
    accumulators: int
    """How many of them hold accumulators: the others hold tiles of A and of B."""

    @property
    def columns(self) -> int:
        """The accumulators in a row of a tile, and the columns of a tile of B."""
        return self.row_bytes * 8 // WORD

    @property
    def capacity(self) -> int:
        """How many accumulators the tiles for them hold together."""
        return self.accumulators * self.rows * self.columns


@dataclass(frozen=True)
class Isa:
    """An instruction set: its elements, what one instruction does, and who has it."""

    name: str
    element: Attribute
    """The type of both factors in the VNNI layout."""
    accumulator: Attribute
    k: int
    """How many k one instruction multiplies and adds up for each accumulator."""
    features: frozenset[str] | None
    """What a machine must have, in LLVM's words; None for a set that is only named."""
    vector: int = 0
    """The bits that its vectors must have at least."""
    tiles: TileGeometry | None = None
    """The registers of its accumulators, where these are no vectors."""

    @property
    def k_group(self) -> int:
        """How many k share a word of the VNNI layout."""
        return WORD // 8 // self.bytes

    @property
    def bytes(self) -> int:
        """The bytes of an element."""
        assert isinstance(self.element, FixedBitwidthType)
        return self.element.bitwidth // 8


AMX_TILES = TileGeometry(count=8, rows=16, row_bytes=64, accumulators=4)
"""
Palette 1 of AMX: eight tiles of 1 KiB. A microkernel of 2 x 2 tiles of accumulators
loads four tiles for four products, the fewest loads that eight tiles allow.
"""

AMX = Isa("amx", bf16, f32, 32, frozenset(("avx512bf16", "amx-bf16")), 512, AMX_TILES)
"""TDPBF16PS: two tiles of bf16 (Intel's manual, volume 2, "TDPBF16PS")."""

AVX512_BF16 = Isa("avx512_bf16", bf16, f32, 2, frozenset(("avx512bf16",)), 512)
"""VDPBF16PS: pairs of bf16 (Intel's manual, volume 2, "VDPBF16PS")."""

PORTABLE = Isa("portable", bf16, f32, 1, None)
"""Multiply-adds in f32 on what words of bf16 stand for: runs on every machine."""

PORTABLE_AMX = Isa("portable_amx", bf16, f32, 32, None, tiles=AMX_TILES)
"""What AMX computes, with tiles in memory: for tests on every machine."""

ISAS = {each.name: each for each in (AMX, AVX512_BF16, PORTABLE, PORTABLE_AMX)}
"""Every set by its name; of those for one element, the one to prefer comes first."""


def isas_of(features: Set[str], vector: int) -> list[str]:
    """The sets that a machine has, the preferred one of each element."""
    found: dict[Attribute, str] = {}
    for each in ISAS.values():
        if each.features is not None and features >= each.features:
            if vector >= each.vector:
                found.setdefault(each.element, each.name)
    return list(found.values())
