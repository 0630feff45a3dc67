"""
Results of nodes that floats compute from sizes: integers, conditions and numbers that
are the same in all runs are known.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from xdsl.ir import SSAValue

from ....dialects import is_float, sizes, tensor_type
from ....dialects.graph import GraphOp
from ..known import Known
from .evaluated import listed
from .node import Node, Results, Value
from .size_fractions import RULES, Ratio, limits_of, read_number
from .small_tensors import SmallTensors


def settled(node: Node, results: Results) -> list[Value]:
    """
    The results of a node; integers and conditions that floats compute from sizes are
    known.
    """
    return [
        each if isinstance(each, Known) else _settled(node, each)
        for each in listed(results)
    ]


def _settled(node: Node, value: SSAValue) -> Value:
    """A result of a node: what is known of it, or the value itself."""
    op, type = value.owner, tensor_type(value)
    if is_float(type) or not isinstance(op, GraphOp):
        return value
    if not any(is_float(tensor_type(each)) for each in op.operands):
        return value
    found = _fractions(node, value)
    if found is None:
        return value
    tops = np.array([each.top for each in found], object)
    shape = [each for each in sizes(type) if isinstance(each, int)]
    return Known.of_dims(tops.reshape(shape), type.element_type)


def numbers(node: Node, place: int) -> list[float] | None:
    """The elements of an input of floats, if they are the same in all runs."""
    if (known := node.known_input(place)) is not None and not known.is_symbolic:
        return [float(each) for each in known.array.ravel()]
    found = _fractions(node, node.operand(place))
    if found is None or not all(isinstance(each.top, int) for each in found):
        return None
    return [float(Fraction(int(str(each.top)), each.bottom)) for each in found]


def _fractions(node: Node, value: SSAValue) -> list[Ratio] | None:
    """
    The elements of a value as fractions, whose limits are then checked; None where one
    is not exact.
    """
    found = SmallTensors(node.emitted, read_number, RULES)(value)
    if found is None or any(each is None or each.is_rounded for each in found.flat):
        return None
    fractions: list[Ratio] = list(found.flat)
    for limit in limits_of(fractions):
        node.require(limit.margin, limit.message, *limit.sizes)
    return fractions
