"""
Write products of 8-bit integers with AVX512-VNNI: VPDPBUSD.

The instruction adds four products of bytes to an accumulator, and wraps; VPDPBUSDS,
which saturates, is never used. It takes one factor as unsigned and the other as signed
(Intel's manual, volume 2, "VPDPBUSD"). Where both are of one kind, A is moved by 128,
which turns over the highest bit of a byte. Then a row of zeros would have a sum too,
which is subtracted (`Instructions.zeros`).
"""

from __future__ import annotations

from typing import ClassVar

from xdsl.dialects.builtin import i32

from ....dialects.loop import AVX512_VNNI
from ..text.function import FunctionWriter
from ..text.types import Value, type_text
from .portable_int8 import OfBytes, byte, is_signed

_MOVED = -0x7F7F7F80
"""The word of four bytes that have only their highest bit."""


class Avx512Vnni(OfBytes):
    """Instructions on vectors; products of each byte on what fills none."""

    isa = AVX512_VNNI

    LANES: ClassVar[tuple[int, ...]] = (4, 8, 16)
    """The words of the vectors that VPDPBUSD takes."""

    @property
    def zeros(self) -> Value | None:
        """Four bytes that stand for zeros in a factor that is moved."""
        return Value(str(_MOVED), i32) if self.moves else None

    @property
    def moves(self) -> bool:
        """Whether A is moved by 128."""
        return is_signed(self.a) == is_signed(self.b)

    def take_a(self, w: FunctionWriter, words: Value, part: int) -> Value:
        """Writes words of A, moved if they are."""
        if not self.moves:
            return words
        by = w.splat(Value(str(_MOVED), i32), words.lanes).text
        return w.value(f"xor {words.typed}, {by}", i32, words.lanes)

    def multiply(
        self, w: FunctionWriter, a: Value, b: Value, accumulators: Value
    ) -> Value:
        """Writes one instruction where the lanes are those of a vector."""
        lanes = accumulators.lanes
        # Once moved, A is signed where B is not.
        signed = is_signed(self.b)
        if lanes not in self.LANES:
            return multiply_bytes(w, (a, b), (not signed, signed), accumulators)
        type = f"<{4 * lanes} x i8>"
        unsigned_first = (a, b) if signed else (b, a)
        words = (w.emit(f"bitcast {each.typed} to {type}") for each in unsigned_first)
        arguments = ", ".join(f"{type} {each}" for each in words)
        name = f"@llvm.x86.avx512.vpdpbusd.{32 * lanes}"
        result = type_text(i32, lanes)
        return w.value(
            f"call {result} {name}({accumulators.typed}, {arguments})", i32, lanes
        )


def multiply_bytes(
    w: FunctionWriter,
    factors: tuple[Value, Value],
    signed: tuple[bool, bool],
    accumulators: Value,
) -> Value:
    """Writes accumulators plus the products of the four bytes of each word."""
    type, lanes = type_text(i32, accumulators.lanes), accumulators.lanes
    for k in range(4):
        a, b = (
            byte(w, words, k, each) for words, each in zip(factors, signed, strict=True)
        )
        product = w.emit(f"mul nsw {type} {a.text}, {b.text}")
        accumulators = w.value(f"add {accumulators.typed}, {product}", i32, lanes)
    return accumulators
