"""
Write products of bf16 with AMX: TDPBF16PS, on eight tiles of 16 rows of 64 bytes each.

A row of accumulators is 16 f32. A row of A is 32 k; a row of B holds, in the VNNI
layout, two k of 16 columns. So one instruction adds 32 k to 16 x 16 accumulators: it
sums the even k and the odd ones apart, and adds both sums to the accumulator. Source:
Intel's manual, volume 1, "Programming with Intel AMX"; volume 2, "TDPBF16PS".
"""

from __future__ import annotations

from ....dialects.loop import AMX, AMX_TILES
from ..text.function import FunctionWriter
from ..text.types import Value
from .avx512_bf16 import narrow_vector
from .instructions import TileRegisters
from .portable import Portable

_WORDS = AMX_TILES.rows
"""Words of k in a whole row of A, which are rows of B."""


class Amx(Portable):
    """
    The instructions of a processor with AMX-BF16.

    What no tile registers are used for is added up by multiply-adds.
    """

    isa = AMX

    def narrow(self, w: FunctionWriter, value: Value) -> Value:
        """Writes the nearest bf16 of each f32, subnormal numbers as zero in vectors."""
        return narrow_vector(w, value)

    def tiles(self, w: FunctionWriter) -> TileRegisters:
        """The tiles, which nothing has configured yet."""
        return Tiles(w, "tdpbf16ps")


class Tiles:
    """
    The tiles of a processor, which each thread configures before it uses them, and the
    name of the instruction that multiplies two.
    """

    def __init__(self, w: FunctionWriter, product: str):
        self.w, self.product = w, product

    def configure(self, words: int = _WORDS) -> None:
        """
        Writes the configuration, once for each function: tiles of A and of B have some
        words of k.
        """
        w = self.w
        if w.tile_words:
            assert w.tile_words == words, "a kernel has tiles of one size"
            return
        w.tile_words = words
        w.entry.append(f"  call void @llvm.x86.ldtilecfg(ptr {self.table(words)})")
        # Else the operating system saves them at each change of threads.
        w.leave.append("call void @llvm.x86.tilerelease()")

    def table(self, words: int) -> str:
        """
        Writes what LDTILECFG reads; its address. Palette 1; from byte 16 on the bytes
        of a row of each tile, from byte 48 on the rows of each.
        """
        shapes = AMX_TILES.shapes(words)
        bytes = [each for _, row_bytes in shapes for each in (row_bytes, 0)]
        table = [1, *[0] * 15, *bytes, *[0] * 16, *(rows for rows, _ in shapes)]
        table += [0] * (64 - len(table))
        at = self.w.entered("alloca [8 x i64], align 64")
        for number in range(8):
            word = sum(
                e << 8 * place for place, e in enumerate(table[8 * number :][:8])
            )
            slot = self.w.entered(f"getelementptr i64, ptr {at}, i64 {number}")
            self.w.entry.append(f"  store i64 {word}, ptr {slot}, align 8")
        return at

    def clear(self, tile: int) -> None:
        """Writes TILEZERO."""
        self.w.do(f"call void @llvm.x86.tilezero(i8 {tile})")

    def load(self, tile: int, address: str, pitch: str) -> None:
        """Writes TILELOADD."""
        self.move("tileloadd64", tile, address, pitch)

    def store(self, tile: int, address: str, pitch: str) -> None:
        """Writes TILESTORED."""
        self.move("tilestored64", tile, address, pitch)

    def move(self, name: str, tile: int, address: str, pitch: str) -> None:
        """Writes an instruction that moves a tile."""
        arguments = f"i8 {tile}, ptr {address}, i64 {pitch}"
        self.w.do(f"call void @llvm.x86.{name}({arguments})")

    def multiply(self, accumulators: int, a: int, b: int) -> None:
        """Writes the product, such as TDPBF16PS."""
        arguments = f"i8 {accumulators}, i8 {a}, i8 {b}"
        self.w.do(f"call void @llvm.x86.{self.product}({arguments})")
