"""
Build the kernel of a greedy choice: loops over its rows, and `loop.choose` inside.

Rows come one after the other, since each stores its choices after those of the row
before. Around the loops, all that was not chosen is set to -1.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from xdsl.builder import ImplicitBuilder
from xdsl.dialects.builtin import IndexType, i64
from xdsl.ir import Block, SSAValue

from ...dialects import Dim, minimum, product
from ...dialects.graph import Choice, GraphOp, Linear, Read, axes, scalar
from ...dialects.kernel import element
from ...dialects.loop import (
    ChooseOp,
    ExtentOp,
    ForOp,
    KernelOp,
    LoadOp,
    StoreOp,
    Subscript,
    YieldOp,
)
from .nest_loops import Point
from .renaming import Renaming, kernel_over


def build_choice(
    op: GraphOp, choice: Choice, name: str
) -> tuple[KernelOp, list[SSAValue], Renaming]:
    """Builds the kernel of an op that is a choice; its buffers and its symbols."""
    read = [choice.limit, *choice.scores, *choice.sources]
    buffers = list(dict.fromkeys(op.operands[each.operand] for each in read))
    values = [*buffers, op.results[0]]

    def build(arguments: Sequence[SSAValue], rename: Renaming) -> None:
        known = dict(zip(values, arguments, strict=True))
        _ChoiceBuilder(op, choice, known, rename).build()

    kernel, rename = kernel_over(values, name, build)
    return kernel, buffers, rename


@dataclass(frozen=True)
class _ChoiceBuilder:
    """Builds the loops of one choice."""

    op: GraphOp
    choice: Choice
    buffers: Mapping[SSAValue, SSAValue]
    rename: Renaming

    @property
    def output(self) -> SSAValue:
        """The buffer of the result."""
        return self.buffers[self.op.results[0]]

    def build(self) -> None:
        """Builds all of the kernel, where ops are built just now."""
        choice = self.choice
        limit = self.load(choice.limit, ())
        most = ExtentOp(self.rename(choice.most)).result
        limit = scalar.minimum(limit, most)
        found = choice.result_capacity - choice.candidates
        self.clear(0, found)
        one = scalar.constant(1, i64)
        end = self.rows((), one, limit)
        StoreOp(scalar.sub(end, one), self.output, Subscript(()))
        # Where candidates were sorted.
        self.clear(found, choice.candidates)

    def clear(self, start: Dim, count: Dim) -> None:
        """Builds the loop that sets elements of the result to -1."""
        block = Block(arg_types=[IndexType()])
        with ImplicitBuilder(block):
            at = Subscript(((block.args[0], 1),), self.rename(start))
            StoreOp(scalar.constant(-1, i64), self.output, at)
            YieldOp()
        ForOp(self.rename(count), block)

    def rows(self, point: Point, start: SSAValue, limit: SSAValue) -> SSAValue:
        """
        Builds the loops over the rows that begin with a point; where what they choose
        ends, which begins at `start`.
        """
        bounds = self.choice.bounds
        if len(point) == len(bounds):
            return self.choose(point, start, limit)
        bound = bounds[len(point)]
        # Rows of nothing, however many, take no time.
        rest = product((*bounds[len(point) + 1 :], self.choice.candidates))
        bound = bound * minimum(1, rest)
        block = Block(arg_types=[IndexType(), i64])
        with ImplicitBuilder(block):
            index, so_far = block.args
            YieldOp(self.rows((*point, index), so_far, limit))
        loop = ForOp(self.rename(bound), block, initial=[start], is_ordered=True)
        return loop.accumulators[0]

    def choose(self, row: Point, start: SSAValue, limit: SSAValue) -> SSAValue:
        """Builds the choice of one row."""
        choice = self.choice
        score = Block(arg_types=[IndexType()])
        with ImplicitBuilder(score):
            point = (*row, *score.args)
            YieldOp(*choice.score(*(self.load(e, point) for e in choice.scores)))
        conflict = Block(arg_types=[IndexType(), IndexType()])
        with ImplicitBuilder(conflict):
            point = (*row, *conflict.args)
            YieldOp(*choice.conflict(*(self.load(e, point) for e in choice.sources)))
        first = Linear()
        for axis, bound in zip(axes(len(row)), choice.bounds, strict=True):
            first = first * bound + axis
        at = self.subscript(first * choice.candidates, row)
        bounds = self.rename(choice.candidates), self.rename(choice.result_capacity)
        made = ChooseOp(self.output, at, bounds, start, limit, score, conflict)
        return made.end

    def load(self, read: Read, point: Point) -> SSAValue:
        """Builds the load of an element at a point."""
        value = self.op.operands[read.operand]
        at = [each for each in read.at if isinstance(each, Linear)]
        assert len(at) == len(read.at), "a choice looks nothing up"
        subscript = self.subscript(element(value, at).at, point)
        return scalar.loaded(LoadOp(self.buffers[value], subscript).result)

    def subscript(self, position: Linear, point: Sequence[SSAValue]) -> Subscript:
        """A position as a subscript."""
        terms = [(point[axis], self.rename(each)) for axis, each in position.factors]
        return Subscript(tuple(terms), self.rename(position.offset))
