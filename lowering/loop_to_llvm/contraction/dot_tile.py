"""
Write a register tile whose k multiply words of bytes: a word for all rows at a time.

A sum waits for the product of the word before it, for four or five cycles. Row after
row, a processor would have to look ahead over all words of several rows to find
products that wait for nothing: more than its scheduler holds (on a Sapphire Rapids the
loop took 1.3 to 1.8 times as long).
"""

from __future__ import annotations

from itertools import pairwise

from xdsl.ir import Operation, SSAValue

from ....dialects import si8
from ....dialects.loop import VNNI_WORD_BITS, TargetAttr, TileOp
from ....dialects.scalar import DotBytesOp
from ..text.types import Value
from .register_tile import Known, RegisterTile


def dots_of(op: TileOp) -> tuple[DotBytesOp, ...]:
    """The products of words of a k-loop, if each is added to the one before alone."""
    dots = tuple(e for e in op.k_loop.block.ops if isinstance(e, DotBytesOp))
    for before, after in pairwise(dots):
        if after.sum is not before.result or len([*before.result.uses]) > 1:
            return ()
    return dots


def waits(target: TargetAttr, dot: DotBytesOp) -> bool:
    """Whether one instruction multiplies words and adds, and so waits for the sum."""
    isa = target.isa(si8, fits=dot.fits > 0)
    return isa is not None and isa.parts == 1 and isa.pair_bits == VNNI_WORD_BITS


class DotTile(RegisterTile):
    """A register tile whose k-loop has products of words of bytes."""

    def next_of(self, accumulators: list[Value], point: list[str]) -> list[Value]:
        """Writes what all accumulators become at the k of the scope."""
        w, scope, block = self.host.w, self.host.scope, self.op.k_loop.block
        known: Known = {}
        found: list[dict[SSAValue, Value]]
        found = [{block.args[-1]: value} for value in accumulators]

        def write(op: Operation, number: int) -> None:
            position, values = self.positions[number], found[number]
            with self.at_position(position, block):
                for operand in op.operands:
                    if operand in values:
                        scope.define(operand, values[operand])
                values[op.results[0]] = self.of_k(op, position, point, known)

        *ops, _ = block.ops
        for op in ops:
            if isinstance(op, DotBytesOp):
                # LLVM moves no load across, and so no product that loads its word.
                w.fence()
            for number in range(len(self.positions)):
                write(op, number)
        return [w.splat(each[self.op.next], self.shape.lanes) for each in found]
