"""Greatest common divisors and least common multiples of integers."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import SSAValue

from ...ops.arithmetic import AbsOp
from ...ops.binary import DivOp, MulOp
from ...ops.compare import EqOp, NeOp
from ...ops.division import RemOp
from ...ops.where import WhereOp
from ..looping import while_any
from ..number import number_like


def common_divisor(a: SSAValue, b: SSAValue) -> SSAValue:
    """Builds the greatest common divisors, by division; of zeros it is zero."""
    found, _ = while_any(_has_rest, _divided, [_size(a), _size(b)])
    return found


def common_multiple(a: SSAValue, b: SSAValue) -> SSAValue:
    """Builds the least common multiples; of a zero it is zero."""
    divisor = common_divisor(a, b)
    none = EqOp(divisor, number_like(0, divisor))
    by = WhereOp(none, number_like(1, divisor), divisor)
    return _size(MulOp(DivOp(a, by), b).result)


def _size(x: SSAValue) -> SSAValue:
    return AbsOp(x).result


def _has_rest(state: list[SSAValue], _: Sequence[SSAValue]) -> SSAValue:
    """Which elements are still divided."""
    return NeOp(state[1], number_like(0, state[1])).result


def _divided(state: list[SSAValue], _: Sequence[SSAValue]) -> list[SSAValue]:
    """The divisor and the rest in the place of both numbers."""
    a, b = state
    done = EqOp(b, number_like(0, b)).result
    by = WhereOp(done, number_like(1, b), b).result
    rest = RemOp(a, by).result
    return [
        WhereOp(done, a, b).result,
        WhereOp(done, b, rest).result,
    ]
