"""
How several reductions of the same rows become one kernel, row by row.

    %max = graph.reduce_max %x           for each row:
    %low = graph.sub %x, %max              for each column: the greatest x
    %e = graph.exp %low           --->     for each column: e, kept; the sum of e
    %sum = graph.sum %e                    for each column: e / sum
    %result = graph.div %e, %sum

A row is a point of the parallel axes, a column a point of the reduced axes. Every
reduction is a *stage* over the same rows and columns; elementwise ops are computed in
the stages that use them. Every value is read at one position: it is *wide* when the
position varies along rows and columns, and *narrow* when it varies along rows only, as
the results of reductions do. So nothing is computed more often than in a kernel of its
own, except wide values that several stages use: cheap ones are computed again, and
costly ones are kept in the memory of the result until that is stored.

`fuse` asks here whether ops fit together, and the lowering builds the stages.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from xdsl.builder import ImplicitBuilder
from xdsl.dialects import arith, math
from xdsl.dialects.builtin import i64
from xdsl.ir import Block, Operation, SSAValue

from ..dims import Dim
from ..element_type import compute_type
from ..graph import (
    GraphOp,
    Linear,
    Lookup,
    Nest,
    Read,
    RearrangeOp,
    Source,
    axes,
    axis,
    scalar,
)
from ..scalar import RemainderOp
from ..shape import sizes, tensor_type

Coordinates = tuple[Linear, ...]
"""Where a value is read: for each dimension a position, linear in rows and columns."""

_COSTLY = (arith.DivfOp, arith.DivSIOp, arith.RemSIOp, RemainderOp)
"""Scalar ops that cost more than a store and a load, as ops of the math dialect do."""

_CHEAP = (math.AbsFOp, math.FmaOp, math.CopySignOp)
"""Ops of the math dialect that cost less."""


@dataclass(frozen=True)
class Stages:
    """The stages that compute the ops of a group."""

    bounds: tuple[Dim, ...]
    """The bounds of the rows, then those of the columns."""

    columns: int
    """The number of axes of the columns, which are the last."""

    reducers: tuple[GraphOp, ...]
    """The reduction of each stage; a last stage without one may store the result."""

    coordinates: Mapping[SSAValue, Coordinates]
    """The position at which the value of each op is read or stored."""

    is_wide: bool
    """Whether the result has an element for every column, which a last stage stores."""

    kept: Mapping[GraphOp, int]
    """The costly values that several stages use, each with its first stage."""

    @property
    def is_one_reduction(self) -> bool:
        """Whether there is only one reduction, and one result element for each row."""
        return len(self.reducers) == 1 and not self.is_wide


def is_contraction(nest: Nest) -> bool:
    """Whether the nest is a sum of products, and so reads its operands many times."""
    multiplies = nest.body is scalar.mul or isinstance(nest.body, scalar.Products)
    return nest.combine == "add" and multiplies


def arrange(nests: Mapping[GraphOp, Sequence[Nest]]) -> Stages | None:
    """
    The stages of a group of ops, which are given in order with their nests; the last op
    has the result. None when they cannot be computed together.
    """
    if any(len(e) != 1 or e[0].is_scattered or e[0].also for e in nests.values()):
        return None
    if any(isinstance(each, RearrangeOp) for each in nests):
        return None
    if any(any(each.lookups) and _is_fed(op, nests) for op, (each,) in nests.items()):
        return None
    only = {op: each[0] for op, each in nests.items()}
    reducers = [op for op, nest in only.items() if nest.reductions]
    (*_, root) = only
    if not reducers:
        if not only[root].is_pointwise:
            return None
        bounds, columns, is_wide = only[root].bounds, 0, True
        start = axes(len(bounds))
    else:
        last = only[reducers[-1]]
        if not all(_are_alike(only[each], last) for each in reducers):
            return None
        bounds, columns = last.bounds, last.reductions
        is_wide = not only[root].reductions and wide(only[root].bounds) == wide(bounds)
        if not is_wide and _shape_of(root) != _shape_of(reducers[-1]):
            return None
        start = _points(only[root].bounds, bounds) if is_wide else _write_of(last)
    contracts = any(is_contraction(only[each]) for each in reducers)
    if contracts and (len(reducers) > 1 or is_wide):
        return None
    arrangement = _Arrangement(only, bounds, columns, tuple(reducers))
    if not arrangement.locate_all(root, start):
        return None
    if contracts and arrangement.has_wide():
        return None
    kept = arrangement.keep(root, is_wide)
    if kept is None:
        return None
    coordinates = arrangement.coordinates
    return Stages(bounds, columns, tuple(reducers), coordinates, is_wide, kept)


def _is_fed(op: GraphOp, nests: Mapping[GraphOp, Sequence[Nest]]) -> bool:
    """Whether an op of a group reads what others compute; then nothing is looked up."""
    return any(each.owner in nests for each in op.operands)


def _shape_of(op: GraphOp) -> tuple[Dim, ...]:
    """The dimensions of the result of an op."""
    return sizes(tensor_type(op.results[0]))


def _are_alike(nest: Nest, other: Nest) -> bool:
    """Whether two reductions go over the same rows and columns."""
    return (
        nest.bounds == other.bounds
        and nest.reductions == other.reductions
        and nest.in_turn == other.in_turn
        and not nest.keeps_accumulators
    )


def wide(bounds: Sequence[Dim]) -> list[Dim]:
    """The bounds that are not one."""
    return [each for each in bounds if each != 1]


def _points(shape: Sequence[Dim], bounds: Sequence[Dim]) -> Coordinates:
    """The identity coordinates of a tensor, without the axes of size one."""
    moving = iter([axis(n) for n, bound in enumerate(bounds) if bound != 1])
    return tuple(Linear() if size == 1 else next(moving) for size in shape)


def _write_of(nest: Nest) -> Coordinates:
    """Where a reduction writes its result."""
    return tuple(each for each in nest.write if isinstance(each, Linear))


@dataclass
class _Arrangement:
    """Finds where each value of a group is read, and which values are kept."""

    nests: Mapping[GraphOp, Nest]
    bounds: tuple[Dim, ...]
    columns: int
    reducers: tuple[GraphOp, ...]
    coordinates: dict[SSAValue, Coordinates] = field(
        default_factory=dict[SSAValue, Coordinates]
    )
    reached: dict[GraphOp, list[int]] = field(default_factory=dict[GraphOp, list[int]])
    """The stages that need each wide value."""

    def locate_all(self, root: GraphOp, start: Coordinates) -> bool:
        """
        Finds where each value is read, from the last op back; false when reads
        disagree.
        """
        self.coordinates[root.results[0]] = self.settled(root.results[0], start)
        for op in reversed(list(self.nests)):
            at = self.coordinates.get(op.results[0])
            point = None if at is None else self.point(op, at)
            if point is None:
                return False
            for source in self.nests[op].sources:
                if isinstance(source, Read) and not self.add(op, source, point):
                    return False
        return True

    def point(self, op: GraphOp, at: Coordinates) -> Coordinates | None:
        """The point at which the nest of an op computes the element at `at`, if any."""
        nest = self.nests[op]
        if nest.reductions:
            write = self.settled(op.results[0], _write_of(nest))
            return axes(len(self.bounds)) if at == write else None
        return at if nest.is_pointwise else None

    def add(self, op: GraphOp, read: Read, point: Coordinates) -> bool:
        """Notes where an operand is read; false when it may not be read there."""
        value = op.operands[read.operand]
        if value.owner not in self.nests:
            return not self.looks_up_along(read, point)
        at = tuple(each.at(point) for each in read.at if isinstance(each, Linear))
        at = self.settled(value, at)
        return self.coordinates.setdefault(value, at) == at and self.is_once(at)

    def looks_up_along(self, read: Read, point: Coordinates) -> bool:
        """Whether an index is looked up for each element along the last axis."""
        looked_up = (each for each in read.at if isinstance(each, Lookup))
        last = max((n for n, bound in enumerate(self.bounds) if bound != 1), default=0)
        return any(
            axis == last
            for each in looked_up
            for at in each.at
            for axis, _ in at.at(point).factors
        )

    def settled(self, value: SSAValue, at: Coordinates) -> Coordinates:
        """Coordinates without the axes and dimensions of size one."""
        moving = {n for n, bound in enumerate(self.bounds) if bound != 1}
        return tuple(
            Linear(tuple(f for f in each.factors if f[0] in moving), each.offset)
            if size != 1
            else Linear()
            for each, size in zip(at, sizes(tensor_type(value)), strict=True)
        )

    def is_once(self, at: Coordinates) -> bool:
        """Whether each point, or each row, reads an element of its own."""
        if any(len(each.factors) > 1 for each in at):
            return False
        moved = [axis for each in at for axis, _ in each.factors]
        moving = {n for n, bound in enumerate(self.bounds) if bound != 1}
        rows = moving & set(range(len(self.bounds) - self.columns))
        return len(moved) == len(set(moved)) and set(moved) in (moving, rows)

    def is_narrow(self, value: SSAValue) -> bool:
        """Whether a value of the group is the same for all columns."""
        return self.is_same(self.coordinates[value])

    def is_same(self, at: Sequence[Linear]) -> bool:
        """Whether coordinates do not depend on the column."""
        rows = len(self.bounds) - self.columns
        return all(axis < rows for each in at for axis, _ in each.factors)

    def has_wide(self) -> bool:
        """Whether any value of the group varies along the columns."""
        return not all(self.is_narrow(op.results[0]) for op in self.nests)

    def keep(self, root: GraphOp, is_wide: bool) -> dict[GraphOp, int] | None:
        """
        The costly values that several stages use, which take turns in the memory of the
        result; None when they do not fit.
        """
        for stage, reducer in enumerate(self.reducers):
            for operand in reducer.operands:
                self.reach(operand, stage)
        if is_wide:
            self.reach(root.results[0], len(self.reducers))
        kept = {op: each for op, each in self.reached.items() if len(each) > 1}
        kept = {op: each for op, each in kept.items() if self.is_costly(op)}
        element = tensor_type(root.results[0]).element_type
        end = 0
        for op, stages in sorted(kept.items(), key=lambda item: item[1][0]):
            type = tensor_type(op.results[0]).element_type
            if not is_wide or type != element or stages[0] < end:
                return None
            end = stages[-1]
        return {op: stages[0] for op, stages in kept.items()}

    def reach(self, value: SSAValue, stage: int) -> None:
        """
        Notes that a stage uses a value, and the values that it is then computed from.
        """
        waiting = [value]
        while waiting:
            value = waiting.pop()
            op = value.owner
            if not isinstance(op, GraphOp) or op not in self.nests:
                continue
            if op in self.reducers or self.is_narrow(value):
                continue
            stages = self.reached.setdefault(op, [])
            if stage in stages:
                continue
            stages.append(stage)
            if len(stages) == 1 or not self.is_costly(op):
                waiting += op.operands

    def is_costly(self, op: GraphOp) -> bool:
        """Whether computing a value takes longer than storing and loading it."""
        made, block = _scalars(op, self.nests[op])
        if len(made) == 1 and isinstance(made[0], arith.DivfOp):
            # A division by a narrow value becomes a multiplication by its reciprocal.
            divisor = block.args.index(made[0].rhs)
            return not self.reads_narrow(op, self.nests[op].sources[divisor])
        return any(
            isinstance(each, _COSTLY)
            or (each.name.startswith("math.") and not isinstance(each, _CHEAP))
            for each in made
        )

    def reads_narrow(self, op: GraphOp, source: Source) -> bool:
        """Whether the source of an op does not depend on the column."""
        if not isinstance(source, Read):
            return False
        point = self.point(op, self.coordinates[op.results[0]])
        assert point is not None, "every op has been located"
        return self.is_same([p.at(point) for p in source.at if isinstance(p, Linear)])


def _scalars(op: GraphOp, nest: Nest) -> tuple[list[Operation], Block]:
    """The scalar ops that the body of a nest builds, and the block they are in."""
    types = [
        compute_type(tensor_type(op.operands[each.operand]).element_type)
        if isinstance(each, Read)
        else i64
        for each in nest.sources
    ]
    with ImplicitBuilder(block := Block(arg_types=types)):
        nest.body(*block.args)
    return list(block.ops), block
