"""Lengths of the kind that ONNX calls Lp: roots of sums of powers."""

from __future__ import annotations

from xdsl.ir import SSAValue

from ....dialects.graph.ops.arithmetic import AbsOp, SqrtOp
from ....dialects.graph.ops.binary import MulOp, PowOp
from ....dialects.shape import tensor_type
from .expression import number
from .node import Node


def length_power(node: Node) -> float:
    """The power of a node, which is an integer, or a float in the first opsets."""
    found = node.attribute("p")
    assert found is not None, "the power has a default"
    power = found.f if found.type == found.FLOAT else float(found.i)
    if power <= 0:
        raise node.error(f"expected a power above zero, got {power}")
    return power


def raised(x: SSAValue, power: float) -> SSAValue:
    """Builds the magnitudes to a power."""
    if power == 2:
        return MulOp(x, x).result
    magnitudes = AbsOp(x).result
    if power == 1:
        return magnitudes
    return PowOp(magnitudes, number(power, tensor_type(x))).result


def root(total: SSAValue, power: float) -> SSAValue:
    """Builds the root that takes a power back."""
    if power == 1:
        return total
    if power == 2:
        return SqrtOp(total).result
    return PowOp(total, number(1 / power, tensor_type(total))).result
