"""
Expressions of elements of values: computed inside of a group, or loaded.

Each read of a value of the group is replaced by its expression at the position of the
read, so that the value is never stored. An element that is read twice at a point has
one expression.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set

from xdsl.ir import Operation, SSAValue

from ..graph import (
    Extent,
    GraphOp,
    Linear,
    Nest,
    Position,
    Read,
    Source,
    Where,
    scalar,
)
from ..shape import tensor_type
from .expression import Accumulator, Apply, Expression, Index, Load, Part
from .grid import Alone, is_moved
from .group import Check, element
from .index_source import look_up
from .points import Element, Opened, identity, inline_constant, only_nest


class Evaluation:
    """The expressions of elements of a group, at the points of one nest at a time."""

    def __init__(
        self,
        nests: Mapping[GraphOp, Sequence[Nest]],
        outer: Mapping[SSAValue, SSAValue],
    ):
        self.nests = nests
        """The nests of each op of the group."""
        self.outer = outer
        """What stands outside of the group for the values that it reads."""
        self.movers = {op for op in nests if is_moved(op, nests[op])}
        """The ops that are read at the points of a grid, or of the grids of parts."""
        self.reducers = {
            op for op, found in nests.items() if any(n.reductions for n in found)
        }
        self.tiles: dict[Operation, Part] = {}
        """The scalar that is asked for of each op whose points store tiles."""
        self.once: Set[Operation] = frozenset()
        """The ops that loops have one element of at a time."""
        self.parts: Mapping[GraphOp, Nest] = {}
        """The nest that is run over of each op that has one for each of its parts."""
        self.alone: Alone | None = None
        self.memo: dict[Element, Expression] = {}
        self.accumulators: dict[Operation, Accumulator] = {}
        self.kept: dict[Operation, Load] = {}
        """Where earlier stages have stored values."""
        self.checks: dict[Check, None] = {}

    def apply(self, op: GraphOp, nest: Nest, point: Sequence[Linear]) -> Expression:
        """What `op` computes at a point of its nest."""
        return self.put_together(self.open(op, nest, point))

    def open(self, op: GraphOp, nest: Nest, point: Sequence[Linear]) -> Opened:
        """
        What `op` computes at a point, with operands that are still to be computed.
        """
        parts = tuple(self.source(op, each, point) for each in nest.sources)
        type = tensor_type(op.results[0]).element_type
        return Opened(scalar.reloading(nest.body, type), parts)

    def put_together(self, opened: Opened) -> Expression:
        """The expression of an op whose operands have all been computed."""
        parts = (
            self.value(each.value, each.at) if isinstance(each, Element) else each
            for each in opened.parts
        )
        return Apply(opened.body, tuple(parts))

    def source(
        self, op: GraphOp, source: Source, point: Sequence[Linear]
    ) -> Expression | Element:
        """The expression of a source, or the element of a value that it reads."""
        match source:
            case Read():
                at = [self.position(op, each, point) for each in source.at]
                return self.read(op.operands[source.operand], at)
            case Extent():
                return source
            case Where():
                return Where(source.position.at(point))

    def position(
        self, op: GraphOp, position: Position, point: Sequence[Linear]
    ) -> Linear | Index:
        """A position of a nest at a point that is a function of another point."""
        if isinstance(position, Linear):
            return position.at(point)
        indices = op.operands[position.operand]
        indices = self.outer.get(indices, indices)
        assert indices.owner not in self.nests, "what is looked up is in memory"
        index, check = look_up(indices, position, point)
        if check is not None:
            self.checks[check] = None
        return index

    def read(
        self, value: SSAValue, at: Sequence[Linear | Index]
    ) -> Expression | Element:
        """The element of `value` at a position for each axis."""
        plain = tuple(each for each in at if isinstance(each, Linear))
        if len(plain) == len(at):
            return Element(value, plain)
        value = self.outer.get(value, value)
        assert value.owner not in self.nests, "what is looked up is in memory"
        return element(value, at)

    def value(self, value: SSAValue, at: tuple[Linear, ...]) -> Expression:
        """The element of `value` at a position: computed here, or loaded."""
        # A path of its own, as a chain of ops may be deeper than Python's stack.
        path = [root := Element(value, at)]
        opened: dict[Element, Opened] = {}
        while path:
            here = path[-1]
            if here in self.memo:
                path.pop()
            elif here in opened:
                self.memo[here] = self.put_together(opened.pop(here))
            elif isinstance(found := self.compute(here.value, here.at), Opened):
                opened[here] = found
                needed = [each for each in found.parts if isinstance(each, Element)]
                path += reversed(needed)
            else:
                self.memo[here] = found
        return self.memo[root]

    def compute(self, value: SSAValue, at: tuple[Linear, ...]) -> Expression | Opened:
        """
        The expression of an element, or the op to apply when its operands are missing.
        """
        owner = value.owner
        if isinstance(owner, Operation):
            if owner in self.kept:
                return self.kept[owner]
            if self.alone is not None and owner in self.once:
                self.alone.check(owner, at)
            if owner in self.tiles:
                return self.tiles[owner]
            if owner in self.reducers:
                return self.accumulators.get(owner, Accumulator())
        if isinstance(owner, GraphOp) and owner in self.nests:
            nest = self.parts.get(owner) or only_nest(owner, self.nests[owner])
            # What is rearranged, or joined of parts, is read at the points of its grid.
            at = identity(nest) if owner in self.movers else at
            return self.open(owner, nest, at)
        outer = self.outer.get(value, value)
        if (number := inline_constant(outer)) is not None:
            return number
        return element(outer, at)
