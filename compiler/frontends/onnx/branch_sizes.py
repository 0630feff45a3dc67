"""
Results of an If whose sizes a branch finds itself, as how many elements are not zero.

Only the branch that runs knows such a size. So each branch gives the result with room
for the most that either may find, and how much of it counts; what comes after the If
takes that part.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from xdsl.builder import ImplicitBuilder
from xdsl.dialects.builtin import i64
from xdsl.ir import Block, SSAValue

from ....dialects import (
    Dim,
    dtype,
    greater,
    greatest,
    sizes,
    symbols_of,
    tensor_type,
)
from ....dialects.graph import defined_symbols
from ....dialects.graph.compose import filled, joined, part, quantity
from .emit import locate
from .graph_builder import GraphBuilder
from .node import Node
from .run_time_sizes import define


@dataclass(frozen=True)
class Cut:
    """An axis of a result with room for `most`, and the result that says how many."""

    result: int
    axis: int
    count: int
    most: Dim


def make_room(blocks: Sequence[Block], location: str) -> list[Cut]:
    """
    Gives both branches results of one size where one of them finds the size itself, and
    more results with these sizes; what is to be cut off again.
    """
    own = [defined_symbols(each) for each in blocks]
    ends = [end for each in blocks if (end := each.last_op) is not None]
    cuts: list[Cut] = []
    counts = min(len(each.operands) for each in ends)
    for result in range(counts):
        shapes = [sizes(tensor_type(each.operands[result])) for each in ends]
        if len({len(each) for each in shapes}) > 1:
            continue
        for axis, pair in enumerate(zip(*shapes, strict=True)):
            if not any(symbols_of(e) & {*names} for e in pair for names in own):
                continue
            most = greater(*(greatest(*each) for each in zip(pair, own, strict=True)))
            for block, size in zip(blocks, pair, strict=True):
                _widen(block, result, axis, (size, most), location)
            cuts.append(Cut(result, axis, counts + len(cuts), most))
    return cuts


def cut_results(
    builder: GraphBuilder, node: Node, results: Sequence[SSAValue], cuts: Sequence[Cut]
) -> list[SSAValue]:
    """Builds the results of an If without the room that its branches left."""
    found, last = list(results), builder.block.last_op
    with ImplicitBuilder(builder.block):
        for each in cuts:
            size = define(node, results[each.count], "size", each.most)
            found[each.result] = part(found[each.result], each.axis, 0, size)
    locate(builder.block, last, node.name)
    return found[: len(found) - len(cuts)]


def _widen(
    block: Block, result: int, axis: int, size: tuple[Dim, Dim], location: str
) -> None:
    """
    Fills an axis of a result of a branch up to the most that it may be, and gives how
    much there was as one more result.
    """
    (own, most), end = size, block.last_op
    assert end is not None, "a branch ends with what it yields"
    last = end.prev_op
    end.detach()
    with ImplicitBuilder(block):
        value = end.operands[result]
        shape = list(sizes(tensor_type(value)))
        shape[axis] = most - own
        rest = filled(np.zeros((), dtype(tensor_type(value))), shape)
        wide = joined([value, rest], axis)
        count = quantity(own, i64)
    locate(block, last, location)
    operands = [*end.operands, count]
    operands[result] = wide
    end.operands = operands
    block.add_op(end)
