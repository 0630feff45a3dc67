"""
Write products of 8-bit integers with the dot products of AArch64 that I8MM completes:
USDOT, of unsigned bytes with signed ones.

So no factor is moved (`neon_dotprod.py`). The matrix product of this extension, SMMLA,
is not used: it takes pairs of rows and of columns, which lie otherwise.
"""

from __future__ import annotations

from ....dialects.loop import NEON_I8MM
from ..text.function import FunctionWriter
from ..text.types import Value
from .avx512_vnni import multiply_bytes
from .neon_dotprod import NeonDotprod, write_dot
from .portable_int8 import is_signed


class NeonI8mm(NeonDotprod):
    """Instructions on vectors of 128 bits, for bytes of any kind."""

    isa = NEON_I8MM

    @property
    def moves(self) -> bool:
        """Whether A is moved by 128, which it never is."""
        return False

    def multiply(
        self, w: FunctionWriter, a: Value, b: Value, accumulators: Value
    ) -> Value:
        """Writes one instruction where the lanes are those of a vector."""
        signs = is_signed(self.a), is_signed(self.b)
        if signs[0] == signs[1]:
            return super().multiply(w, a, b, accumulators)
        if accumulators.lanes != 4:
            return multiply_bytes(w, (a, b), signs, accumulators)
        return write_dot(w, "usdot", (b, a) if signs[0] else (a, b), accumulators)
