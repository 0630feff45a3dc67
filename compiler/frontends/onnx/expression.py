"""Expressions that many handlers build: numbers, sums, products, conversions."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from xdsl.ir import SSAValue

from ....dialects.dims import Dim
from ....dialects.graph.literal import to_names
from ....dialects.graph.ops.binary import AddOp, MulOp
from ....dialects.graph.ops.cast import CastOp
from ....dialects.graph.ops.constant import ConstantOp
from ....dialects.graph.ops.expand import ExpandOp
from ....dialects.shape import Array, Element, Tensor, dtype, tensor_type


def number(value: float, type: Tensor) -> SSAValue:
    """Builds the scalar `value` with the elements of `type`."""
    return ConstantOp(value=np.array(value, dtype(type))).result


def times(x: SSAValue, factor: float) -> SSAValue:
    """Builds `x` times a number, which is `x` itself for one."""
    return x if factor == 1 else MulOp(x, number(factor, tensor_type(x))).result


def plus(x: SSAValue, term: float) -> SSAValue:
    """Builds `x` plus a number, which is `x` itself for zero."""
    return x if term == 0 else AddOp(x, number(term, tensor_type(x))).result


def convert(x: SSAValue, to: Element) -> SSAValue:
    """Builds `x` with elements of the type `to`."""
    return x if tensor_type(x).element_type == to else CastOp(x, to=to).result


def filled(value: Array, shape: Sequence[Dim]) -> SSAValue:
    """Builds a tensor of `value`, an array without axes, everywhere."""
    one = ConstantOp(value=value)
    return ExpandOp(one, shape=to_names(shape)).result if shape else one.result
