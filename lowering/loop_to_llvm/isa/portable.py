"""
Write products of bf16 with multiply-adds in f32: on every machine.

A bf16 is the upper half of the f32 that it stands for. Products of two bf16 are exact
in f32, so that a multiply-add rounds once, fused or not: when it adds.
"""

from __future__ import annotations

from xdsl.dialects.builtin import f32, i32

from ....dialects.loop import PORTABLE
from ..text.brain_float import narrow
from ..text.function import FunctionWriter
from ..text.scalar_op import multiply_add
from ..text.types import Value, type_text
from .instructions import Instructions

_UPPER = -65536
"""The bits of the upper half of a word."""


class Portable(Instructions):
    """Multiply-adds on the elements of each word, in the order of k."""

    isa = PORTABLE

    def narrow(self, w: FunctionWriter, value: Value) -> Value:
        """Writes the nearest bf16 of each f32; of two the even one."""
        return narrow(w, value)

    def unpack(self, w: FunctionWriter, words: Value, k: int) -> Value:
        """Writes the f32 that the lower halves of words are (k is 0), or the upper."""
        type = type_text(i32, words.lanes)
        by = w.splat(Value(str(_UPPER if k else 16), i32), words.lanes).text
        bits = w.emit(f"{'and' if k else 'shl'} {type} {words.text}, {by}")
        to = type_text(f32, words.lanes)
        return w.value(f"bitcast {type} {bits} to {to}", f32, words.lanes)

    def multiply(
        self, w: FunctionWriter, a: Value, b: Value, accumulators: Value
    ) -> Value:
        """Writes a multiply-add for each k of a word."""
        for k in range(self.isa.k_group):
            factors = [self.unpack(w, each, k) for each in (a, b)]
            accumulators = multiply_add(w, [*factors, accumulators], self.fma)
        return accumulators
