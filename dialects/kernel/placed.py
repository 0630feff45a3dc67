"""
Put the parts of a value where another op moves the whole of it.

A concatenation has a nest for each of its operands. Where its result is only moved, as
into the middle of a padded one, each of these nests writes to where the move puts its
elements, and the value between is never stored.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from ..dims import Dim
from ..graph import GraphOp, Linear, Nest, Position, Read, axis, same
from ..shape import sizes, tensor_type


def can_place(nest: Nest, shape: Sequence[Dim], parts: Sequence[Nest]) -> bool:
    """
    Whether a nest only moves all of a value of this shape, and the nests that compute
    the value write each element of it once.
    """
    return (
        is_plain(nest)
        and nest.body is same
        and nest.bounds == tuple(shape)
        and _source_of(nest) is not None
        and all(map(is_plain, parts))
    )


def placed(
    op: GraphOp, nest: Nest, known: Mapping[GraphOp, Sequence[Nest]]
) -> Iterator[tuple[GraphOp, Nest]]:
    """
    The nest of an op; or of the op that it moves the result of, if that is among the
    `known` and has several nests, those nests, written where the move puts them.
    """
    read = _source_of(nest)
    owner = None if read is None else op.operands[read.operand].owner
    parts = known.get(owner, ()) if isinstance(owner, GraphOp) else ()
    if not isinstance(owner, GraphOp) or len(parts) < 2:
        yield op, nest
        return
    if not can_place(nest, sizes(tensor_type(owner.results[0])), parts):
        yield op, nest
        return
    for part in parts:
        here = [each for each in part.write if isinstance(each, Linear)]
        there = [each.at(here) for each in nest.write if isinstance(each, Linear)]
        yield from placed(owner, replace(part, write=tuple(there)), known)


def is_plain(nest: Nest) -> bool:
    """Whether each point writes one element, whose position is computed from it."""
    is_one = nest.onto is None and nest.bodies is None and not nest.clamped
    is_linear = all(isinstance(each, Linear) for each in nest.write)
    return is_one and is_linear and nest.reductions == 0


def _source_of(nest: Nest) -> Read | None:
    """What a nest reads at its own point, if that is all."""
    if len(nest.sources) != 1 or not isinstance(read := nest.sources[0], Read):
        return None
    own = len(read.at) == len(nest.bounds) and is_own(read.at, nest.bounds)
    return read if own else None


def is_own(at: Sequence[Position], bounds: Sequence[Dim]) -> bool:
    """Whether positions, one for each axis of these bounds, are the point itself."""
    return all(
        bound == 1 or position == axis(number)
        for number, (bound, position) in enumerate(zip(bounds, at, strict=True))
    )
