"""The exponential of a matrix."""

from __future__ import annotations

from collections.abc import Sequence
from math import factorial

from xdsl.ir import SSAValue

from ...ops.arithmetic import AbsOp
from ...ops.binary import AddOp, MaximumOp, MulOp, SubOp
from ...ops.compare import LtOp
from ...ops.exponential import Exp2Op, Log2Op
from ...ops.matmul import MatmulOp
from ...ops.reduce import ReduceMaxOp, SumOp
from ...ops.rounding import CeilOp
from ...ops.where import WhereOp
from ..number import convert, element_of, number_like, times
from ..shaping import shape_of
from .stepping import stepped
from .triangular import identity

_TERMS = 18
"""The terms of the series that are exact for norms up to one."""

_MOST = 64
"""The most squarings; what needs more has no finite exponential."""


def exponential(x: SSAValue) -> SSAValue:
    """
    Builds the exponential of a stack of matrices of f64.

    Each is halved until its norm is at most one; its series is squared as often.
    """
    stack, size, _ = shape_of(x)
    if size == 0:
        return x
    columns = SumOp(AbsOp(x), axes=(1,), keepdims=True)
    norm = ReduceMaxOp(columns, axes=(2,), keepdims=True).result
    one = number_like(1, x)
    halvings = CeilOp(Log2Op(MaximumOp(norm, one))).result
    scale = Exp2Op(SubOp(number_like(0, x), halvings))
    scaled = MulOp(x, scale).result
    unit = identity(stack, size, element_of(x))
    total = times(unit, 1 / factorial(_TERMS))
    for power in reversed(range(_TERMS)):
        term = times(unit, 1 / factorial(power))
        total = AddOp(MatmulOp(scaled, total), term).result

    def step(
        k: SSAValue, states: Sequence[SSAValue], _: object, captured: Sequence[SSAValue]
    ) -> tuple[list[SSAValue], list[SSAValue]]:
        is_left = LtOp(convert(k, element_of(x)), captured[0])
        square = MatmulOp(states[0], states[0])
        return [WhereOp(is_left, square, states[0]).result], []

    (result,), _ = stepped(_MOST, step, [total], [halvings])
    return result
