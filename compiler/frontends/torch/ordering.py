"""Operators that sort elements, and running extremes with their indices."""

from __future__ import annotations

from math import nan

from xdsl.dialects.builtin import i64
from xdsl.ir import SSAValue

from ....dialects import Dim, normalize_axis, product, sizes
from ....dialects.graph import (
    CummaxOp,
    CumminOp,
    CumulativeOp,
    DivOp,
    EqOp,
    GatherOp,
    LogicalOrOp,
    LtOp,
    MaximumOp,
    NeOp,
    SortOp,
    SumOp,
    TopkOp,
    WhereOp,
)
from ....dialects.graph.compose import (
    convert,
    counted,
    number,
    part,
    plus,
    quantity,
    reshaped,
    shape_of,
)
from .call import Call, Reader, Result


def sort(
    call: Call, value: SSAValue, axis: int = -1, descending: bool = False
) -> Result:
    """The elements sorted along an axis, and their indices."""
    if not shape_of(value):
        return [value, number(0, i64)]
    return SortOp(value, axis=axis, descending=descending).results


def _stable_sort(
    call: Call,
    value: SSAValue,
    stable: bool | None,
    axis: int = -1,
    descending: bool = False,
) -> Result:
    """`sort` with a flag for stability, as the sort is always stable."""
    return sort(call, value, axis, descending)


def topk(
    call: Call,
    value: SSAValue,
    k: Dim,
    axis: int = -1,
    largest: bool = True,
    *_: object,
) -> Result:
    """The greatest or least elements along an axis, in order, and their indices."""
    row = value if shape_of(value) else reshaped(value, [1])
    found = TopkOp(row, axis=axis, k=str(k), largest=largest).results
    return [
        reshaped(each, sizes(type))
        for each, type in zip(found, call.types, strict=True)
    ]


def _kth_value(
    call: Call, value: SSAValue, k: int, axis: int = -1, keepdims: bool = False
) -> Result:
    """The k-th least element along an axis, and its index."""
    shape = shape_of(value)
    row = value if shape else reshaped(value, [1])
    place = normalize_axis(axis, len(shape_of(row)))
    least = SortOp(row, axis=place, descending=False).results
    return [
        reshaped(part(each, place, k - 1, 1), sizes(type))
        for each, type in zip(least, call.types, strict=True)
    ]


def _extreme_so_far(op: type[CumulativeOp]) -> Reader:
    """The reader of running extremes along an axis, and of their last indices."""

    def read(call: Call, value: SSAValue, axis: int) -> Result:
        shape = shape_of(value)
        if not shape:
            return [value, number(0, i64)]
        place = normalize_axis(axis, len(shape))
        found = op(value, axis=place).result
        is_found = LogicalOrOp(EqOp(value, found), NeOp(value, value))
        places = counted(shape[place], place, len(shape))
        last = WhereOp(is_found, places, number(0, i64))
        return [found, CummaxOp(last, axis=place).result]

    return read


def _middle(ignores_nan: bool) -> Reader:
    """
    The reader of the median along an axis, and its place: the lower of two.

    It is NaN where an element is, or, with `ignores_nan`, that of the others.
    """

    def read(call: Call, x: SSAValue, axis: int = -1, keepdims: bool = False) -> Result:
        row = x if shape_of(x) else reshaped(x, [1])
        shape = shape_of(row)
        place = normalize_axis(axis, len(shape))
        ordered, indices = SortOp(row, axis=place, descending=False).results
        at = _place_of_middle(row, ordered, place, ignores_nan)
        return [
            reshaped(GatherOp(each, at, axis=place, wraps=False).result, sizes(type))
            for each, type in zip((ordered, indices), call.types, strict=True)
        ]

    return read


def _place_of_middle(
    row: SSAValue, ordered: SSAValue, axis: int, ignores_nan: bool
) -> SSAValue:
    """Where the median is in a sorted row, in which NaN comes last."""
    how = {"axes": (axis,), "keepdims": True}
    is_number = convert(EqOp(row, row).result, i64)
    numbers = SumOp(is_number, **how).result
    count = quantity(shape_of(row)[axis], i64)
    below = MaximumOp(plus(numbers if ignores_nan else count, -1), number(0, i64))
    middle = DivOp(below, number(2, i64)).result
    if ignores_nan:
        return middle
    # The first NaN comes after all numbers.
    return WhereOp(LtOp(numbers, count), numbers, middle).result


def _middle_of_all(ignores_nan: bool) -> Reader:
    """The reader of the median of all elements; NaN of none."""

    def read(call: Call, x: SSAValue) -> Result:
        count = product(shape_of(x))
        if count == 0:
            return number(nan, call.element)
        row = reshaped(x, [count])
        ordered = SortOp(row, axis=0, descending=False).results[0]
        at = _place_of_middle(row, ordered, 0, ignores_nan)
        return reshaped(GatherOp(ordered, at, axis=0, wraps=False).result, ())

    return read


READERS: dict[str, Reader] = {
    "aten.median.dim": _middle(ignores_nan=False),
    "aten.nanmedian.dim": _middle(ignores_nan=True),
    "aten.median.default": _middle_of_all(ignores_nan=False),
    "aten.nanmedian.default": _middle_of_all(ignores_nan=True),
    "aten.sort.default": sort,
    "aten.sort.stable": _stable_sort,
    "aten.topk.default": topk,
    "aten.kthvalue.default": _kth_value,
    "aten.cummax.default": _extreme_so_far(CummaxOp),
    "aten.cummin.default": _extreme_so_far(CumminOp),
}
