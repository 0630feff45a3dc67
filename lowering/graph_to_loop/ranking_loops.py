"""
Build the kernel of an order: loops over its rows, and `loop.argsort` inside.

Each row is sorted by itself, so that threads may share the rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.builder import ImplicitBuilder
from xdsl.dialects.builtin import IndexType
from xdsl.ir import Block, SSAValue

from ...dialects.graph import GraphOp, Linear, Ranking, axes, scalar
from ...dialects.kernel import element
from ...dialects.loop import (
    ArgsortOp,
    ForOp,
    KernelOp,
    LoadOp,
    Subscript,
    YieldOp,
)
from .nest_loops import Point
from .renaming import Renaming, kernel_over


def build_ranking(
    op: GraphOp, ranking: Ranking, name: str
) -> tuple[KernelOp, list[SSAValue], Renaming]:
    """Builds the kernel of an op that is an order; its buffers and its symbols."""
    buffers = [op.operands[ranking.key.operand]]

    def build(arguments: Sequence[SSAValue], rename: Renaming) -> None:
        keys, output = arguments
        _RankingBuilder(op, ranking, keys, output, rename).rows(())

    kernel, rename = kernel_over([*buffers, op.results[0]], name, build)
    return kernel, buffers, rename


@dataclass(frozen=True)
class _RankingBuilder:
    """Builds the loops of one order."""

    op: GraphOp
    ranking: Ranking
    keys: SSAValue
    output: SSAValue
    rename: Renaming

    def rows(self, point: Point) -> None:
        """Builds the loops over the rows that begin with a point."""
        bounds = self.ranking.bounds
        if len(point) == len(bounds):
            return self.sort(point)
        block = Block(arg_types=[IndexType()])
        with ImplicitBuilder(block):
            self.rows((*point, block.args[0]))
            YieldOp()
        ForOp(self.rename(bounds[len(point)]), block)

    def sort(self, row: Point) -> None:
        """Builds the order of one row."""
        ranking, operand = self.ranking, self.op.operands[self.ranking.key.operand]
        key = Block(arg_types=[IndexType()])
        with ImplicitBuilder(key):
            at = [each for each in ranking.key.at if isinstance(each, Linear)]
            assert len(at) == len(ranking.key.at), "an order looks nothing up"
            place = self.subscript(element(operand, at).at, (*row, key.args[0]))
            YieldOp(scalar.loaded(LoadOp(self.keys, place).result))
        first = Linear()
        for axis, bound in zip(axes(len(row)), ranking.bounds, strict=True):
            first = first * bound + axis
        count, size = self.rename(ranking.count), self.rename(ranking.size)
        at = self.subscript(first * ranking.count, row)
        ArgsortOp(self.output, at, count, size, ranking.descending, key)

    def subscript(self, position: Linear, point: Sequence[SSAValue]) -> Subscript:
        """A position as a subscript."""
        terms = [(point[axis], self.rename(each)) for axis, each in position.factors]
        return Subscript(tuple(terms), self.rename(position.offset))
