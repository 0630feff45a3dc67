"""
Run a nest over the grid of what is rearranged between the ops of a group.

A `graph.rearrange` reads an element of its operand, and writes one of its result, at
each point of a grid. What comes after it reads its result point by point, and is
computed where the grid writes; what comes before is computed where it reads. So all of
them are one nest, over the grid, and a product that is rearranged stores each
accumulator where it belongs.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace

from xdsl.ir import Operation
from xdsl.utils.exceptions import VerifyException

from ..dims import Dim
from ..graph import GraphOp, Linear, Nest, Position, Read, RearrangeOp, axes
from ..shape import sizes, tensor_type


@dataclass(frozen=True)
class Alone:
    """
    Ops of a group whose results the loops of a nest have one element of at a time, each
    with where that is. `fuse` makes no group that reads another; text may have one.
    """

    bounds: Sequence[Dim] = ()
    places: Mapping[Operation, Sequence[Linear]] = field(
        default_factory=dict[Operation, Sequence[Linear]]
    )

    def check(self, op: Operation, at: Sequence[Linear]) -> None:
        """Raises `VerifyException` where an op is read at another element."""
        place = self.places.get(op)
        shape = sizes(tensor_type(op.results[0]))
        if place is None or any(
            size != 1 and self.moving(here) != self.moving(there)
            for size, here, there in zip(shape, at, place, strict=True)
        ):
            raise _unfit(op)

    def moving(self, position: Linear) -> Linear:
        """A position without axes of size one."""
        ones = {number for number, bound in enumerate(self.bounds) if bound == 1}
        kept = tuple(each for each in position.factors if each[0] not in ones)
        return Linear(kept, position.offset)


def check_runs_over(nest: Nest, op: GraphOp) -> None:
    """Raises `VerifyException` where a nest is not over the elements of a result."""
    if nest.bounds != sizes(tensor_type(op.results[0])):
        raise _unfit(op)


def _unfit(op: Operation) -> VerifyException:
    """The error of a fusion that one nest does not compute."""
    return VerifyException(
        f"expected a fusion whose result is that of {op.name} element by element, got "
        "one that reads it otherwise: leave fusions to the pass `fuse`"
    )


def feeding(
    root: GraphOp,
    nest: Nest,
    inner: Set[GraphOp],
    among: Set[Operation],
    until: Set[Operation] = frozenset(),
) -> GraphOp | None:
    """
    The one of some ops that is, or feeds, a nest of the last of the `inner` ops, after
    all of those that it is looked for `until`. Raises `VerifyException` if there are
    several.
    """
    if root in among:
        return root
    found = all_feeding(root, nest, inner, among, until)
    if len(found) > 1:
        raise _unfit(min(found, key=lambda each: each.name))
    return found.pop() if found else None


def all_feeding(
    root: GraphOp,
    nest: Nest,
    inner: Set[GraphOp],
    among: Set[Operation],
    until: Set[Operation] = frozenset(),
) -> set[GraphOp]:
    """The ops among some that a nest reads, or that ops between them read."""
    if root in until:
        return set()
    read = [each.operand for each in nest.sources if isinstance(each, Read)]
    waiting, found = [root.operands[each].owner for each in read], set[GraphOp]()
    seen = set[GraphOp]()
    while waiting:
        op = waiting.pop()
        if not isinstance(op, GraphOp) or op not in inner or op in seen:
            continue
        seen.add(op)
        if op in among:
            found.add(op)
        elif op not in until:
            waiting += [each.owner for each in op.operands]
    return found


def in_step(nests: Mapping[GraphOp, Sequence[Nest]]) -> Iterator[tuple[Nest, ...]]:
    """
    The nests of ops that go side by side, as concatenations of parts that are equally
    large do. Raises `VerifyException` where they go over other grids.
    """
    (_, first), *others = nests.items()
    for op, found in others:
        if not are_in_step(first, found):
            raise _unfit(op)
    return zip(*nests.values(), strict=True)


def are_in_step(some: Sequence[Nest], others: Sequence[Nest]) -> bool:
    """Whether nests go over the same grids, and write at the same points."""
    here, there = (
        [(each.bounds, each.write) for each in found] for found in (some, others)
    )
    return here == there


def is_moved(op: GraphOp, nests: Sequence[Nest]) -> bool:
    """Whether the result of an op is computed over a grid, or that of each part."""
    return isinstance(op, RearrangeOp) or len(nests) > 1


def linear(positions: Sequence[Position]) -> tuple[Linear, ...]:
    """Positions that are computed, where none is looked up."""
    return tuple(each for each in positions if isinstance(each, Linear))


def own_axes(nest: Nest) -> list[int | None] | None:
    """
    The parallel axis of a nest for each axis of its result, or None for one of a single
    element; None instead of all where an axis of the result is not one of the nest.
    """
    found, parallel = list[int | None](), len(nest.bounds) - nest.reductions
    for position in nest.write:
        if not isinstance(position, Linear) or position.offset != 0:
            return None
        moving = [each for each in position.factors if nest.bounds[each[0]] != 1]
        if len(moving) > 1 or any(factor != 1 for _, factor in moving):
            return None
        if any(axis >= parallel for axis, _ in moving):
            return None
        found.append(moving[0][0] if moving else None)
    return found if nest.onto is None else None


def over(
    grid: Nest, nest: Nest, op: GraphOp
) -> tuple[Nest, tuple[Linear, ...], tuple[Linear, ...]]:
    """
    A reduction, the nest of an op, over the points of a grid where the result of the
    reduction is read; where these points are among those of the reduction, and where
    that result is read. Raises `VerifyException` where several points share an
    accumulator.
    """
    (read,), own = grid.sources, own_axes(nest)
    assert isinstance(read, Read), "what is rearranged is read"
    if own is None:
        raise _unfit(op)
    parallel, start = len(nest.bounds) - nest.reductions, len(grid.bounds)
    at = dict(zip(own, linear(read.at), strict=True))
    point = [at.get(number, Linear()) for number in range(parallel)]
    point += axes(nest.reductions, start)
    inside = tuple((each.at(point), low, high) for each, low, high in nest.inside)
    bounds = (*grid.bounds, *nest.bounds[parallel:])
    return replace(nest, bounds=bounds, inside=inside), (*point,), linear(read.at)
