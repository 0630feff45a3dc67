"""
Write a register tile whose k multiply words of bytes in pairs of 16 bits.

Where bytes of B have few bits, several words add up in 16 bits before they are widened:
eight words of four bits take one instruction for that instead of one each. Bytes of
more bits are their low four and sixteen times their high four.
"""

from __future__ import annotations

from xdsl.dialects.builtin import i32
from xdsl.ir import Operation

from ....dialects import si8, ui8
from ....dialects.loop import TargetAttr, TileOp
from ....dialects.scalar import DotBytesOp, words_that_fit
from ..isa import PairProducts, instructions_of
from ..text.function import FunctionWriter
from ..text.types import Value
from .dot_tile import DotTile, dots_of
from .register_tile import KernelHost, Known, Shape

_HALF = 4
"""The bits of each half of a byte."""


_HALF_BITS = 0x0F0F0F0F
"""Half of the bits of each byte of a word."""


def pairs_of(target: TargetAttr, op: TileOp, lanes: int) -> PairProducts | None:
    """What adds up several words of a k-loop in 16 bits, if the target can."""
    if len(dots_of(op)) < 2:
        return None
    return instructions_of(target, ui8, si8, fits=True).by_pairs(lanes)


class PairTile(DotTile):
    """A register tile whose k-loop has products of words, each added to the last."""

    def __init__(
        self, host: KernelHost, op: TileOp, shape: Shape, row: str, column: str
    ):
        super().__init__(host, op, shape, row, column)
        dots, pairs = dots_of(op), pairs_of(host.target, op, shape.lanes)
        assert pairs is not None, "the target adds up pairs of products"
        self.pairs, fits = pairs, min(dot.fits for dot in dots)
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
        if not isinstance(op, DotBytesOp):
            return super().of_k(op, position, point, known)
        w, scope, lanes = self.host.w, self.host.scope, self.shape.lanes
        total, b = (w.splat(scope[each], lanes) for each in (op.sum, op.b))
        parts = (self.part(op, each, position[1], known) for each in self.halves)
        here = [self.pairs.pairs(w, each, b) for each in parts]
        if before := self.running.pop(position, None):
            here = [_sum(w, *both) for both in zip(before, here, strict=True)]
        if op not in self.ends:
            self.running[position] = here
            return total
        for start, pairs in zip(self.halves, here, strict=True):
            total = self.pairs.add_pairs(w, pairs, total, start)
        return total

    def part(self, op: DotBytesOp, start: int, vector: int, known: Known) -> Value:
        """Writes the bits of a word from one on, all or half, once for all rows."""
        w, lanes = self.host.w, self.shape.lanes
        word = w.splat(self.host.scope[op.a], lanes)
        if len(self.halves) == 1:
            return word
        # Rows count from 0 on, and -1 stands for all.
        key = op.result, -2 - start, vector
        if key not in known:
            if start:
                down = w.splat(Value(str(start), i32), lanes).text
                word = w.value(f"lshr {word.typed}, {down}", i32, lanes)
            mask = w.splat(Value(str(_HALF_BITS), i32), lanes).text
            known[key] = w.value(f"and {word.typed}, {mask}", i32, lanes)
        return known[key]


def _sum(w: FunctionWriter, a: Value, b: Value) -> Value:
    """Writes the sum of two vectors of integers."""
    return w.value(f"add {a.typed}, {b.text}", a.type, a.lanes)
