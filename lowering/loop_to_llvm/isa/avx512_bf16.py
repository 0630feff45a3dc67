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
    lanes, least = value.lanes, _NARROW_LANES[0]
    if lanes < least:
        whole = narrow_vector(w, _first_of(w, value, least))
        return _take(w, whole, lanes)
    assert lanes in _NARROW_LANES, "a vector has 8 or 16 of f32"
    name = f"@llvm.x86.avx512bf16.cvtneps2bf16.{32 * lanes}"
    found = w.emit(f"call <{lanes} x bfloat> {name}({value.typed})")
    to = type_text(bf16, lanes)
    return w.value(f"bitcast <{lanes} x bfloat> {found} to {to}", bf16, lanes)


def _first_of(w: FunctionWriter, value: Value, lanes: int) -> Value:
    """Writes a vector that starts with these lanes; the others are zero."""
    type = type_text(f32, lanes)
    if value.lanes == 1:
        text = f"insertelement {type} zeroinitializer, {value.typed}, i64 0"
        return w.value(text, f32, lanes)
    numbers = [f"i32 {min(each, value.lanes)}" for each in range(lanes)]
    mask = f"<{lanes} x i32> <{', '.join(numbers)}>"
    zeros = f"{type_text(f32, value.lanes)} zeroinitializer"
    return w.value(f"shufflevector {value.typed}, {zeros}, {mask}", f32, lanes)


def _take(w: FunctionWriter, value: Value, lanes: int) -> Value:
    """Writes the first lanes of a vector of bf16."""
    if lanes == 1:
        return w.value(f"extractelement {value.typed}, i64 0", bf16)
    numbers = ", ".join(f"i32 {each}" for each in range(lanes))
    text = f"shufflevector {value.typed}, {type_text(bf16, value.lanes)} poison, "
    return w.value(f"{text}<{lanes} x i32> <{numbers}>", bf16, lanes)
