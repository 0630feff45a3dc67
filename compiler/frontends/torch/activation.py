"""Activations with parameters, and those that are made of several ops."""

from __future__ import annotations

from xdsl.ir import SSAValue

from ....dialects.graph.ops.activation import GeluOp, LeakyReluOp
from ....dialects.graph.ops.binary import AddOp, DivOp, MaximumOp, MinimumOp, MulOp
from ....dialects.graph.ops.clamp import ClampOp
from ....dialects.graph.ops.compare import GtOp
from ....dialects.graph.ops.exponential import Expm1Op, ExpOp, Log1pOp
from ....dialects.graph.ops.where import WhereOp
from .call import Call, Reader, Result, number_like


def gelu(call: Call, x: SSAValue, approximate: str = "none") -> Result:
    """The Gaussian error linear unit."""
    return GeluOp(x, approximate=approximate).result


def leaky_relu(call: Call, x: SSAValue, slope: float) -> Result:
    """The numbers with the negative ones multiplied by `slope`."""
    return LeakyReluOp(x, slope=float(slope)).result


def elu(
    call: Call, x: SSAValue, alpha: float, scale: float, input_scale: float
) -> Result:
    """`scale * x` above zero, `scale * alpha * (exp(input_scale * x) - 1)` below."""
    zero = number_like(0, x)
    below = MulOp(MinimumOp(x, zero), number_like(input_scale, x))
    curve = MulOp(Expm1Op(below), number_like(alpha * scale, x))
    above = MulOp(MaximumOp(x, zero), number_like(scale, x))
    return AddOp(above, curve).result


def sixth(x: SSAValue) -> SSAValue:
    """`x + 3`, between 0 and 6."""
    return ClampOp(AddOp(x, number_like(3, x)), min=0.0, max=6.0).result


def hardsigmoid(call: Call, x: SSAValue) -> Result:
    """A sixth of `x + 3`, between 0 and 1."""
    return DivOp(sixth(x), number_like(6, x)).result


def hardswish(call: Call, x: SSAValue) -> Result:
    """The numbers times their `hardsigmoid`."""
    return DivOp(MulOp(x, sixth(x)), number_like(6, x)).result


def softplus(call: Call, x: SSAValue, beta: float, threshold: float) -> Result:
    """`log(1 + exp(beta * x)) / beta`, or `x` where `beta * x` is above `threshold`."""
    steep = number_like(beta, x)
    product = MulOp(x, steep)
    bounded = MinimumOp(product, number_like(threshold, x))
    curve = DivOp(Log1pOp(ExpOp(bounded)), steep)
    return WhereOp(GtOp(product, number_like(threshold, x)), x, curve).result


READERS: dict[str, Reader] = {
    "aten.gelu.default": gelu,
    "aten.leaky_relu.default": leaky_relu,
    "aten.elu.default": elu,
    "aten.hardsigmoid.default": hardsigmoid,
    "aten.hardswish.default": hardswish,
    "aten.softplus.default": softplus,
}
