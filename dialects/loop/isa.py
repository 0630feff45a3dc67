"""
The instruction sets that contractions have instructions of: what cost model and passes
ask of them.

A set multiplies factors of narrow elements, all of one size, and adds the products to
accumulators of a wider one. Its factors lie in the *VNNI layout*: elements of `k_group`
successive k share a word of 32 bits, so that a vector of B has one word for each
column. What an instruction sums up is that word, or several of them.

Factors of 8 bits may be signed or not, each for itself. Their products and sums are
those of i32, which wrap: so bits do not depend on the set.

This table says what a set is; `lowering/loop_to_llvm/isa/NAME.py` writes its
instructions. A new set is an entry here and a file there.
"""

from __future__ import annotations

from collections.abc import Set
from dataclasses import dataclass

from xdsl.dialects.builtin import AnyFloat, FixedBitwidthType, bf16, f32, i32
from xdsl.ir import Attribute

from ..element_type import si8, ui8

VNNI_WORD_BITS = 32
"""Bits of a word of the VNNI layout."""

_SCRATCH = 1 << 18
"""Bytes on the stack for the words of B of a panel, at most."""


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
        return self.row_bytes * 8 // VNNI_WORD_BITS

    @property
    def capacity(self) -> int:
        """How many accumulators the tiles for them hold together."""
        return self.accumulators * self.rows * self.columns

    def keeps(self, words: int, count: int) -> bool:
        """Whether one k fits a tile of B, and all k together fit scratch memory."""
        return 0 < words <= self.rows and words * count * self.row_bytes <= _SCRATCH

    def shapes(self, words: int) -> list[tuple[int, int]]:
        """
        The rows of each tile, and the bytes of a row: first accumulators, then two
        tiles of A and two of B, which have this many words of k.
        """
        a, b = (self.rows, VNNI_WORD_BITS // 8 * words), (words, self.row_bytes)
        others = (self.count - self.accumulators) // 2
        whole = (self.rows, self.row_bytes)
        return [whole] * self.accumulators + [a] * others + [b] * others


@dataclass(frozen=True)
class Isa:
    """An instruction set: its elements, what one instruction does, and who has it."""

    name: str
    elements: tuple[Attribute, ...]
    """The types that a factor may have in the VNNI layout, of one size."""
    accumulator: Attribute
    k: int
    """How many k one instruction multiplies and adds up for each accumulator."""
    features: frozenset[str] | None
    """
    What a machine must have, in LLVM's words: nothing for a set of every machine, None
    for one that is only named.
    """
    vector: int = 0
    """The bits that its vectors must have at least."""
    tiles: TileGeometry | None = None
    """The registers of its accumulators, where these are no vectors."""
    parts: int = 1
    """How many words it multiplies for a word of the VNNI layout, which it widens."""
    pair_bits: int = VNNI_WORD_BITS
    """
    Bits in which it adds up two products; they saturate. With fewer than an accumulator
    has it is for weights that are known, and whose sums fit.
    """

    @property
    def element(self) -> Attribute:
        """One of the types of factors, which says how large they are."""
        return self.elements[0]

    @property
    def is_exact(self) -> bool:
        """Whether it adds up integers, which wrap, so that every order is one sum."""
        return not isinstance(self.accumulator, AnyFloat)

    @property
    def k_group(self) -> int:
        """How many k share a word of the VNNI layout."""
        return VNNI_WORD_BITS // 8 // self.bytes

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

_BF16, _BYTES = (bf16,), (si8, ui8)

AMX = Isa("amx", _BF16, f32, 32, frozenset(("avx512bf16", "amx-bf16")), 512, AMX_TILES)
"""TDPBF16PS: two tiles of bf16 (Intel's manual, volume 2, "TDPBF16PS")."""

AVX512_BF16 = Isa("avx512_bf16", _BF16, f32, 2, frozenset(("avx512bf16",)), 512)
"""VDPBF16PS: pairs of bf16 (Intel's manual, volume 2, "VDPBF16PS")."""

PORTABLE = Isa("portable", _BF16, f32, 1, None)
"""Multiply-adds in f32 on what words of bf16 stand for: runs on every machine."""

PORTABLE_AMX = Isa("portable_amx", _BF16, f32, 32, None, tiles=AMX_TILES)
"""What AMX computes, with tiles in memory: for tests on every machine."""

AMX_INT8 = Isa(
    "amx_int8",
    _BYTES,
    i32,
    64,
    frozenset(("amx-int8", "avx512vl", "avx512vnni")),
    512,
    AMX_TILES,
)
"""TDPBSSD, TDPBSUD, TDPBUSD, TDPBUUD: two tiles of bytes, each signed or not."""

AVX512_VNNI = Isa("avx512_vnni", _BYTES, i32, 4, frozenset(("avx512vl", "avx512vnni")))
"""VPDPBUSD: fours of bytes; one factor is signed (Intel's manual, volume 2)."""

AVX_VNNI = Isa("avx_vnni", _BYTES, i32, 4, frozenset(("avxvnni",)))
"""The same on vectors of 256 bits, without AVX-512."""

NEON_DOTPROD = Isa("neon_dotprod", _BYTES, i32, 4, frozenset(("dotprod",)))
"""SDOT and UDOT: fours of bytes of one kind."""

NEON_I8MM = Isa("neon_i8mm", _BYTES, i32, 4, frozenset(("dotprod", "i8mm")))
"""USDOT beside them: fours of bytes, one factor signed and the other not."""

X86_PAIRS = Isa("x86_pairs", _BYTES, i32, 4, frozenset(("avx2",)), 256, pair_bits=16)
"""VPMADDUBSW: pairs of products of bytes without a sign and with one, in 16 bits."""

PORTABLE_INT8 = Isa("portable_int8", _BYTES, i32, 2, frozenset(), parts=2)
"""Products of 16 bits, added in pairs: VPMADDWD on x86."""

PORTABLE_VNNI = Isa("portable_vnni", _BYTES, i32, 4, None)
"""What VPDPBUSD computes, byte by byte: for tests on every machine."""

PORTABLE_AMX_INT8 = Isa("portable_amx_int8", _BYTES, i32, 64, None, tiles=AMX_TILES)
"""What AMX-INT8 computes, with tiles in memory: for tests on every machine."""

_SETS = (
    *(AMX, AVX512_BF16, PORTABLE, PORTABLE_AMX),
    *(AMX_INT8, AVX512_VNNI, AVX_VNNI, NEON_I8MM, NEON_DOTPROD),
    *(X86_PAIRS, PORTABLE_INT8, PORTABLE_VNNI, PORTABLE_AMX_INT8),
)

ISAS = {each.name: each for each in _SETS}
"""Every set by its name; of those for the same elements, the preferred comes first."""


def isas_of(features: Set[str], vector: int) -> list[str]:
    """The sets that a machine has and others lack, the preferred of each element."""
    found: dict[Attribute, str] = {}
    for each in ISAS.values():
        if each.features and features >= each.features and vector >= each.vector:
            found.setdefault(each.element, each.name)
    return list(found.values())


def isa_of_all(element: Attribute) -> Isa | None:
    """The set that every machine has for factors of this type, if there is one."""
    everywhere = (each for each in ISAS.values() if each.features == frozenset())
    return next((each for each in everywhere if element in each.elements), None)
