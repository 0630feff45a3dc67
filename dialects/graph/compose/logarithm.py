"""Sums of numbers that are given by their logarithms."""

from __future__ import annotations

from math import inf, log

from xdsl.dialects.builtin import i64
from xdsl.ir import SSAValue

from ..ops.arithmetic import AbsOp, NegOp
from ..ops.binary import AddOp, MaximumOp, SubOp
from ..ops.compare import EqOp, GeOp, LtOp
from ..ops.exponential import ExpOp, Log1pOp
from ..ops.index_select import IndexSelectOp
from ..ops.where import WhereOp
from .counting import counted
from .looping import while_any
from .number import number, number_like, plus, quantity
from .parts import joined, part
from .shaping import along, expanded, shape_of


def log_of_sum(a: SSAValue, b: SSAValue) -> SSAValue:
    """
    Builds `log(exp(a) + exp(b))` without an overflow; equal infinities are themselves.
    """
    greater = MaximumOp(a, b).result
    apart = NegOp(AbsOp(SubOp(a, b)))
    more = AddOp(greater, Log1pOp(ExpOp(apart)))
    return WhereOp(EqOp(a, b), plus(greater, log(2)), more).result


def logs_of_sums(x: SSAValue, axis: int) -> SSAValue:
    """
    Builds the logarithm of the sum of the exponentials so far along an axis.

    After a step each element has those of twice as many elements.
    """
    shape = shape_of(x)
    size, reach = shape[axis], 1
    if not isinstance(size, int):
        return _logs_of_open_sums(x, axis)
    while reach < size:
        wide = [*shape[:axis], reach, *shape[axis + 1 :]]
        none = expanded(number_like(-inf, x), wide)
        x = log_of_sum(x, joined([none, part(x, axis, 0, size - reach)], axis))
        reach *= 2
    return x


def _logs_of_open_sums(x: SSAValue, axis: int) -> SSAValue:
    """Builds what `logs_of_sums` does, along an axis of open size, by a loop."""
    rank, size = len(shape_of(x)), shape_of(x)[axis]

    def goes_on(state: list[SSAValue], _: list[SSAValue]) -> SSAValue:
        return LtOp(state[1], quantity(size, i64)).result

    def step(state: list[SSAValue], _: list[SSAValue]) -> list[SSAValue]:
        found, reach = state
        places = counted(size, 0, 1)
        at = MaximumOp(SubOp(places, reach), number(0, i64)).result
        before = IndexSelectOp(found, at, axis=axis, wraps=False).result
        is_there = along(GeOp(places, reach).result, axis, rank)
        before = WhereOp(is_there, before, number_like(-inf, found)).result
        return [log_of_sum(found, before), AddOp(reach, reach).result]

    found, _ = while_any(goes_on, step, [x, number(1, i64)])
    return found
