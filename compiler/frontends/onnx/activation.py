"""Activations of ONNX, from ops of the graph dialect."""

from __future__ import annotations

from ....dialects.graph import (
    GeluOp,
    LeakyReluOp,
    LtOp,
    MulOp,
    SigmoidOp,
    SiluOp,
    WhereOp,
)
from ....dialects.graph.compose import activation, number_like, per_channel, times
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


def selu(node: Node) -> Result:
    """The scaled exponential linear unit."""
    alpha, gamma = node.number("alpha"), node.number("gamma")
    return activation.exponential_unit(node.operand(0), alpha, gamma)


def hard_sigmoid(node: Node) -> Result:
    """The piecewise linear approximation of the logistic function."""
    factor, term = node.number("alpha"), node.number("beta")
    return activation.hard_sigmoid(node.operand(0), factor, term)


def _hard_swish(node: Node) -> Result:
    """The element times its hard sigmoid."""
    return activation.hard_swish(node.operand(0))


def _swish(node: Node) -> Result:
    """`x` times the logistic function of `alpha * x`."""
    x, alpha = node.operand(0), node.number("alpha")
    return SiluOp(x) if alpha == 1 else MulOp(x, SigmoidOp(times(x, alpha)))


def softplus(node: Node) -> Result:
    """The logarithm of one plus the exponential."""
    return activation.softplus(node.operand(0))


def softsign(node: Node) -> Result:
    """`x / (1 + abs(x))`."""
    return activation.softsign(node.operand(0))


def mish(node: Node) -> Result:
    """`x` times the hyperbolic tangent of its softplus."""
    return activation.mish(node.operand(0))


def _tanh(node: Node) -> Result:
    """The hyperbolic tangent; of a softplus, as in a Mish written out, in fewer ops."""
    return activation.tanh(node.operand(0))


def gelu(node: Node) -> Result:
    """The Gaussian error linear unit, exact or by its approximation with tanh."""
    return GeluOp(node.operand(0), approximate=node.text("approximate"))


HANDLERS: dict[str, Handler] = {
    "Elu": elu,
    "Gelu": gelu,
    "HardSigmoid": hard_sigmoid,
    "HardSwish": _hard_swish,
    "LeakyRelu": leaky_relu,
    "Mish": mish,
    "PRelu": _parametric_relu,
    "Selu": selu,
    "Softplus": softplus,
    "Softsign": softsign,
    "Swish": _swish,
    "Tanh": _tanh,
}
