"""Activations of ONNX, from ops of the graph dialect."""

from __future__ import annotations

from xdsl.ir import SSAValue

from ....dialects.graph.literal import to_names
from ....dialects.graph.ops.activation import (
    GeluOp,
    LeakyReluOp,
    ReluOp,
    SigmoidOp,
    SiluOp,
)
from ....dialects.graph.ops.arithmetic import AbsOp, NegOp
from ....dialects.graph.ops.binary import AddOp, DivOp, MulOp
from ....dialects.graph.ops.clamp import ClampOp
from ....dialects.graph.ops.compare import GtOp, LtOp
from ....dialects.graph.ops.exponential import Expm1Op, ExpOp, Log1pOp
from ....dialects.graph.ops.hyperbolic import TanhOp
from ....dialects.graph.ops.reshape import ReshapeOp
from ....dialects.graph.ops.where import WhereOp
from ....dialects.shape import tensor_type
from .expression import number, plus, times
from .node import Handler, Node, Result


def leaky_relu(node: Node) -> Result:
    """The numbers, the negative ones times `alpha`."""
    return LeakyReluOp(node.operand(0), slope=node.number("alpha"))


def parametric_relu(node: Node) -> Result:
    """The numbers, the negative ones times a slope each."""
    x, slope = node.operands()
    if node.since < 7 and node.rank(1) == 1 and node.rank(0) > 2:
        per_channel = [*node.shape(1), *(1 for _ in node.shape(0)[2:])]
        slope = ReshapeOp(slope, shape=to_names(per_channel)).result
    below = LtOp(x, number(0, node.type(0)))
    return WhereOp(below, MulOp(x, slope), x)


def exponential_unit(x: SSAValue, alpha: float) -> SSAValue:
    """Builds the numbers, the negative ones as `alpha * (exp(x) - 1)`."""
    above = GtOp(x, number(0, tensor_type(x)))
    return WhereOp(above, x, times(Expm1Op(x).result, alpha)).result


def elu(node: Node) -> Result:
    """The exponential linear unit."""
    return exponential_unit(node.operand(0), node.number("alpha"))


def selu(node: Node) -> Result:
    """The scaled exponential linear unit."""
    unit = exponential_unit(node.operand(0), node.number("alpha"))
    return times(unit, node.number("gamma"))


def linear_step(x: SSAValue, alpha: float, beta: float) -> SSAValue:
    """Builds `alpha * x + beta` held between zero and one."""
    return ClampOp(plus(times(x, alpha), beta), min=0.0, max=1.0).result


def hard_sigmoid(node: Node) -> Result:
    """The logistic function as a line between two steps."""
    return linear_step(node.operand(0), node.number("alpha"), node.number("beta"))


def hard_swish(node: Node) -> Result:
    """The number times its logistic function as a line between two steps."""
    x = node.operand(0)
    return MulOp(x, linear_step(x, 1 / 6, 0.5))


def swish(node: Node) -> Result:
    """The number times the logistic function of `alpha` times it."""
    x, alpha = node.operand(0), node.number("alpha")
    return SiluOp(x) if alpha == 1 else MulOp(x, SigmoidOp(times(x, alpha)))


def rounded_ramp(x: SSAValue) -> SSAValue:
    """Builds `log(1 + exp(x))`, without infinity for a large number."""
    tail = Log1pOp(ExpOp(NegOp(AbsOp(x))))
    return AddOp(ReluOp(x), tail).result


def softplus(node: Node) -> Result:
    """The logarithm of one plus the exponential."""
    return rounded_ramp(node.operand(0))


def softsign(node: Node) -> Result:
    """The number divided by one plus its magnitude."""
    x = node.operand(0)
    return DivOp(x, plus(AbsOp(x).result, 1))


def mish(node: Node) -> Result:
    """The number times the hyperbolic tangent of its softplus."""
    x = node.operand(0)
    return MulOp(x, TanhOp(rounded_ramp(x)))


def gelu(node: Node) -> Result:
    """The Gaussian error linear unit, exact or by its approximation with tanh."""
    return GeluOp(node.operand(0), approximate=node.text("approximate"))


HANDLERS: dict[str, Handler] = {
    "Elu": elu,
    "Gelu": gelu,
    "HardSigmoid": hard_sigmoid,
    "HardSwish": hard_swish,
    "LeakyRelu": leaky_relu,
    "Mish": mish,
    "PRelu": parametric_relu,
    "Selu": selu,
    "Softplus": softplus,
    "Softsign": softsign,
    "Swish": swish,
}
