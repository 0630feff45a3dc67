"""ONNX ops on each element by itself that are more than one op of the graph dialect."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import inf

import numpy as np
from xdsl.ir import SSAValue

from ....dialects.graph.families.elementwise import BinaryOp
from ....dialects.graph.ops.arithmetic import AbsOp, ReciprocalOp, RsqrtOp, SqrtOp
from ....dialects.graph.ops.binary import (
    AddOp,
    DivOp,
    MaximumOp,
    MinimumOp,
    MulOp,
    PowOp,
)
from ....dialects.graph.ops.bitcast import BitcastOp
from ....dialects.graph.ops.bitwise import ShiftLeftOp, ShiftRightOp
from ....dialects.graph.ops.clamp import ClampOp
from ....dialects.graph.ops.compare import EqOp, NeOp
from ....dialects.graph.ops.division import ModOp, RemOp
from ....dialects.graph.ops.logical import LogicalXorOp
from ....dialects.shape import ELEMENTS, Tensor, dtype, is_float
from .element import element
from .expression import convert, number
from .node import Handler, Node, Result


def combined(values: Sequence[SSAValue], op: type[BinaryOp]) -> SSAValue:
    """Builds the combination of one tensor or more, two by two."""
    result, *rest = values
    for each in rest:
        result = op(result, each).result
    return result


def variadic(op: type[BinaryOp]) -> Handler:
    """The handler of an op that combines any number of tensors."""
    return lambda node: combined(node.operands(), op)


def mean(node: Node) -> Result:
    """The mean of several tensors."""
    total, count = combined(node.operands(), AddOp), len(node.values)
    return DivOp(total, number(count, node.type(0))) if count > 1 else total


def cast(node: Node) -> Result:
    """The input with elements of another type."""
    return convert(node.operand(0), element(node.integer("to")))


def cast_like(node: Node) -> Result:
    """The first input with elements of the type of the second."""
    return convert(node.operand(0), node.element(1))


def clip(node: Node) -> Result:
    """The numbers, none below a least and none above a greatest, where given."""
    x, type = node.operand(0), node.type(0)
    if "min" in node.signature.attributes:
        return clamp(x, *(_bound(node, name) for name in ("min", "max")))
    low, high = (node.scalar(each) if node.has(each) else None for each in (1, 2))
    missing = [each for each in (1, 2) if not node.has(each)]
    known = len(missing) + (low is not None) + (high is not None) == 2
    if known and all(_is_exact(each, type) for each in (low, high)):
        return clamp(x, low, high)
    if node.has(1):
        x = MaximumOp(x, node.operand(1)).result
    return MinimumOp(x, node.operand(2)) if node.has(2) else x


def _bound(node: Node, name: str) -> float | None:
    """The bound that an attribute says, None for the limit of the numbers there are."""
    value = node.number(name)
    return value if abs(value) < float(np.finfo(np.float32).max) else None


def _is_exact(value: float | None, type: Tensor) -> bool:
    """Whether a number survives as the float that `graph.clamp` holds it in."""
    return value is None or is_float(type) or abs(value) <= 1 << 53


def clamp(x: SSAValue, low: float | None, high: float | None) -> Result:
    """Builds `x` held between two numbers, where given."""
    bounds = {"min": low, "max": high}
    given = {name: float(each) for name, each in bounds.items() if each is not None}
    return ClampOp(x, **given) if given else x


def square(x: SSAValue) -> SSAValue:
    """Builds `x` times itself."""
    return MulOp(x, x).result


POWERS: dict[float, Callable[[SSAValue], SSAValue]] = {
    0.5: lambda x: SqrtOp(x).result,
    -0.5: lambda x: RsqrtOp(x).result,
    -1.0: lambda x: ReciprocalOp(x).result,
    1.0: lambda x: x,
    2.0: square,
    3.0: lambda x: MulOp(square(x), x).result,
    4.0: lambda x: square(square(x)),
}
"""Powers that take no logarithm, by their exponent."""


def power(node: Node) -> Result:
    """The input to the power of a tensor, in elements of the input's type."""
    x, own = node.operand(0), node.type(0)
    known = node.known(1)
    if known is not None and known.array.size == 1 and known.array.ndim <= node.rank(0):
        exponent = node.scalar(1)
        is_near = exponent is not None and (exponent >= 1 or is_float(own))
        if is_near and exponent in POWERS:
            return POWERS[exponent](x)
    to = ELEMENTS[np.result_type(dtype(own), dtype(node.type(1)))]
    raised = PowOp(convert(x, to), convert(node.operand(1), to)).result
    return convert(raised, own.element_type)


def modulo(node: Node) -> Result:
    """What a division leaves, with the sign of the divisor or that of the dividend."""
    return (RemOp if node.flag("fmod") else ModOp)(*node.operands())


def bit_shift(node: Node) -> Result:
    """The bits of integers moved to lower or to higher places."""
    match node.text("direction"):
        case "LEFT":
            return ShiftLeftOp(*node.operands())
        case "RIGHT":
            return ShiftRightOp(*node.operands())
        case other:
            raise node.error(f"expected a direction of LEFT or RIGHT, got {other!r}")


def bit_cast(node: Node) -> Result:
    """The bits of the input as elements of another type."""
    return BitcastOp(node.operand(0), to=element(node.integer("to")))


def is_nan(node: Node) -> Result:
    """Whether each element is not a number."""
    return NeOp(node.operand(0), node.operand(0))


def is_inf(node: Node) -> Result:
    """Whether each element is infinite, of one sign or of both."""
    x, type = node.operand(0), node.type(0)
    match node.flag("detect_negative"), node.flag("detect_positive"):
        case True, True:
            return EqOp(AbsOp(x), number(inf, type))
        case False, False:
            return LogicalXorOp(EqOp(x, x), EqOp(x, x))
        case negative, _:
            return EqOp(x, number(-inf if negative else inf, type))


HANDLERS: dict[str, Handler] = {
    "BitCast": bit_cast,
    "BitShift": bit_shift,
    "Cast": cast,
    "CastLike": cast_like,
    "Clip": clip,
    "IsInf": is_inf,
    "IsNaN": is_nan,
    "Max": variadic(MaximumOp),
    "Mean": mean,
    "Min": variadic(MinimumOp),
    "Mod": modulo,
    "Pow": power,
    "Sum": variadic(AddOp),
}
