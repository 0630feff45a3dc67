"""Tensors that a model holds: written out in the program, or among its weights."""

from __future__ import annotations

from xdsl.ir import SSAValue

from ...dialects.graph.ops.constant import ConstantOp
from ...dialects.graph.ops.get_attr import GetAttrOp
from ...dialects.shape import ELEMENTS, Array, tensor
from ..weights import WeightStore

WRITTEN_OUT = 16
"""Elements up to which a tensor that is no weight is written out in the program."""


def is_small(array: Array) -> bool:
    """Whether a tensor is written out in the program."""
    return array.size <= WRITTEN_OUT


def stored(array: Array, name: str, weights: WeightStore) -> SSAValue:
    """Builds the op that has a tensor, which is put among the weights."""
    key = weights.put(name, array)
    return GetAttrOp(key, tensor(ELEMENTS[array.dtype], *array.shape)).result


def constant(array: Array, name: str, weights: WeightStore) -> SSAValue:
    """Builds the op that has a tensor, in the program or among the weights."""
    if is_small(array):
        return ConstantOp(value=array).result
    return stored(array, name, weights)
