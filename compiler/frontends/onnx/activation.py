"""Activations of ONNX, from ops of the graph dialect."""

from __future__ import annotations

from collections.abc import Callable

from xdsl.ir import SSAValue

from ....dialects.graph import (
    GeluOp,
    LeakyReluOp,
    LtOp,
    MulOp,
    SigmoidOp,
    SiluOp,
    WhereOp,
)
from ....dialects.graph.compose import (
    activation,
    bounds,
    number_like,
    per_channel,
    times,
)
from .node import Handler, Node, Result


def leaky_relu(node: Node) -> Result:
    """The elements with negative ones multiplied by `alpha`."""
    return LeakyReluOp(node.operand(0), slope=node.number("alpha"))


def _parametric_relu(node: Node) -> Result:
    """The elements with negative ones multiplied by a slope tensor."""
    x, slope = node.operands()
    if node.since < 7 and node.rank(1) == 1 and node.rank(0) > 2:
        slope = per_channel(slope, node.rank(0))
    below = LtOp(x, number_like(0, x))
    return WhereOp(below, MulOp(x, slope), x)


def elu(node: Node) -> Result:
    """The exponential linear unit."""
    return activation.exponential_unit(node.operand(0), node.number("alpha"))


def continuous_unit(x: SSAValue, alpha: float) -> SSAValue:
    """Builds the Elu whose slope is one at zero; a Relu where `alpha` is zero."""
    if not alpha:
        return bounds.clamped(x, 0.0, None)
    return activation.exponential_unit(x, alpha, inner=1 / alpha)


def _celu(node: Node) -> Result:
    """
    The Elu whose slope is one at zero. The function of ONNX, which divides by a tensor
    of one axis, would give a number one.
    """
    return continuous_unit(node.operand(0), node.number("alpha"))


def selu(node: Node) -> Result:
    """The scaled exponential linear unit."""
    alpha, gamma = node.number("alpha"), node.number("gamma")
    return activation.exponential_unit(node.operand(0), alpha, gamma)


def hard_sigmoid(node: Node) -> Result:
    """The piecewise linear approximation of the logistic function."""
    factor, term = node.number("alpha"), node.number("beta")
    return activation.hard_sigmoid(node.operand(0), factor, term)


def _swish(node: Node) -> Result:
    """`x` times the logistic function of `alpha * x`."""
    x, alpha = node.operand(0), node.number("alpha")
    return SiluOp(x) if alpha == 1 else MulOp(x, SigmoidOp(times(x, alpha)))


def gelu(node: Node) -> Result:
    """The Gaussian error linear unit, exact or by its approximation with tanh."""
    return GeluOp(node.operand(0), approximate=node.text("approximate"))


def _of_operand(build: Callable[[SSAValue], SSAValue]) -> Handler:
    """The handler of a node that means a function of its operand."""
    return lambda node: build(node.operand(0))


HANDLERS: dict[str, Handler] = {
    "Celu": _celu,
    "Elu": elu,
    "Gelu": gelu,
    "HardSigmoid": hard_sigmoid,
    "HardSwish": _of_operand(activation.hard_swish),
    "LeakyRelu": leaky_relu,
    "Mish": _of_operand(activation.mish),
    "PRelu": _parametric_relu,
    "Selu": selu,
    "Softplus": _of_operand(activation.softplus),
    "Softsign": _of_operand(activation.softsign),
    "Swish": _swish,
    "Tanh": _of_operand(activation.tanh),
}
