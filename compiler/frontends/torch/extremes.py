"""The greatest and the least of integers that a model holds or counts."""

from __future__ import annotations

import numpy as np
from xdsl.dialects.builtin import IntegerType, i1, i64
from xdsl.ir import Operation, SSAValue

from ....dialects import Dim, Element, dim, sizes, tensor_type
from ....dialects.graph import (
    AddOp,
    CastOp,
    ConstantOp,
    ExpandOp,
    GetAttrOp,
    IotaOp,
    PermuteOp,
    ReduceMaxOp,
    ReduceMinOp,
    ReshapeOp,
)
from ...ir import WeightStore
from ..known import Known


def extreme_of(op: Operation, weights: WeightStore) -> Known | None:
    """
    The result of an op that takes the greatest or the least of all elements of a
    tensor, where those are integers that the model holds or counts; None of others.
    It is the same in all runs, also where the elements are repeated an open number of
    times.
    """
    if not isinstance(op, ReduceMaxOp | ReduceMinOp) or op.or_identity is not None:
        return None
    type = tensor_type(op.result)
    if any(size != 1 for size in sizes(type)) or type.element_type == i1:
        return None
    found = _limits(op.input, weights)
    if found is None:
        return None
    chosen = found[isinstance(op, ReduceMaxOp)]
    shape = [1] * len(sizes(type))
    return Known.of_dims(np.array(chosen, object).reshape(shape), type.element_type)


def _limits(value: SSAValue, weights: WeightStore) -> tuple[Dim, Dim] | None:
    """The least and the greatest of the elements of a tensor, which both occur."""
    op, element = value.owner, tensor_type(value).element_type
    if not isinstance(element, IntegerType):
        return None
    match op:
        case GetAttrOp():
            array = weights[op.key.data]
        case ConstantOp():
            (array,) = op.run_reference([], {})
        case IotaOp():
            return 0, dim(op.size.data) - 1
        case ExpandOp() | PermuteOp() | ReshapeOp():
            return _limits(op.operands[0], weights)
        case CastOp() if _holds_all(element, tensor_type(op.input).element_type):
            return _limits(op.input, weights)
        case AddOp() if element == i64:
            return _moved(*(_limits(each, weights) for each in op.operands))
        case _:
            return None
    if not array.size:
        return None
    return int(array.min()), int(array.max())


def _holds_all(wide: Element, narrow: Element) -> bool:
    """Whether integers have all numbers of others."""
    return wide == i64 and isinstance(narrow, IntegerType) and narrow.width.data < 64


def _moved(
    a: tuple[Dim, Dim] | None, b: tuple[Dim, Dim] | None
) -> tuple[Dim, Dim] | None:
    """The limits of sums, where the elements of one operand are all the same number."""
    if a is None or b is None or (a[0] != a[1] and b[0] != b[1]):
        return None
    least, most = a[0] + b[0], a[1] + b[1]
    return None if any(map(_may_wrap, (least, most))) else (least, most)


def _may_wrap(number: Dim) -> bool:
    """Whether a number may be none of 64 bits, as no sum with a size is."""
    return isinstance(number, int) and not -(2**63) <= number < 2**63
