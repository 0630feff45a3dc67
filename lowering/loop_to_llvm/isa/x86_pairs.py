"""
Write products of 8-bit integers with VPMADDUBSW, for weights whose sums it holds.

The instruction multiplies bytes of A without a sign with those of B, and adds up pairs
of products in 16 bits, which saturate (Intel's manual, volume 2, "PMADDUBSW"). It is
written where no pair of a known weight can come to more (`pack-weights`); then pairs of
these sums are added in 32 bits by VPMADDWD, with ones. Else products are of 16 bits
(`portable_int8.py`).
"""

from __future__ import annotations

from typing import ClassVar

from xdsl.dialects.builtin import i16, i32

from ....dialects.loop import X86_PAIRS
from ..text.function import FunctionWriter
from ..text.types import Value, type_text
from .avx512_vnni import multiply_bytes
from .instructions import PairProducts
from .portable_int8 import OfBytes, is_signed


class X86Pairs(OfBytes):
    """Two instructions and a sum on vectors; products of each byte on others."""

    isa = X86_PAIRS

    NAMES: ClassVar[dict[int, tuple[str, str]]] = {
        4: ("ssse3.pmadd.ub.sw.128", "sse2.pmadd.wd"),
        8: ("avx2.pmadd.ub.sw", "avx2.pmadd.wd"),
        16: ("avx512.pmaddubs.w.512", "avx512.pmaddw.d.512"),
    }
    """LLVM's names of both instructions, by the words of a vector."""

    def multiply(
        self, w: FunctionWriter, a: Value, b: Value, accumulators: Value
    ) -> Value:
        """Writes accumulators plus the products of the four bytes of each word."""
        if accumulators.lanes not in self.NAMES:
            signed = is_signed(self.a), is_signed(self.b)
            return multiply_bytes(w, (a, b), signed, accumulators)
        return self.add_pairs(w, self.pairs(w, a, b), accumulators)

    def by_pairs(self, lanes: int) -> PairProducts | None:
        """This set, for vectors that both instructions take."""
        return self if lanes in self.NAMES else None

    def pairs(self, w: FunctionWriter, a: Value, b: Value) -> Value:
        """Writes the sums of two products of bytes of words, in 16 bits."""
        signed = is_signed(self.a), is_signed(self.b)
        assert signed == (False, True), "only such pairs are said to fit"
        bytes, (name, _) = f"<{4 * a.lanes} x i8>", self.NAMES[a.lanes]
        factors = [w.emit(f"bitcast {each.typed} to {bytes}") for each in (a, b)]
        given = ", ".join(f"{bytes} {each}" for each in factors)
        text = f"call <{2 * a.lanes} x i16> @llvm.x86.{name}({given})"
        return w.value(text, i16, 2 * a.lanes)

    def add_pairs(
        self, w: FunctionWriter, pairs: Value, accumulators: Value, up: int = 0
    ) -> Value:
        """Writes accumulators plus both sums of 16 bits of each word, times 2**up."""
        lanes, (_, name) = accumulators.lanes, self.NAMES[accumulators.lanes]
        type, halves = type_text(i32, lanes), f"<{2 * lanes} x i16>"
        given = f"{pairs.typed}, {halves} splat (i16 {1 << up})"
        both = w.emit(f"call {type} @llvm.x86.{name}({given})")
        return w.value(f"add {accumulators.typed}, {both}", i32, lanes)
