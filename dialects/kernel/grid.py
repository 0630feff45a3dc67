"""
Run a nest over the grid of what is rearranged between the ops of a group.

A `graph.rearrange` reads an element of its operand, and writes one of its result, at
each point of a grid. What comes after it reads its result point by point, and is
computed where the grid writes; what comes before is computed where it reads. So all of
them are one nest, over the grid, and a product that is rearranged stores each
accumulator where it belongs.
"""

from __future__ import annotations

from collections.abc import Sequence, Set
from dataclasses import replace

from xdsl.ir import Operation

from ..graph import GraphOp, Linear, Nest, Position, Read, axes


def feeding(
    root: GraphOp, nest: Nest, inner: Set[GraphOp], among: Set[Operation]
) -> GraphOp | None:
    """
    The one of some ops that is, or feeds, a nest of the last of the `inner` ops.
    """
    if root in among:
        return root
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
        else:
            waiting += [each.owner for each in op.operands]
    assert len(found) <= 1, "a nest reduces once, and is rearranged once"
    return found.pop() if found else None


def linear(positions: Sequence[Position]) -> tuple[Linear, ...]:
    """Positions that are computed, where none is looked up."""
    return tuple(each for each in positions if isinstance(each, Linear))


def own_axes(nest: Nest) -> list[int | None] | None:
    """
    The parallel axis of a nest for each axis of its result, or None for one of a single
    element; None instead of all where an axis of the result is not one of the nest.
    """
    found = list[int | None]()
    for position in nest.write:
        if not isinstance(position, Linear) or position.offset != 0:
            return None
        moving = [each for each in position.factors if nest.bounds[each[0]] != 1]
        if len(moving) > 1 or any(factor != 1 for _, factor in moving):
            return None
        found.append(moving[0][0] if moving else None)
    return found if nest.onto is None else None


def over(grid: Nest, nest: Nest) -> tuple[Nest, tuple[Linear, ...]]:
    """
    A reduction over the points of a grid where the result of the reduction is read, and
    where these points are among those of the reduction.
    """
    (read,), own = grid.sources, own_axes(nest)
    assert isinstance(read, Read), "what is rearranged is read"
    assert own is not None, "each point of a result has an accumulator"
    parallel, start = len(nest.bounds) - nest.reductions, len(grid.bounds)
    at = dict(zip(own, linear(read.at), strict=True))
    point = [at.get(number, Linear()) for number in range(parallel)]
    point += axes(nest.reductions, start)
    inside = tuple((each.at(point), low, high) for each, low, high in nest.inside)
    bounds = (*grid.bounds, *nest.bounds[parallel:])
    return replace(nest, bounds=bounds, inside=inside), (*point,)
