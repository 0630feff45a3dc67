"""Products of matrices in which vectors are rows or columns, and a bias per channel."""

from __future__ import annotations

from xdsl.ir import SSAValue

from ..ops.binary import AddOp
from ..ops.matmul import MatmulOp
from .shaping import per_channel, reshaped, shape_of


def matmul(a: SSAValue, b: SSAValue) -> SSAValue:
    """Builds the product of stacks of matrices; a vector is a row, then a column."""
    left, right = shape_of(a), shape_of(b)
    row = reshaped(a, [1, *left]) if len(left) == 1 else a
    column = reshaped(b, [*right, 1]) if len(right) == 1 else b
    product = MatmulOp(row, column).result
    shape = list(shape_of(product))
    if len(left) == 1:
        del shape[-2]
    if len(right) == 1:
        del shape[-1]
    return reshaped(product, shape)


def with_bias(x: SSAValue, bias: SSAValue | None) -> SSAValue:
    """Builds NxCx... plus a number for each channel, where there are some."""
    if bias is None:
        return x
    return AddOp(x, per_channel(bias, len(shape_of(x)))).result
