"""Reversal of the order of elements, which turns the least into the greatest."""

from __future__ import annotations

from xdsl.dialects.builtin import i1
from xdsl.ir import SSAValue

from ...element_type import ELEMENT_TYPES
from ...shape import is_float, tensor_type
from ..ops.arithmetic import NegOp
from ..ops.binary import SubOp
from ..ops.logical_not import LogicalNotOp
from .number import element_of, number_like


def reversed_order(x: SSAValue) -> SSAValue:
    """
    Builds numbers whose order is reversed: the greatest stands where the least was.
    """
    if is_float(tensor_type(x)):
        return NegOp(x).result
    if element_of(x) == i1:
        return LogicalNotOp(x).result
    # The least integer cannot be negated, but every integer has a complement.
    return SubOp(number_like(sum(ELEMENT_TYPES[element_of(x)].limits), x), x).result
