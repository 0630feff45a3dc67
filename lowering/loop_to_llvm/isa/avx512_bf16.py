"""
Write products of bf16 with AVX512-BF16: VDPBF16PS and VCVTNEPS2BF16.

The instruction adds the product of the first elements of two words to an accumulator,
then that of the second. It takes subnormal numbers as zero, and makes none (Intel's
manual, volume 2, "VDPBF16PS").
"""

from __future__ import annotations

from xdsl.dialects.builtin import bf16, f32

from ....dialects.loop import AVX512_BF16
from ..text.function import FunctionWriter
from ..text.types import Value, type_text
from .portable import Portable

_MULTIPLY_LANES = (4, 8, 16)
"""The words of the vectors that VDPBF16PS takes."""

_NARROW_LANES = (8, 16)
"""The f32 of the vectors whose conversion LLVM has an intrinsic without a mask for."""


class Avx512Bf16(Portable):
    """Instructions on vectors; multiply-adds on what fills none."""

    isa = AVX512_BF16

    def narrow(self, w: FunctionWriter, value: Value) -> Value:
        """Writes the nearest bf16 of each f32, subnormal numbers as zero in vectors."""
        return narrow_vector(w, value)

    def multiply(
        self, w: FunctionWriter, a: Value, b: Value, accumulators: Value
    ) -> Value:
        """Writes one instruction where the lanes are those of a vector."""
        lanes = accumulators.lanes
        if lanes not in _MULTIPLY_LANES:
            return super().multiply(w, a, b, accumulators)
        type = f"<{self.isa.k_group * lanes} x bfloat>"
        words = [w.emit(f"bitcast {each.typed} to {type}") for each in (a, b)]
        arguments = ", ".join(f"{type} {each}" for each in words)
        name = f"@llvm.x86.avx512bf16.dpbf16ps.{32 * lanes}"
        result = type_text(f32, lanes)
        return w.value(
            f"call {result} {name}({accumulators.typed}, {arguments})", f32, lanes
        )


def narrow_vector(w: FunctionWriter, value: Value) -> Value:
    """
    Writes the nearest bf16 of each f32 by the instruction: subnormal numbers become
    zero, which is what products of bf16 take them for.
    """
    few, most = _NARROW_LANES
    if value.lanes == 1:
        zeros = f"{type_text(f32, few)} zeroinitializer"
        text = f"insertelement {zeros}, {value.typed}, i64 0"
        narrow = _narrow_whole(w, w.value(text, f32, few))
        return w.value(f"extractelement {narrow.typed}, i64 0", bf16)
    if value.lanes in _NARROW_LANES:
        return _narrow_whole(w, value)
    if value.lanes > most:
        halves = value.lanes // 2, value.lanes - value.lanes // 2
        first = narrow_vector(w, _lanes_of(w, value, 0, halves[1]))
        last = narrow_vector(w, _lanes_of(w, value, halves[0], halves[1]))
        # Where lanes are odd both have the one in the middle.
        order = [*range(halves[0]), *range(halves[1], 2 * halves[1])]
        return _shuffled(w, first, last.typed, order)
    whole = _lanes_of(w, value, 0, few if value.lanes < few else most)
    return _lanes_of(w, _narrow_whole(w, whole), 0, value.lanes)


def _narrow_whole(w: FunctionWriter, value: Value) -> Value:
    """Writes the instruction, on a vector that it takes."""
    lanes = value.lanes
    name = f"@llvm.x86.avx512bf16.cvtneps2bf16.{32 * lanes}"
    found = w.emit(f"call <{lanes} x bfloat> {name}({value.typed})")
    to = type_text(bf16, lanes)
    return w.value(f"bitcast <{lanes} x bfloat> {found} to {to}", bf16, lanes)


def _lanes_of(w: FunctionWriter, value: Value, first: int, count: int) -> Value:
    """Writes some lanes of a vector, with zeros beyond its last."""
    zeros = f"{type_text(value.type, value.lanes)} zeroinitializer"
    order = [min(each, value.lanes) for each in range(first, first + count)]
    return _shuffled(w, value, zeros, order)


def _shuffled(w: FunctionWriter, value: Value, other: str, order: list[int]) -> Value:
    """Writes lanes of two vectors of one type, in an order."""
    numbers = ", ".join(f"i32 {each}" for each in order)
    text = f"shufflevector {value.typed}, {other}, <{len(order)} x i32> <{numbers}>"
    return w.value(text, value.type, len(order))
