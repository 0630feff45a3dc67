"""Where values belong in rows that are sorted."""

from __future__ import annotations

from xdsl.dialects.builtin import i64
from xdsl.ir import SSAValue

from ..ops.binary import AddOp, DivOp, MulOp, SubOp
from ..ops.compare import GeOp, GtOp
from ..ops.gather import GatherOp
from ..ops.logical_not import LogicalNotOp
from ..ops.reduce import SumOp
from .looping import while_any
from .number import convert, number, plus, quantity
from .shaping import expanded, reshaped, shape_of

FEW = 8
"""The most elements of a row that are all compared; more are searched by halves."""


def sorted_places(rows: SSAValue, values: SSAValue, right: bool = False) -> SSAValue:
    """
    Builds the number of elements of each sorted row (`...xK`) that come before each of
    its values (`...xN`), as i64; with `right` also of those that are equal.

    NaN comes last, and so do all that are not below.
    """
    *outer, size = shape_of(rows)
    search = _Search(len(outer), right)
    if isinstance(size, int) and size <= FEW:
        every = reshaped(rows, [*outer, 1, size])
        one = reshaped(values, [*shape_of(values), 1])
        count = convert(search.is_before(every, one), i64)
        return SumOp(count, axes=(len(outer) + 1,), keepdims=False).result
    low = expanded(number(0, i64), shape_of(values))
    if not isinstance(size, int):
        states = [low, quantity(size, i64)]
        low, _ = while_any(search.goes_on, search.step, states, [rows, values])
        return low
    while size:
        half = (size + 1) // 2
        low = search.after(number(half, i64), low, rows, values)
        size -= half
    return low


class _Search:
    """A search in sorted rows, by halves of what is left of them."""

    def __init__(self, axis: int, right: bool):
        """Rows are along an axis; with `right` equal elements come before a value."""
        self.axis = axis
        self.compare = GtOp if right else GeOp

    def is_before(self, elements: SSAValue, values: SSAValue) -> SSAValue:
        """Builds whether elements come before values."""
        return LogicalNotOp(self.compare(elements, values)).result

    def after(
        self, half: SSAValue, low: SSAValue, rows: SSAValue, values: SSAValue
    ) -> SSAValue:
        """
        Builds the places from which on is searched next: a place is one of those left
        after `low`, or behind all of them.
        """
        at = AddOp(low, plus(half, -1)).result
        there = GatherOp(rows, at, axis=self.axis, wraps=False).result
        more = MulOp(convert(self.is_before(there, values), i64), half)
        return AddOp(low, more).result

    def goes_on(self, state: list[SSAValue], _: list[SSAValue]) -> SSAValue:
        """Builds whether any elements are left."""
        return GtOp(state[1], number(0, i64)).result

    def step(self, state: list[SSAValue], captured: list[SSAValue]) -> list[SSAValue]:
        """Builds the state after the greater half of what is left is looked at."""
        low, left = state
        half = DivOp(plus(left, 1), number(2, i64)).result
        return [self.after(half, low, *captured), SubOp(left, half).result]
