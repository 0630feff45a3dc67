"""
Write what AMX computes with tiles in memory: slowly, on every machine, for tests.

The order of the sums is that of TDPBF16PS (`amx.py`), and so are the bits, except that
subnormal numbers are not taken as zero.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import TypeAlias

from xdsl.dialects.builtin import f32, i32

from ....dialects.loop import AMX_TILES, PORTABLE_AMX, VNNI_WORD_BITS
from ..text.function import FunctionWriter
from ..text.scalar_op import multiply_add
from ..text.types import Value
from .instructions import Instructions, TileRegisters, write_zeros
from .portable import Portable

_COUNT, _ROWS, _ROW_BYTES, COLUMNS = (
    AMX_TILES.count,
    AMX_TILES.rows,
    AMX_TILES.row_bytes,
    AMX_TILES.columns,
)


WordsOf: TypeAlias = Callable[[str], tuple[Value, Value]]
"""A word of a row of A, in all lanes, and the row of words of B, by their number."""


class PortableAmx(Portable):
    """Multiply-adds, on tiles in memory where the schedule has tile registers."""

    isa = PORTABLE_AMX

    def tiles(self, w: FunctionWriter) -> TileRegisters:
        """The tiles, in memory."""
        return _TilesOfBf16(w, self)


class TilesInMemory(ABC):
    """The tiles, one after the other on the stack."""

    def __init__(self, w: FunctionWriter, instructions: Instructions):
        self.w, self.instructions = w, instructions
        self.base = w.entered(f"alloca [{_COUNT * _ROWS * _ROW_BYTES} x i8], align 64")
        self.words = _ROWS

    def configure(self, words: int = _ROWS) -> None:
        """Says how many words of k tiles of A and of B have."""
        self.words = words

    def row(self, tile: int, row: str) -> str:
        """The address of a row of a tile."""
        offset = self.w.mul(row, str(_ROW_BYTES))
        offset = self.w.add(str(tile * _ROWS * _ROW_BYTES), offset)
        return self.w.emit(f"getelementptr i8, ptr {self.base}, i64 {offset}")

    def clear(self, tile: int) -> None:
        """Writes zeros into a tile."""
        write_zeros(self.w, self.row(tile, "0"), _ROWS, _ROW_BYTES)

    def load(self, tile: int, address: str, pitch: str) -> None:
        """Writes a copy of rows in memory to a tile."""
        self.move(tile, address, pitch, is_load=True)

    def store(self, tile: int, address: str, pitch: str) -> None:
        """Writes a copy of a tile to rows in memory."""
        self.move(tile, address, pitch, is_load=False)

    def move(self, tile: int, address: str, pitch: str, is_load: bool) -> None:
        """Writes a copy of the rows of a tile from memory, or to it."""
        rows, bytes = AMX_TILES.shapes(self.words)[tile]
        many = bytes * 8 // VNNI_WORD_BITS

        def row(at: str, _: list[Value]) -> list[Value]:
            there = self.w.mul(at, pitch)
            there = self.w.emit(f"getelementptr i8, ptr {address}, i64 {there}")
            here = self.row(tile, at)
            source, to = (there, here) if is_load else (here, there)
            line = self.w.emit(f"load <{many} x i32>, ptr {source}, align 2")
            self.w.do(f"store <{many} x i32> {line}, ptr {to}, align 2")
            return []

        self.w.loop("0", str(rows), 1, (), row)

    def each_row(
        self,
        accumulators: int,
        a: int,
        b: int,
        build: Callable[[str, WordsOf], None],
    ) -> None:
        """Writes a loop over rows; `build` takes the address of the accumulators."""
        w = self.w

        def row(at: str, _: list[Value]) -> list[Value]:
            a_row, sums_row = self.row(a, at), self.row(accumulators, at)

            def words(number: str) -> tuple[Value, Value]:
                here = w.emit(f"getelementptr i32, ptr {a_row}, i64 {number}")
                one = w.value(f"load i32, ptr {here}, align 4", i32)
                one = w.splat(one, COLUMNS)
                line = self.row(b, number)
                both = w.value(f"load <16 x i32>, ptr {line}, align 4", i32, COLUMNS)
                return one, both

            build(sums_row, words)
            return []

        w.loop("0", str(_ROWS), 1, (), row)

    @abstractmethod
    def multiply(self, accumulators: int, a: int, b: int) -> None:
        """Writes that the product of two tiles is added to a tile of accumulators."""


class _TilesOfBf16(TilesInMemory):
    """Tiles whose accumulators are f32."""

    def multiply(self, accumulators: int, a: int, b: int) -> None:
        """Writes that the product of two tiles is added to a tile of accumulators."""
        w, instructions = self.w, self.instructions

        def row(sums_row: str, words: WordsOf) -> None:
            def word(number: str, sums: list[Value]) -> list[Value]:
                one, both = words(number)
                return [
                    multiply_add(
                        w,
                        [*(instructions.unpack(w, x, k) for x in (one, both)), each],
                        instructions.fma,
                    )
                    for k, each in enumerate(sums)
                ]

            zero = w.splat(Value("0.0", f32), COLUMNS)
            even, odd = w.loop("0", str(self.words), 1, (zero, zero), word)
            before = w.emit(f"load <16 x float>, ptr {sums_row}, align 4")
            both = w.emit(f"fadd {even.typed}, {odd.text}")
            after = w.emit(f"fadd <16 x float> {before}, {both}")
            w.do(f"store <16 x float> {after}, ptr {sums_row}, align 4")

        self.each_row(accumulators, a, b, row)
