"""
Look up positions, and find indices that need no check: the op that computes them bounds
them.

    %i = graph.argsort %x …          below the size of the axis, by the op's `below`
    %j = graph.permute %i …          as its operand: it only moves elements
    %y = graph.gather %x, %j …       looks up what is in range
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import SSAValue

from ..dims import Dim
from ..graph import GraphOp, Linear, Lookup, Nest, Read, same
from ..shape import sizes, tensor_type
from .expression import Index, Load
from .group import Check
from .linearize import flatten, looked_up


def look_up(
    indices: SSAValue, position: Lookup, point: Sequence[Linear]
) -> tuple[Index, Check | None]:
    """
    A position that is looked up among indices, at a point that is a function of another
    point; and the check that they need, if any.
    """
    shape, bound, wraps = sizes(tensor_type(indices)), position.bound, position.wraps
    check = Check(indices, *looked_up(position.at, shape), bound, wraps)
    at = flatten([each.at(point) for each in position.at], shape)
    index = Index(Load(indices, at), bound, wraps)
    return index, None if below_of(indices) == bound else check


def below_of(indices: SSAValue) -> Dim | None:
    """What all indices are below, whatever the run computes; none is less than zero."""
    while isinstance(op := indices.owner, GraphOp):
        if (below := op.below()) is not None:
            return below
        if (moved := _moved(op)) is None:
            return None
        indices = moved
    return None


def _moved(op: GraphOp) -> SSAValue | None:
    """The operand that all elements of the result come from, if there is one."""
    if op.IS_VIEW:
        return op.operands[0]
    match op.nests():
        case [Nest(sources=(Read() as read,)) as nest] if (
            nest.body is same
            and nest.combine is None
            and nest.writes_whole
            and all(isinstance(each, Linear) for each in read.at)
        ):
            return op.operands[read.operand]
        case _:
            return None
