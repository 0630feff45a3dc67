"""
Write the steps of a tile whose panels hold pairs: two steps of a column side by side.

A vector of pairs is a vector of 32 bits a column: the first step in the lower half, the
second in the upper. Where rows were copied in bf16 as well, a pair of a row is 32 bits
too, and a total takes the products of both pairs at once: an instruction, where the
target has one (`TargetAttr.dots`), else two multiply-adds in f32 on what the halves
are. The products are exact in f32, so that both round when they add, the first step
before the second. What the instruction makes of subnormal numbers is its own: zero.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from xdsl.dialects.builtin import i32

from ..text.types import Value, type_text
from .blocks import Blocks, Depth
from .prefetch import Ahead
from .tile import BlockWriter
from .unroll import in_a_row, unrolled

Multiply = Callable[[Value, Sequence[Value], Sequence[Value]], list[Value]]
"""Writes one step of the totals of a row."""


@dataclass(frozen=True)
class Panels:
    """Where the panels of a tile begin, how far apart, and what is fetched ahead."""

    start: str
    apart: str
    ahead: Ahead


@dataclass(frozen=True)
class PairWriter:
    """Writes the steps of one tile of totals, two at a time."""

    blocks: Blocks
    block: BlockWriter
    panels: Panels

    def words(self, depth: Depth, rows: str, totals: list[Value]) -> list[Value]:
        """Writes the steps of copied rows; the totals after them."""
        blocks, w = self.blocks, self.blocks.w
        many, multiply = blocks.isa.k_group, blocks.instructions.multiply

        def step(pair: str, carried: Sequence[Value]) -> list[Value]:
            flat = w.mul(pair, str(many))
            across, results = self.pairs(flat), list[Value]()
            for row, own in enumerate(self.block.by_row(carried)):
                offset = w.add(flat, str(row * blocks.pitch))
                place = blocks.at(rows, offset, blocks.row_type)
                one = Value(w.emit(f"load i32, ptr {place}, align 2"), i32)
                down = w.splat(one, blocks.lanes)
                for each, total in zip(across, own, strict=True):
                    results.append(multiply(w, down, each, total))
            return results

        def steps(pair: str, count: int, carried: list[Value]) -> list[Value]:
            self.panels.ahead.fetch(w.mul(pair, str(many)), many * count)
            return in_a_row(blocks, pair, count, carried, step)

        bound = w.div(blocks.steps_of(depth), many)
        return w.loop_by(unrolled(bound), bound, totals, steps)

    def two_by_two(
        self, depth: Depth, totals: list[Value], multiply: Multiply
    ) -> list[Value]:
        """Writes the steps of rows as they lie; the totals after them."""
        blocks, host, w = self.blocks, self.blocks.host, self.blocks.w
        row_index, _, *_, last, _ = blocks.op.step.block.args
        many, unpack = blocks.isa.k_group, blocks.instructions.unpack

        def step(flat: str, _: int, carried: list[Value]) -> list[Value]:
            self.panels.ahead.fetch(flat, many)
            across, first = self.pairs(flat), host.values[last].text
            for number in range(many):
                blocks.let(last, w.add(first, str(number)))
                host.side_by_side, host.lanes = None, 1
                halves, results = [unpack(w, e, number) for e in across], list[Value]()
                rows = zip(self.block.row_at, self.block.by_row(carried), strict=True)
                for at, own in rows:
                    blocks.let(row_index, at)
                    down = w.splat(blocks.element(blocks.down), blocks.lanes)
                    results += multiply(down, halves, own)
                carried = results
            return carried

        return blocks.over(depth, totals, step, lambda _: (many,))

    def pairs(self, flat: str) -> list[Value]:
        """Writes the loads of all pairs of a step and the next."""
        blocks, w = self.blocks, self.blocks.w
        line, found = w.mul(flat, str(blocks.width)), list[Value]()
        for vector in range(self.block.shape.vectors):
            number, inside = divmod(vector * blocks.lanes, blocks.width)
            apart = w.mul(self.panels.apart, str(number))
            offset = w.add(line, w.add(apart, str(blocks.isa.k_group * inside)))
            place = blocks.at(self.panels.start, offset, blocks.across.result.type)
            type = type_text(i32, blocks.lanes)
            text = w.emit(f"load {type}, ptr {place}, align 2")
            found.append(Value(text, i32, blocks.lanes))
        return found
