"""
Write a register tile whose k multiply words of bytes in pairs of 16 bits.

Where bytes of B have few bits, several words add up in 16 bits before they are widened:
eight words of four bits take one instruction for that instead of one each. Bytes of
more bits are their low four and sixteen times their high four.
"""

from __future__ import annotations

from xdsl.dialects.builtin import i16, i32
from xdsl.ir import Operation

from ....dialects import si8, ui8
from ....dialects.loop import TargetAttr, TileOp
from ....dialects.scalar import DotBytesOp, words_that_fit
from ..isa import instructions_of
from ..isa.x86_pairs import X86Pairs
from ..text.function import FunctionWriter
from ..text.types import Value
from .dot_tile import DotTile, dots_of
from .register_tile import KernelHost, Known, Shape

_HALF = 4
"""The bits of each half of a byte."""


def pairs_of(target: TargetAttr, op: TileOp, lanes: int) -> X86Pairs | None:
    """The set that adds up several words of a k-loop in 16 bits, if it can."""
    if len(dots_of(op)) < 2:
        return None
    found = instructions_of(target, ui8, si8, fits=True)
    if isinstance(found, X86Pairs) and lanes in found.NAMES:
        return found
    return None


class PairTile(DotTile):
    """A register tile whose k-loop has products of words, each added to the last."""

    def __init__(
        self, host: KernelHost, op: TileOp, shape: Shape, row: str, column: str
    ):
        super().__init__(host, op, shape, row, column)
        self.pairs = pairs_of(host.target, op, shape.lanes)
        dots = dots_of(op)
        fits = min((dot.fits for dot in dots), default=0)
        self.halves = (0,) if fits > 1 else (0, _HALF)
        """Where the bits begin that are multiplied apart."""
        most = fits if fits > 1 else words_that_fit(_HALF)
        self.ends = {*dots[most - 1 :: most], *dots[-1:]}
        """The products whose sums of 16 bits are widened."""
        self.running: dict[tuple[int, int], list[Value]] = {}
        """The sums of 16 bits up to a product, by the place of the accumulators."""

    def of_k(
        self, op: Operation, position: tuple[int, int], point: list[str], known: Known
    ) -> Value:
        """Writes an op of the k-loop; up to an end products leave the sum as it is."""
        if self.pairs is None or not isinstance(op, DotBytesOp):
            return super().of_k(op, position, point, known)
        w, scope, lanes = self.host.w, self.host.scope, self.shape.lanes
        total, b = (w.splat(scope[each], lanes) for each in (op.sum, op.b))
        here = [
            Value(self.pairs.pairs(w, a, b), i16, 2 * lanes)
            for a in self.parts(op, position[1], known)
        ]
        if before := self.running.pop(position, None):
            here = [_sum(w, *both) for both in zip(before, here, strict=True)]
        if op not in self.ends:
            self.running[position] = here
            return total
        for half, pairs in zip(self.halves, here, strict=True):
            total = self.pairs.add_pairs(w, pairs.text, total, half)
        return total

    def parts(self, op: DotBytesOp, vector: int, known: Known) -> list[Value]:
        """Writes the bits of a word that are multiplied apart, once for all rows."""
        w, lanes = self.host.w, self.shape.lanes
        word = w.splat(self.host.scope[op.a], lanes)
        if len(self.halves) == 1:
            return [word]
        mask = w.splat(Value(str(0x0F0F0F0F), i32), lanes).text
        for number, bits in enumerate(self.halves, 2):
            if (op.result, -number, vector) not in known:
                down = w.splat(Value(str(bits), i32), lanes).text
                half = w.emit(f"lshr {word.typed}, {down}") if bits else word.text
                part = w.value(
                    f"and {word.typed.replace(word.text, half)}, {mask}", i32, lanes
                )
                known[op.result, -number, vector] = part
        return [known[op.result, -each, vector] for each in (2, 3)]


def _sum(w: FunctionWriter, a: Value, b: Value) -> Value:
    """Writes the sum of two vectors of integers."""
    return w.value(f"add {a.typed}, {b.text}", a.type, a.lanes)
