"""Normalization by mean and variance, and scale and bias for each channel."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import SSAValue

from ..ops.arithmetic import RsqrtOp
from ..ops.binary import AddOp, MulOp, SubOp
from ..ops.reduce import MeanOp
from .number import plus
from .shaping import per_channel, shape_of


def centered(x: SSAValue, axes: Sequence[int]) -> tuple[SSAValue, SSAValue]:
    """Builds `x` minus its mean along axes, and that mean."""
    mean = MeanOp(x, axes=tuple(axes), keepdims=True).result
    return SubOp(x, mean).result, mean


def standardized(
    x: SSAValue, axes: Sequence[int], epsilon: float
) -> tuple[SSAValue, SSAValue, SSAValue]:
    """
    Builds `x` with mean 0 and variance 1 along axes, the mean, and the scale used.

    The variance is the mean of squared deviations: a difference of two means would
    cancel where the mean is large.
    """
    distance, mean = centered(x, axes)
    squares = MulOp(distance, distance)
    variance = MeanOp(squares, axes=tuple(axes), keepdims=True).result
    factor = RsqrtOp(plus(variance, epsilon)).result
    return MulOp(distance, factor).result, mean, factor


def scaled_and_shifted(
    x: SSAValue, scale: SSAValue | None, bias: SSAValue | None
) -> SSAValue:
    """Builds `x * scale + bias`, without the scale or the bias where it is None."""
    if scale is not None:
        x = MulOp(x, scale).result
    return x if bias is None else AddOp(x, bias).result


def with_channels(
    x: SSAValue, scale: SSAValue | None, bias: SSAValue | None
) -> SSAValue:
    """Builds NxCx... with the given scale and bias of each channel."""
    rank = len(shape_of(x))
    return scaled_and_shifted(
        x,
        None if scale is None else per_channel(scale, rank),
        None if bias is None else per_channel(bias, rank),
    )
