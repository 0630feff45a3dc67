"""
Build the loops of one nest, with the scalar arithmetic inside.

A plain nest becomes loops in parallel; one that reduces has loops inside them that
carry the accumulator. A contraction has a builder of its own (`tile_loops.py`), as have
several reductions of the same rows (`row_loops.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from xdsl.builder import ImplicitBuilder
from xdsl.dialects.builtin import IndexType
from xdsl.ir import Attribute, Block, SSAValue

from ...dialects import Dim, product
from ...dialects.graph import Combiner, Extent, Linear, Where, scalar
from ...dialects.graph.storage import PanelsAttr, panels_of
from ...dialects.kernel import (
    Accumulator,
    Apply,
    Constant,
    Expression,
    Index,
    KernelNest,
    Load,
    Part,
    Parts,
    left,
    loads,
    operands_of,
)
from ...dialects.loop import (
    BlockedIndex,
    ClampIndexOp,
    ExtentOp,
    ForOp,
    LoadOp,
    PositionOp,
    SplitIndexOp,
    StoreOp,
    Subscript,
    YieldOp,
    element_type,
)
from ...dialects.scalar import rounds
from .renaming import Renaming

Point = Sequence[SSAValue]
"""An index for each axis of a nest."""

Step = Callable[[Point, SSAValue], SSAValue]
"""Builds what an accumulator becomes at a point."""


@dataclass
class NestBuilder:
    """Builds the loops of one nest."""

    nest: KernelNest
    buffers: Mapping[SSAValue, SSAValue]
    output: SSAValue
    rename: Renaming
    joined: tuple[int, int] | None = None
    """Two axes that have one blocked index: its blocks, and what is inside of one."""
    clamped: dict[int, SSAValue] = field(default_factory=dict[int, SSAValue])
    """The indices of clamped coordinates, by their numbers."""
    looked_up: dict[int, SSAValue] = field(default_factory=dict[int, SSAValue])
    """The indices that are the same for all of a tile, by the identity of `Index`."""

    def build(self) -> None:
        """Builds all of a nest that reduces once at most, where ops are built now."""
        nest = self.nest
        parallel = nest.bounds[: len(nest.bounds) - nest.reductions]
        self.build_loops(parallel, self.build_point)

    def build_loops(
        self, bounds: Sequence[Dim], inside: Callable[[Point], None]
    ) -> None:
        """Builds loops over `bounds`, and in the innermost what is inside."""

        def build(point: Point) -> None:
            self.clamp(point)
            self.look_up(point)
            if len(point) == len(bounds):
                return inside(point)
            block = Block(arg_types=[IndexType()])
            with ImplicitBuilder(block):
                build([*point, block.args[0]])
                YieldOp()
            is_ordered = len(point) in self.nest.ordered
            ForOp(self.rename(bounds[len(point)]), block, is_ordered=is_ordered)

        build([])

    def clamp(self, point: Point) -> None:
        """Builds the clamped coordinates that move with the last axis of a point."""
        for number, (position, bound) in enumerate(self.nest.clamped):
            if position.factors[-1][0] == len(point) - 1:
                at = PositionOp(self.subscript(position, point)).result
                index = ClampIndexOp(at, self.rename(bound), False).result
                self.clamped[len(self.nest.bounds) + number] = index

    def look_up(self, point: Point) -> None:
        """Builds the indices that move with the last axis of a point, if with any."""
        for index in self.indices:
            moving = [axis for axis, _ in index.load.at.factors]
            if max(moving, default=-1) == len(point) - 1:
                at = self.scalars(point, ()).index(index)
                self.looked_up[id(index)] = at

    @cached_property
    def indices(self) -> list[Index]:
        """The indices of a nest without clamped coordinates and without a tile."""
        if self.nest.clamped or self.nest.is_contraction:
            return []
        found = (each.lookups for each in loads(*self.nest.roots))
        return [*{id(e): e for some in found for e, _ in some}.values()]

    def build_point(self, point: Point) -> None:
        """Builds what happens at one point of the axes that are not reduced."""
        nest = self.nest
        accumulator: SSAValue | None = None
        if (combine := nest.combine) is not None:

            def step(point: Point, so_far: SSAValue) -> SSAValue:
                element = Scalars(self, point).value(nest.element)
                accumulator = scalar.combine(combine, so_far, element)
                if nest.keeps_accumulators:
                    self.store(nest.epilogue, point, accumulator)
                return accumulator

            accumulator = self.build_reduction(point, combine, nest.type, step)
        if not nest.keeps_accumulators:
            self.store(nest.epilogue, point, accumulator)

    def build_reduction(
        self, point: Point, combine: Combiner, type: Attribute, step: Step
    ) -> SSAValue:
        """
        Builds the loops over the axes that are left, with `step` inside; the result.

        Where results are rounded, points are combined in the op's order: an axis
        `in_turn` is an ordered loop, and one loop counts the points of the others,
        which need not be side by side in memory.
        """
        nest, is_rounded = self.nest, rounds(combine, type)

        def build(point: Point, so_far: SSAValue) -> SSAValue:
            if len(point) == len(nest.bounds):
                return step(point, so_far)
            axis = len(point)
            in_turn = nest.keeps_accumulators or (is_rounded and axis in nest.in_turn)
            left = nest.bounds[axis : None if is_rounded and not in_turn else axis + 1]
            bound, *widths = (self.rename(each) for each in left)
            block = Block(arg_types=[IndexType(), so_far.type])
            with ImplicitBuilder(block):
                index, inner = block.args
                indices: list[SSAValue] = []
                for width in reversed(widths):
                    split = SplitIndexOp(index, width)
                    index = split.outer
                    indices.append(split.inner)
                YieldOp(build([*point, index, *reversed(indices)], inner))
            loop = ForOp(
                product((bound, *widths)),
                block,
                None if in_turn else combine,
                [so_far],
                is_ordered=in_turn,
            )
            return loop.accumulators[0]

        return build(point, scalar.identity(combine, type))

    def store(
        self, value: Expression, point: Point, accumulator: SSAValue | None
    ) -> None:
        """Builds the computation of `value` and its store."""
        scalars = Scalars(self, point, () if accumulator is None else (accumulator,))
        pairs = [(value, self.nest.store), *self.nest.also]
        # All that a point loads comes before what it stores.
        results = [scalars.value(each) for each, _ in pairs]
        for result, (_, store) in zip(results, pairs, strict=True):
            at = scalars.subscript_of(store)
            if self.nest.onto is not None:
                before = scalar.loaded(LoadOp(self.output, at).result)
                result = scalar.binary(self.nest.onto)(before, result)
            StoreOp(scalar.stored(result, element_type(self.output)), self.output, at)

    def scalars(self, point: Point, accumulators: Sequence[SSAValue]) -> Scalars:
        """What is computed at a point, once reductions have come to `accumulators`."""
        return Scalars(self, point, accumulators)

    def subscript(self, position: Linear, point: Point) -> Subscript:
        """A position as a subscript."""
        factors = {axis: self.rename(factor) for axis, factor in position.factors}
        blocked: BlockedIndex | None = None
        if self.joined is not None:
            outer, inner = self.joined
            width = self.rename(self.nest.bounds[inner])
            stride = factors.pop(outer, 0)
            step = factors.get(inner, 0)
            if stride != step * width:
                factors.pop(inner, None)
                blocked = BlockedIndex(point[inner], width, stride, step)
        terms = tuple((self.at(axis, point), by) for axis, by in factors.items())
        return Subscript(terms, self.rename(position.offset), blocked)

    def at(self, axis: int, point: Point) -> SSAValue:
        """The coordinate of a point along an axis, or a clamped one."""
        return point[axis] if axis < len(self.nest.bounds) else self.clamped[axis]


class Scalars:
    """Builds the scalar arithmetic of expressions at one point; each only once."""

    def __init__(
        self, nest: NestBuilder, point: Point, accumulators: Sequence[SSAValue] = ()
    ):
        """Scalars at `point` of a nest, once reductions have come to `accumulators`."""
        self.nest = nest
        self.point = point
        self.accumulators = accumulators
        self.done: dict[int, SSAValue] = {}
        self.parts: dict[int, Sequence[SSAValue]] = {}

    def value(self, root: Expression) -> SSAValue:
        """Builds the scalar that `root` is at this point."""
        for each in left(root, self.done, operands_of):
            self.done[id(each)] = self.build(each)
        return self.done[id(root)]

    def build(self, root: Expression) -> SSAValue:
        """Builds a scalar that is not there yet, when those are that it is made of."""
        match root:
            case Load():
                return self.load(root)
            case Constant():
                return scalar.constant(root.value, root.element)
            case Apply():
                return root.body(*(self.done[id(each)] for each in root.operands))
            case Parts():
                values = (self.done[id(each)] for each in root.operands)
                self.parts[id(root)] = found = root.bodies(*values)
                return found[0]
            case Part():
                return self.parts[id(root.parts)][root.number]
            case Accumulator():
                assert root.stage < len(self.accumulators), "all is combined before"
                nest = self.nest.nest
                made = nest.stages[root.stage] if nest.stages else nest
                return scalar.reloaded(self.accumulators[root.stage], made.type)
            case Extent():
                return ExtentOp(self.nest.rename(root.size)).result
            case Where():
                at = self.nest.subscript(root.position, self.point)
                return PositionOp(at).result

    def load(self, load: Load) -> SSAValue:
        """Builds a load, after the indices that it looks up."""
        at = self.subscript_of(load)
        return scalar.loaded(LoadOp(self.nest.buffers[load.buffer], at).result)

    def subscript_of(self, load: Load) -> Subscript:
        """Builds where an element is, after the indices that it looks up."""
        if (panels := panels_of(load.buffer)) is not None:
            return self.in_panels(load, panels)
        at = self.nest.subscript(load.at, self.point)
        looked_up = tuple(
            (self.index(index), self.nest.rename(stride))
            for index, stride in load.lookups
        )
        return Subscript((*at.terms, *looked_up), at.offset, at.blocked, at.vnni)

    def in_panels(self, load: Load, panels: PanelsAttr) -> Subscript:
        """Where an element of a packed factor is."""
        strides, (_, across) = panels.strides(), panels.columns
        terms: list[tuple[SSAValue, Dim]] = []
        for index, stride in load.lookups:
            panels.verify_read(stride, index.bound)
            assert isinstance(stride, int), "the strides of panels are known"
            terms.append((self.index(index), strides[stride]))
        column: BlockedIndex | None = None
        word: BlockedIndex | None = None
        width, group = panels.width.data, panels.k_group.data
        for axis, stride in load.at.factors:
            panels.verify_read(stride, self.nest.nest.bounds[axis])
            assert isinstance(stride, int), "the strides of panels are known"
            if stride == across:
                column = BlockedIndex(self.point[axis], width, panels.panel_size, group)
            elif group > 1 and stride == panels.rows[-1][1]:
                word = BlockedIndex(self.point[axis], group, group * width)
            else:
                terms.append((self.point[axis], strides[stride]))
        return Subscript(tuple(terms), 0, column, word)

    def index(self, index: Index) -> SSAValue:
        """Builds an index that is looked up, unless it has been."""
        if id(index) in self.nest.looked_up:
            return self.nest.looked_up[id(index)]
        value = self.load(index.load)
        bound = self.nest.rename(index.bound)
        return ClampIndexOp(value, bound, index.wraps).result
