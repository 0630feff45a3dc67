"""
Build the loops of reductions that share rows: one after the other inside of a row.

    loop.for parallel %i to "rows" {
      %max = loop.for reduce(max) %j to 1024 (...) { ... }
      %sum = loop.for reduce(add) %j to 1024 (...) { ...; loop.store %e, %out[...] }
      loop.for parallel %j to 1024 { ...; loop.store %y, %out[...] }
    }

What is the same for all columns is computed before the loop that needs it. While the
second loop is busy with what the first has brought near, the next row is asked for:
what a processor prefetches by itself ends with a page, and so often with a row.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.builder import ImplicitBuilder
from xdsl.dialects.builtin import IndexType
from xdsl.ir import Block, SSAValue

from ...dialects import product
from ...dialects.graph import scalar
from ...dialects.kernel import Apply, Expression, Load, Stage, linears, loads, walk
from ...dialects.loop import (
    ForOp,
    PrefetchOp,
    StoreOp,
    Subscript,
    YieldOp,
    element_type,
)
from .nest_loops import NestBuilder, Point, Scalars

_PREFETCHED = range(128, 4097)
"""
Columns of rows that are prefetched: fewer are without, and beside more there is
no room near the processor.
"""


def build_stages(builder: NestBuilder) -> None:
    """Builds a nest that has stages."""
    nest = builder.nest
    rows = nest.bounds[: len(nest.bounds) - nest.reductions]
    builder.build_loops(rows, lambda point: _Row(builder, point).build())


class _Row:
    """Builds what happens in one row."""

    def __init__(self, builder: NestBuilder, point: Point):
        self.builder = builder
        self.nest = builder.nest
        self.point = point
        self.accumulators: list[SSAValue] = []
        self.scalars = builder.scalars(point, self.accumulators)
        """What is the same for all columns."""

    def build(self) -> None:
        """Builds each stage, then what is stored."""
        for stage in self.nest.stages:
            self.hoist(stage.element, *(value for value, _ in stage.kept))
            self.accumulators.append(self.reduce(stage))
        if self.nest.is_wide:
            self.hoist(self.nest.epilogue)
            self.store_columns(self.point)
        else:
            self.store(self.scalars, [(self.nest.epilogue, self.nest.store)])

    def hoist(self, *roots: Expression) -> None:
        """Builds the largest parts of expressions that are the same for all columns."""
        rows = len(self.point)
        wide: set[int] = set()
        for each in walk(*roots):
            operands = each.operands if isinstance(each, Apply) else ()
            moves = () if isinstance(each, Apply) else linears(each)
            if any(id(operand) in wide for operand in operands) or any(
                axis >= rows for at in moves for axis, _ in at.factors
            ):
                wide.add(id(each))
                for operand in operands:
                    if id(operand) not in wide:
                        self.scalars.value(operand)
        for root in roots:
            if id(root) not in wide:
                self.scalars.value(root)

    def inside(self, point: Point) -> Scalars:
        """The scalars at one column, with the scalars of the row among them."""
        scalars = self.builder.scalars(point, self.accumulators)
        scalars.done |= self.scalars.done
        return scalars

    def reduce(self, stage: Stage) -> SSAValue:
        """Builds the loops over columns; what they combine to."""

        def step(point: Point, so_far: SSAValue) -> SSAValue:
            self.fetch_next(point)
            scalars = self.inside(point)
            element = scalars.value(stage.element)
            accumulator = scalar.combine(stage.combine, so_far, element)
            self.store(scalars, stage.kept)
            return accumulator

        return self.builder.build_reduction(self.point, stage.combine, stage.type, step)

    def store_columns(self, point: Point) -> None:
        """Builds loops over columns that are left, which store what comes out."""
        if len(point) == len(self.nest.bounds):
            self.fetch_next(point)
            self.store(self.inside(point), [(self.nest.epilogue, self.nest.store)])
            return
        block = Block(arg_types=[IndexType()])
        with ImplicitBuilder(block):
            self.store_columns([*point, block.args[0]])
            YieldOp()
        ForOp(self.builder.rename(self.nest.bounds[len(point)]), block)

    def fetch_next(self, point: Point) -> None:
        """Asks in the second loop for what the first will load in the next row."""
        columns = product(self.nest.bounds[len(self.point) :])
        is_second = len(self.accumulators) == 1
        if not is_second or columns not in _PREFETCHED:
            return
        row, column = len(self.point) - 1, len(point) - 1
        for each in loads(self.nest.stages[0].element):
            factors = dict(each.at.factors)
            if row in factors and factors.get(column) == 1 and not each.lookups:
                at = self.builder.subscript(each.at, point)
                next_row = at.offset + self.builder.rename(factors[row])
                buffer = self.builder.buffers[each.buffer]
                PrefetchOp(buffer, Subscript(at.terms, next_row, at.blocked))

    def store(self, scalars: Scalars, pairs: Sequence[tuple[Expression, Load]]) -> None:
        """Builds stores, after all that they store."""
        values = [
            (scalars.value(value), scalars.subscript_of(at)) for value, at in pairs
        ]
        output = self.builder.output
        for value, at in values:
            StoreOp(scalar.stored(value, element_type(output)), output, at)
