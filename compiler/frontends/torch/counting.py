"""Operators that count how often each number occurs."""

from __future__ import annotations

from xdsl.dialects.builtin import UnitAttr, i64
from xdsl.ir import SSAValue

from ....dialects import ELEMENT_TYPES, tensor_type
from ....dialects.graph import (
    LtOp,
    MaximumOp,
    ReduceMaxOp,
    ReduceMinOp,
    WhereOp,
)
from ....dialects.graph.compose import (
    convert,
    distinct,
    expanded,
    number,
    plus,
    shape_of,
)
from .call import Call, Reader, Result
from .data_dependent import decided
from .sizes import GREATEST

_SHORT = 16
"""The bits of integers that are so short that the greatest bounds a size."""


def _occurrences(
    call: Call, x: SSAValue, weights: SSAValue | None = None, least: int = 0
) -> Result:
    """
    How often each number from 0 on is there, or the sum of the weights where it is; as
    many as the greatest number asks for, or `least`. A run refuses numbers below zero.
    """
    numbers, (count,) = convert(x, i64), shape_of(x)
    low, high = (
        op(numbers, axes=(0,), keepdims=False, or_identity=UnitAttr()).result
        for op in (ReduceMinOp, ReduceMaxOp)
    )
    # Of no numbers the greatest is so low that one more is still below zero.
    needed = MaximumOp(plus(high, 1), number(least, i64)).result
    needed = WhereOp(LtOp(low, number(0, i64)), number(-1, i64), needed).result
    element = ELEMENT_TYPES[tensor_type(x).element_type]
    greatest = GREATEST
    if element.bits <= _SHORT:
        greatest = max(int(element.limits[1]) + 1, least)
    size = decided(call, call.node.meta["val"].shape[0], needed, greatest)
    amounts = expanded(number(1, call.element), [count])
    if weights is not None:
        amounts = convert(weights, call.element)
    none = expanded(number(0, call.element), [size])
    return distinct.combined_at(none, numbers, amounts, "add")


READERS: dict[str, Reader] = {"aten.bincount.default": _occurrences}
