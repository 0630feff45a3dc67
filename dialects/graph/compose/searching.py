"""Where values belong in rows that are sorted."""

from __future__ import annotations

from xdsl.dialects.builtin import i64
from xdsl.ir import SSAValue

from ..ops.binary import AddOp
from ..ops.compare import GeOp, GtOp
from ..ops.gather import GatherOp
from ..ops.logical_not import LogicalNotOp
from ..ops.reduce import SumOp
from .number import convert, number, plus, times
from .shaping import expanded, reshaped, shape_of

FEW = 8
"""The most elements of a row that are all compared; more are searched by halves."""


def sorted_places(rows: SSAValue, values: SSAValue, right: bool = False) -> SSAValue:
    """
    Builds the number of elements of each sorted row (`...xK`, K a number) that come
    before each of its values (`...xN`), as i64; with `right` also of those that are
    equal.

    NaN comes last, and so do all that are not below.
    """
    *outer, size = shape_of(rows)
    assert isinstance(size, int), "the steps of a search are counted"
    compare = GtOp if right else GeOp
    if size <= FEW:
        every = reshaped(rows, [*outer, 1, size])
        one = reshaped(values, [*shape_of(values), 1])
        before = LogicalNotOp(compare(every, one))
        count = convert(before.result, i64)
        return SumOp(count, axes=(len(outer) + 1,), keepdims=False).result
    low = expanded(number(0, i64), shape_of(values))
    # The place is one of `size` after `low`, or behind all of them.
    while size:
        half = (size + 1) // 2
        at = plus(low, half - 1)
        there = GatherOp(rows, at, axis=len(outer), wraps=False)
        is_before = LogicalNotOp(compare(there, values)).result
        low = AddOp(low, times(convert(is_before, i64), half)).result
        size -= half
    return low
