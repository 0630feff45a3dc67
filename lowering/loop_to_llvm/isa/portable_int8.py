"""
Write products of 8-bit integers with products of 16 bits: on every machine.

A word of four bytes becomes two words of two elements of 16 bits: that of the even k
and that of the odd ones, by shifts within 16 bits. The products of a word, and their
sum, are exact in 32 bits. LLVM makes one instruction of them where there is one:
VPMADDWD on x86, whose sum cannot saturate. VPMADDUBSW, whose sums of 16 bits may, is
for weights where they do not (`x86_pairs.py`).
"""

from __future__ import annotations

from xdsl.dialects.builtin import f32, i32
from xdsl.ir import Attribute

from ....dialects import ELEMENT_TYPES
from ....dialects.loop import PORTABLE_INT8
from ..text.function import FunctionWriter
from ..text.types import Value, suffix, type_text
from .instructions import Instructions

_BYTE = 8


class OfBytes(Instructions):
    """Instructions whose factors are words of bytes."""

    def unpack(self, w: FunctionWriter, words: Value, k: int) -> Value:
        """Writes the i32 that are the k-th bytes of words of B."""
        return byte(w, words, k, is_signed(self.b))


class PortableInt8(OfBytes):
    """Products of the even and the odd k of each word, added in 32 bits."""

    isa = PORTABLE_INT8

    def take_a(self, w: FunctionWriter, words: Value, part: int) -> Value:
        """Writes the words of the even k of words of A, or of the odd ones."""
        return _half(w, words, part, is_signed(self.a))

    def take_b(self, w: FunctionWriter, words: Value, part: int) -> Value:
        """Writes the words of the even k of words of B, or of the odd ones."""
        return _half(w, words, part, is_signed(self.b))

    def multiply(
        self, w: FunctionWriter, a: Value, b: Value, accumulators: Value
    ) -> Value:
        """Writes accumulators plus the products of the two elements of each word."""
        lanes = accumulators.lanes
        halves, wide = f"<{2 * lanes} x i16>", f"<{2 * lanes} x i32>"
        factors: list[str] = []
        for each in (a, b):
            narrow = w.emit(f"bitcast {each.typed} to {halves}")
            factors.append(w.emit(f"sext {halves} {narrow} to {wide}"))
        products = w.emit(f"mul nsw {wide} {factors[0]}, {factors[1]}")
        first, second = (_every_other(w, wide, products, lanes, n) for n in (0, 1))
        type = type_text(i32, lanes)
        both = w.emit(f"add nsw {type} {first}, {second}")
        return _in_turn(w, w.value(f"add {accumulators.typed}, {both}", i32, lanes))


def is_signed(element: Attribute) -> bool:
    """Whether bytes of this type may be below zero."""
    return ELEMENT_TYPES[element].is_signed


def byte(w: FunctionWriter, words: Value, k: int, signed: bool) -> Value:
    """Writes the k-th byte of each word, as an i32."""
    type, lanes = type_text(i32, words.lanes), words.lanes

    def number(of: int) -> str:
        return w.splat(Value(str(of), i32), lanes).text

    if signed:
        high = w.emit(f"shl {type} {words.text}, {number(_BYTE * (3 - k))}")
        return w.value(f"ashr {type} {high}, {number(3 * _BYTE)}", i32, lanes)
    low = w.emit(f"lshr {type} {words.text}, {number(_BYTE * k)}")
    return w.value(f"and {type} {low}, {number(0xFF)}", i32, lanes)


def _half(w: FunctionWriter, words: Value, part: int, signed: bool) -> Value:
    """
    Writes words of the even bytes (part 0), or of the odd ones, widened to 16 bits.
    """
    type = f"<{2 * words.lanes} x i16>"
    pairs = w.emit(f"bitcast {words.typed} to {type}")
    if not signed and part == 0:
        found = w.emit(f"and {type} {pairs}, splat (i16 255)")
    else:
        if part == 0:
            pairs = w.emit(f"shl {type} {pairs}, splat (i16 {_BYTE})")
        shift = "ashr" if signed else "lshr"
        found = w.emit(f"{shift} {type} {pairs}, splat (i16 {_BYTE})")
    to = type_text(i32, words.lanes)
    return w.value(f"bitcast {type} {found} to {to}", i32, words.lanes)


def _in_turn(w: FunctionWriter, sums: Value) -> Value:
    """
    Sums that LLVM adds nothing else to before they are there; it is no instruction.

    Else it adds up the products of several k first, for which there are no registers.
    """
    type = type_text(f32, sums.lanes)
    bits = w.emit(f"bitcast {sums.typed} to {type}")
    name = f"@llvm.arithmetic.fence.{suffix(f32, sums.lanes)}"
    kept = w.emit(f"call {type} {name}({type} {bits})")
    to = type_text(i32, sums.lanes)
    return w.value(f"bitcast {type} {kept} to {to}", i32, sums.lanes)


def _every_other(
    w: FunctionWriter, type: str, values: str, lanes: int, first: int
) -> str:
    """Writes every other one of twice as many values as lanes."""
    if lanes == 1:
        return w.emit(f"extractelement {type} {values}, i64 {first}")
    numbers = ", ".join(f"i32 {2 * lane + first}" for lane in range(lanes))
    return w.emit(
        f"shufflevector {type} {values}, {type} poison, <{lanes} x i32> <{numbers}>"
    )
