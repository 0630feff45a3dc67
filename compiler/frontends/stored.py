"""Constant tensors of a model: inline constants, or entries of the weight store."""

from __future__ import annotations

from xdsl.ir import SSAValue

from ...dialects import ELEMENTS, Array, tensor
from ...dialects.graph import ConstantOp, GetAttrOp
from ..ir import WeightStore

_WRITTEN_OUT = 16
"""The most elements of an inline constant."""


def is_small(array: Array) -> bool:
    """Whether a tensor becomes an inline constant."""
    return array.size <= _WRITTEN_OUT


def stored(array: Array, name: str, weights: WeightStore) -> SSAValue:
    """Puts a tensor into the weight store, and builds its op."""
    key = weights.put(name, array)
    return GetAttrOp(key, tensor(ELEMENTS[array.dtype], *array.shape)).result


def constant(array: Array, name: str, weights: WeightStore) -> SSAValue:
    """Builds the op of a constant tensor, inline or in the weight store."""
    if is_small(array):
        return ConstantOp(value=array).result
    return stored(array, name, weights)
