"""Lp norms: roots of sums of powers of magnitudes."""

from __future__ import annotations

from math import inf

from xdsl.ir import SSAValue

from ..ops.arithmetic import AbsOp, SqrtOp
from ..ops.binary import MulOp, PowOp
from ..ops.compare import NeOp
from ..ops.reduce import ReduceMaxOp, ReduceMinOp, SumOp
from .number import convert, element_of, number_like


def raised(x: SSAValue, power: float) -> SSAValue:
    """Builds the magnitudes raised to a power."""
    if power == 2:
        return MulOp(x, x).result
    magnitudes = AbsOp(x).result
    if power == 1:
        return magnitudes
    return PowOp(magnitudes, number_like(power, x)).result


def root(total: SSAValue, power: float) -> SSAValue:
    """Builds the root that inverts a power."""
    if power == 1:
        return total
    if power == 2:
        return SqrtOp(total).result
    return PowOp(total, number_like(1 / power, total)).result


def length(
    x: SSAValue, power: float, axes: tuple[int, ...], keepdims: bool
) -> SSAValue:
    """
    Builds the Lp norm along axes: for p = 0 the number of nonzero elements, for
    infinite p the greatest or the least magnitude.
    """
    how = {"axes": axes, "keepdims": keepdims}
    if power == 0:
        is_there = NeOp(x, number_like(0, x)).result
        return SumOp(convert(is_there, element_of(x)), **how).result
    if abs(power) == inf:
        extreme = ReduceMaxOp if power > 0 else ReduceMinOp
        return extreme(AbsOp(x), **how).result
    return root(SumOp(raised(x, power), **how).result, power)
