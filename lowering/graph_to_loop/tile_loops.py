"""
Build the loops of a contraction, products that are summed up: a tile in loops.

    loop.for parallel %b to 8 {
      %e = loop.load %experts[%b]
      %expert = loop.clamp_index %e to 4
      loop.tile %i to 16, %j to 512, reduce %k to 256 { ... %w[%expert * ...] ... }
    }

Its columns are the axis along which the result lies in a row, its rows an axis along
which one operand stays the same, or two: the rows and columns of an image. All other
axes are loops around it. Where a factor is looked up, as the weights of experts are,
the index is the same for all of a tile, and is built before it.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, replace

from xdsl.builder import ImplicitBuilder
from xdsl.dialects import math
from xdsl.dialects.builtin import AnyFloat, IndexType
from xdsl.ir import Block, SSAValue

from ...dialects import Dim, product
from ...dialects.graph import scalar
from ...dialects.kernel import (
    Apply,
    Reach,
    another_row,
    choose_rows_and_columns,
    indices_of,
)
from ...dialects.loop import BlockedIndex, TileOp, YieldOp, ZeroOutsideOp
from .nest_loops import NestBuilder, Point, Scalars


def build_contraction(builder: NestBuilder) -> None:
    """Builds loops around a tile of the axes that suit it best."""
    nest = builder.nest
    parallel = len(nest.bounds) - nest.reductions
    row, column = choose_rows_and_columns(nest, parallel)
    also = None if row is None else another_row(nest, parallel, row, column)
    if row is not None and also is not None:
        builder.joined = also, row
    outer = [axis for axis in range(parallel) if axis not in (row, column, also)]
    tile = _Tile(builder, row, column, also, outer)
    builder.build_loops([nest.bounds[axis] for axis in outer], tile.build)


@dataclass(frozen=True)
class _Tile:
    """The axes of a tile, any of them may be missing, and of the loops around it."""

    builder: NestBuilder
    row: int | None
    column: int | None
    also: int | None
    """A second axis of the rows."""
    outer: list[int]

    def build(self, around: Point) -> None:
        """Builds the tile, at a point of the loops around it."""
        nest, reductions = self.builder.nest, self.builder.nest.reductions
        self.look_up(around)
        reduced = range(len(nest.bounds) - reductions, len(nest.bounds))
        bounds = [self.bound(self.also, self.row), self.bound(self.column)]
        bounds += map(self.bound, reduced)
        zero = scalar.identity("add", nest.type)
        k_loop = Block(arg_types=[*(IndexType() for _ in bounds), zero.type])
        with ImplicitBuilder(k_loop):
            *here, so_far = k_loop.args
            point = self.point(around, here)
            for each in nest.reaches:
                self.zero_outside(each, point)
            YieldOp(self.accumulate(point, so_far))
        epilogue = Block(arg_types=[IndexType(), IndexType(), zero.type])
        with ImplicitBuilder(epilogue):
            *here, accumulator = epilogue.args
            self.builder.store(nest.epilogue, self.point(around, here), accumulator)
            YieldOp()
        TileOp(bounds, zero, k_loop, epilogue)

    def look_up(self, around: Point) -> None:
        """Builds the indices that are the same for all of the tile."""
        scalars = Scalars(self.builder, self.point(around, ()))
        known: dict[tuple[Hashable, ...], SSAValue] = {}
        for each in indices_of(self.builder.nest):
            where = each.load
            key = where.buffer, where.at, where.lookups, each.bound, each.wraps
            if key not in known:
                known[key] = scalars.index(each)
            self.builder.looked_up[id(each)] = known[key]

    def bound(self, *axes: int | None) -> Dim:
        """The number of points of some axes."""
        sizes = (self.builder.nest.bounds[axis] for axis in axes if axis is not None)
        return self.builder.rename(product(sizes))

    def point(self, around: Point, inside: Point) -> Point:
        """
        The point at a row and a column, and at the indices that are reduced, if any.
        """
        count = len(self.builder.nest.bounds)
        reduced = range(count - self.builder.nest.reductions, count)
        at = dict(zip(self.outer, around, strict=True))
        for axis, index in zip((self.row, self.column, *reduced), inside):
            if axis is not None:
                at[axis] = index
        # An axis that has one element does not move anything.
        known = [*inside, *around]
        return [at.get(axis, known[0]) for axis in range(count)] if known else []

    def zero_outside(self, reach: Reach, point: Point) -> None:
        """Builds what is known of the products along a reduced axis."""
        rename, k = self.builder.rename, point[reach.axis]
        at, unit = self.builder.subscript(reach.at, point), rename(reach.unit)
        if unit == 1:
            at = replace(at, terms=(*at.terms, (k, reach.step)))
        elif at.blocked is None:
            at = replace(at, blocked=BlockedIndex(k, unit, reach.step, 0))
        else:
            at = replace(at, vnni=BlockedIndex(k, unit, reach.step, 0))
        ZeroOutsideOp(at, rename(reach.low), rename(reach.high))

    def accumulate(self, point: Point, so_far: SSAValue) -> SSAValue:
        """Builds the k-loop, with fused multiply-adds where the type has such an op."""
        nest = self.builder.nest
        element = nest.element
        assert isinstance(element, Apply)
        values = map(Scalars(self.builder, point).value, element.operands)
        a, b = scalar.factors_of(element.body, [*values])
        if isinstance(nest.type, AnyFloat):
            return math.FmaOp(a, b, so_far).result
        return scalar.add(so_far, scalar.mul(a, b))
