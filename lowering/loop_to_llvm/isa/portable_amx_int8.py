"""
Write what AMX-INT8 computes with tiles in memory: slowly, on every machine, for tests.

Sums of 32 bits wrap, so that bits are those of `amx_int8.py` in any order.
"""

from __future__ import annotations

from xdsl.dialects.builtin import i32

from ....dialects.loop import PORTABLE_AMX_INT8
from ..text.function import FunctionWriter
from ..text.types import Value
from .avx512_vnni import multiply_bytes
from .instructions import TileRegisters
from .portable_amx import COLUMNS, TilesInMemory, WordsOf
from .portable_int8 import OfBytes, is_signed


class PortableAmxInt8(OfBytes):
    """Products of bytes, on tiles in memory where the schedule has tile registers."""

    isa = PORTABLE_AMX_INT8

    def multiply(
        self, w: FunctionWriter, a: Value, b: Value, accumulators: Value
    ) -> Value:
        """Writes accumulators plus the products of the bytes of two words each."""
        signed = is_signed(self.a), is_signed(self.b)
        return multiply_bytes(w, (a, b), signed, accumulators)

    def tiles(self, w: FunctionWriter) -> TileRegisters:
        """The tiles, in memory."""
        return _TilesOfBytes(w, self)


class _TilesOfBytes(TilesInMemory):
    """Tiles whose accumulators are i32."""

    def multiply(self, accumulators: int, a: int, b: int) -> None:
        """Writes that the product of two tiles is added to a tile of accumulators."""
        w = self.w

        def row(sums_row: str, words: WordsOf) -> None:
            before = w.value(f"load <16 x i32>, ptr {sums_row}, align 4", i32, COLUMNS)

            def word(number: str, sums: list[Value]) -> list[Value]:
                one, both = words(number)
                return [self.instructions.multiply(w, one, both, sums[0])]

            (after,) = w.loop("0", str(self.words), 1, (before,), word)
            w.do(f"store {after.typed}, ptr {sums_row}, align 4")

        self.each_row(accumulators, a, b, row)
