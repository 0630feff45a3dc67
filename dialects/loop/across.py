"""
Tell which loads of a body in lanes lie along another loop, and across the lanes.

Lanes that each read elements far apart are loads of one element each. Where successive
bodies of a loop around the lanes read successive elements in each lane, as many bodies
as there are lanes read a square of elements: vectors along that loop, which become
vectors along the lanes when the square is transposed.
"""

from __future__ import annotations

from xdsl.dialects.builtin import i1
from xdsl.ir import Block, SSAValue

from .ops.memory import LoadOp


def loads_across(body: Block, along: SSAValue, lanes: SSAValue) -> list[LoadOp]:
    """
    The loads of a body, none of them in a loop inside, that move by one element for
    each index `along`, and by another distance for each of the `lanes`.
    """
    loads = (each for each in body.ops if isinstance(each, LoadOp))
    return [each for each in loads if _is_across(each, along, lanes)]


def _is_across(load: LoadOp, along: SSAValue, lanes: SSAValue) -> bool:
    """Whether elements lie side by side along one index, and apart along another."""
    at = load.at
    # Vectors of booleans are masks, which no instruction transposes.
    if at.blocked is not None or at.vnni is not None or load.element == i1:
        return False
    for block in (along.owner, lanes.owner):
        if at.is_computed_in(block):
            # What is looked up differs in every lane.
            return False
    return at.step(along) == 1 and at.step(lanes) not in (0, 1)
