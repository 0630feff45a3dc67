"""Elementwise ops of ONNX that are more than one op of the graph dialect."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf

import numpy as np
from xdsl.ir import SSAValue

from ....dialects import ELEMENTS, dtype
from ....dialects.graph import (
    AddOp,
    BinaryOp,
    DivOp,
    EqOp,
    LogicalXorOp,
    MaximumOp,
    MinimumOp,
    ModOp,
    PowOp,
    RemOp,
    ShiftLeftOp,
    ShiftRightOp,
)
from ....dialects.graph.compose import (
    bounds,
    convert,
    near_power,
    number_like,
)
from .node import Handler, Node, Result


def _combined(values: Sequence[SSAValue], op: type[BinaryOp]) -> SSAValue:
    """Builds the combination of one or more tensors, from the left."""
    result, *rest = values
    for each in rest:
        result = op(result, each).result
    return result


def _variadic(op: type[BinaryOp]) -> Handler:
    """The handler of an op that combines any number of tensors."""
    return lambda node: _combined(node.operands(), op)


def mean(node: Node) -> Result:
    """The mean of several tensors."""
    total, count = _combined(node.operands(), AddOp), len(node.values)
    return DivOp(total, number_like(count, total)) if count > 1 else total


def clip(node: Node) -> Result:
    """The elements clamped to the given bounds."""
    x = node.operand(0)
    if "min" in node.signature.attributes:
        return bounds.clamped(x, *(_bound(node, name) for name in ("min", "max")))
    given = [each for each in (1, 2) if node.has(each)]
    low, high = (node.scalar(each) if each in given else None for each in (1, 2))
    known = (low is not None) + (high is not None) == len(given)
    if known and all(bounds.is_bound(each) for each in (low, high)):
        return bounds.clamped(x, low, high)
    return bounds.between(
        x, *(node.operand(at) if at in given else None for at in (1, 2))
    )


def _bound(node: Node, name: str) -> float | None:
    """The bound in an attribute; None for the limit of the float type."""
    value = node.number(name)
    return value if abs(value) < float(np.finfo(np.float32).max) else None


def power(node: Node) -> Result:
    """The input to the power of a tensor, in elements of the input's type."""
    x, own = node.operand(0), node.type(0)
    known = node.known_input(1)
    if known is not None and known.array.size == 1 and known.array.ndim <= node.rank(0):
        exponent = node.scalar(1)
        if exponent is not None and (near := near_power(x, exponent)) is not None:
            return near
    to = ELEMENTS[np.result_type(dtype(own), dtype(node.type(1)))]
    raised = PowOp(convert(x, to), convert(node.operand(1), to)).result
    return convert(raised, own.element_type)


def _modulo(node: Node) -> Result:
    """The remainder, with the sign of the divisor or of the dividend."""
    return (RemOp if node.flag("fmod") else ModOp)(*node.operands())


def _bit_shift(node: Node) -> Result:
    """The bits of integers shifted to lower or to higher positions."""
    match node.text("direction"):
        case "LEFT":
            return ShiftLeftOp(*node.operands())
        case "RIGHT":
            return ShiftRightOp(*node.operands())
        case other:
            raise node.error(f"expected a direction of LEFT or RIGHT, got {other!r}")


def _is_nan(node: Node) -> Result:
    """Whether each element is NaN."""
    return bounds.is_nan(node.operand(0))


def _is_inf(node: Node) -> Result:
    """Whether each element is infinite, of one sign or of both."""
    x = node.operand(0)
    match node.flag("detect_negative"), node.flag("detect_positive"):
        case True, True:
            return bounds.is_infinite(x)
        case False, False:
            return LogicalXorOp(EqOp(x, x), EqOp(x, x))
        case negative, _:
            return EqOp(x, number_like(-inf if negative else inf, x))


HANDLERS: dict[str, Handler] = {
    "BitShift": _bit_shift,
    "Clip": clip,
    "IsInf": _is_inf,
    "IsNaN": _is_nan,
    "Max": _variadic(MaximumOp),
    "Mean": mean,
    "Min": _variadic(MinimumOp),
    "Mod": _modulo,
    "Pow": power,
    "Sum": _variadic(AddOp),
}
