"""
What a loop appends to a tensor that it carries, as rows of a stack.

Before: each trip yields `concat(carried, row)`, so that the tensor grows from trip to
trip. After: the row is a result of each trip, and behind the loop the rows are one
tensor behind the first value. That is right where the trip does nothing else with it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.builder import ImplicitBuilder
from xdsl.ir import Block, SSAValue

from ....dialects import normalize_axis, product
from ....dialects.graph import ConcatOp
from ....dialects.graph.compose import joined, permuted, reshaped, shape_of
from .emit import locate
from .graph_builder import GraphBuilder
from .node import Node


@dataclass(frozen=True)
class Append:
    """A tensor that grows by one piece in each trip of a loop."""

    place: int
    """Its place among the values that the loop carries."""
    first: SSAValue
    piece: SSAValue
    axis: int


def take_appends(
    body: Block, carried: Sequence[SSAValue], results: Sequence[SSAValue]
) -> list[Append]:
    """
    The tensors to which each trip appends, and with which it does nothing else. The
    body, which yields nothing yet, carries them no more.
    """
    found: list[Append] = []
    for place, (first, result) in enumerate(zip(carried, results, strict=False)):
        argument, op = body.args[1 + place], result.owner
        if (
            isinstance(op, ConcatOp)
            and op.parent is body
            and op.operands[0] is argument
            and [each.operation for each in argument.uses] == [op]
            and not [*result.uses]
            and sum(each is result for each in results) == 1
        ):
            axis = normalize_axis(op.axis.value.data, len(shape_of(result)))
            with ImplicitBuilder(body):
                piece = joined(op.operands[1:], axis)
            found.append(Append(place, first, piece, axis))
    for each in reversed(found):
        argument = body.args[1 + each.place]
        for use in [*argument.uses]:
            use.operation.detach()
            use.operation.erase()
        body.erase_arg(argument)
    return found


def whole(
    builder: GraphBuilder, node: Node, append: Append, stack: SSAValue
) -> SSAValue:
    """Builds the tensor behind a loop, of the stack of the pieces of all trips."""
    axis = append.axis
    trips, *piece = shape_of(stack)
    order = [*range(1, axis + 1), 0, *range(axis + 1, len(piece) + 1)]
    shape = [*piece[:axis], product([trips, piece[axis]]), *piece[axis + 1 :]]
    last = builder.block.last_op
    with ImplicitBuilder(builder.block):
        rows = reshaped(permuted(stack, order), shape)
        result = joined([append.first, rows], axis)
    locate(builder.block, last, node.name)
    return result
