"""Products of matrices and of vectors, scaled sums, and a bias for each channel."""

from __future__ import annotations

from xdsl.ir import SSAValue

from ..ops.binary import AddOp
from ..ops.matmul import MatmulOp
from .number import Number, times
from .shaping import per_channel, reshaped, shape_of


def matmul(a: SSAValue, b: SSAValue) -> SSAValue:
    """
    Builds numpy's matmul: batched matrices, a vector as a row on the left, a column on
    the right.
    """
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


def combined(
    product: SSAValue, c: SSAValue | None, alpha: Number, beta: Number
) -> SSAValue:
    """Builds `alpha * product + beta * c`; `c` is not read when `beta` is zero."""
    result = times(product, alpha)
    if c is None or beta == 0:
        return result
    return AddOp(result, times(c, beta)).result


def with_bias(x: SSAValue, bias: SSAValue | None) -> SSAValue:
    """Builds NxCx... plus a bias for each channel, if there is one."""
    if bias is None:
        return x
    return AddOp(x, per_channel(bias, len(shape_of(x)))).result
