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

_ROW_BYTES = AMX_TILES.row_bytes * 0x0001_0001_0001_0001
"""The bytes of a row of four tiles, 16 bits for each."""

_ROWS = AMX_TILES.rows * 0x0101_0101_0101_0101
"""The rows of eight tiles, 8 bits for each."""

_CONFIGURATION = (1, 0, _ROW_BYTES, _ROW_BYTES, 0, 0, _ROWS, 0)
"""
What LDTILECFG reads, in words of 64 bits: palette 1; from byte 16 on the bytes of a row
of each tile, from byte 48 on the rows of each.
"""


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
        """Writes the configuration of the tiles, once for each function."""
        return Tiles(w, "tdpbf16ps")


class Tiles:
    """
    The tiles of a processor, which each thread configures before it uses them, and the
    name of the instruction that multiplies two.
    """

    def __init__(self, w: FunctionWriter, product: str):
        self.w, self.product = w, product
        if w.leave:
            return
        words = w.entered(f"alloca [{len(_CONFIGURATION)} x i64], align 64")
        for number, word in enumerate(_CONFIGURATION):
            slot = w.entered(f"getelementptr i64, ptr {words}, i64 {number}")
            w.entry.append(f"  store i64 {word}, ptr {slot}, align 8")
        w.entry.append(f"  call void @llvm.x86.ldtilecfg(ptr {words})")
        # Else the operating system saves them at each change of threads.
        w.leave.append("call void @llvm.x86.tilerelease()")

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
