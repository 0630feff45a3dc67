"""Sums of numbers that are given by their logarithms."""

from __future__ import annotations

from math import log

from xdsl.ir import SSAValue

from ..ops.arithmetic import AbsOp, NegOp
from ..ops.binary import AddOp, MaximumOp, SubOp
from ..ops.compare import EqOp
from ..ops.exponential import ExpOp, Log1pOp
from ..ops.where import WhereOp
from .number import plus


def log_of_sum(a: SSAValue, b: SSAValue) -> SSAValue:
    """
    Builds `log(exp(a) + exp(b))` without an overflow; equal infinities are themselves.
    """
    greater = MaximumOp(a, b).result
    apart = NegOp(AbsOp(SubOp(a, b)))
    more = AddOp(greater, Log1pOp(ExpOp(apart)))
    return WhereOp(EqOp(a, b), plus(greater, log(2)), more).result
