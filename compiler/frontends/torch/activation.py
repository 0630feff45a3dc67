"""Activations with parameters, and those that are made of several ops."""

from __future__ import annotations

from xdsl.ir import SSAValue

from ....dialects.graph import GeluOp, GtOp, LeakyReluOp, MulOp, WhereOp
from ....dialects.graph.compose import activation, number_like
from ..unsupported import Training
from .call import Call, Reader, Result, of_operand

_LEAST_RANGE = 1e-6
"""The range of slopes from which on torch takes them to be random."""


def gelu(call: Call, x: SSAValue, approximate: str = "none") -> Result:
    """The Gaussian error linear unit."""
    return GeluOp(x, approximate=approximate).result


def leaky_relu(call: Call, x: SSAValue, slope: float) -> Result:
    """The elements with negative ones multiplied by `slope`."""
    return LeakyReluOp(x, slope=float(slope)).result


def elu(
    call: Call, x: SSAValue, alpha: float, scale: float, input_scale: float
) -> Result:
    """`scale * x` above zero, `scale * alpha * (exp(input_scale * x) - 1)` below."""
    return activation.exponential_unit(x, alpha, scale, input_scale)


def softplus(call: Call, x: SSAValue, beta: float, threshold: float) -> Result:
    """`log(1 + exp(beta * x)) / beta`, or `x` where `beta * x` is above `threshold`."""
    return activation.scaled_softplus(x, beta, threshold)


def _random_slope(
    call: Call,
    x: SSAValue,
    noise: SSAValue,
    low: float,
    high: float,
    training: bool = False,
    *_: object,
) -> Result:
    """The elements with negative ones multiplied by the mean slope, and the noise."""
    if training:
        raise Training("slopes at random, as in training")
    return [LeakyReluOp(x, slope=(low + high) / 2).result, noise]


def _slope_back(
    call: Call,
    gradient: SSAValue,
    x: SSAValue,
    noise: SSAValue,
    low: float,
    high: float,
    training: bool,
    is_result: bool,
) -> Result:
    """The gradient times the slope of each element: that of the noise, or the mean."""
    if training and high - low > _LEAST_RANGE:
        return MulOp(gradient, noise).result
    slope = number_like((low + high) / 2, gradient)
    is_above = GtOp(x, number_like(0, x))
    return WhereOp(is_above, gradient, MulOp(gradient, slope)).result


READERS: dict[str, Reader] = {
    "aten.rrelu_with_noise_functional.default": _random_slope,
    "aten.rrelu_with_noise_backward.default": _slope_back,
    "aten.gelu.default": gelu,
    "aten.leaky_relu.default": leaky_relu,
    "aten.elu.default": elu,
    "aten.hardsigmoid.default": of_operand(activation.sixths),
    "aten.hardswish.default": of_operand(activation.hard_swish),
    "aten.softplus.default": softplus,
    "aten.mish.default": of_operand(activation.mish),
}
