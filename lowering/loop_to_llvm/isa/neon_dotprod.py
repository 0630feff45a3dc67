"""
Write products of 8-bit integers with the dot products of AArch64: SDOT and UDOT.

They add four products of bytes to an accumulator, and wrap: of signed bytes, or of
unsigned ones (Arm's Architecture Reference Manual, "SDOT (vector)"). Where one factor
is signed and the other is not, A is moved by 128, as for VPDPBUSD (`avx512_vnni.py`),
so that both are of the kind of B.
"""

from __future__ import annotations

from xdsl.dialects.builtin import i32

from ....dialects.loop import NEON_DOTPROD
from ..text.function import FunctionWriter
from ..text.types import Value
from .avx512_vnni import Avx512Vnni, multiply_bytes
from .portable_int8 import is_signed

_LANES = 4


class NeonDotprod(Avx512Vnni):
    """Instructions on vectors of 128 bits; products of each byte on what fills none."""

    isa = NEON_DOTPROD

    @property
    def moves(self) -> bool:
        """Whether A is moved by 128."""
        return is_signed(self.a) != is_signed(self.b)

    def multiply(
        self, w: FunctionWriter, a: Value, b: Value, accumulators: Value
    ) -> Value:
        """Writes one instruction where the lanes are those of a vector."""
        signed = is_signed(self.b)
        if accumulators.lanes != _LANES:
            return multiply_bytes(w, (a, b), (signed, signed), accumulators)
        return write_dot(w, "sdot" if signed else "udot", (a, b), accumulators)


def write_dot(
    w: FunctionWriter, name: str, factors: tuple[Value, Value], accumulators: Value
) -> Value:
    """Writes a dot product of the four bytes of each word of two vectors."""
    words = (w.emit(f"bitcast {each.typed} to <16 x i8>") for each in factors)
    arguments = ", ".join(f"<16 x i8> {each}" for each in words)
    callee = f"@llvm.aarch64.neon.{name}.v4i32.v16i8"
    text = f"call <4 x i32> {callee}({accumulators.typed}, {arguments})"
    return w.value(text, i32, _LANES)
