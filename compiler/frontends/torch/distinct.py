"""Operators that find which elements there are, and which is there most often."""

from __future__ import annotations

from typing import Any

from xdsl.dialects.builtin import i64
from xdsl.ir import SSAValue

from ....dialects import normalize_axis, product, sizes
from ....dialects.graph import (
    ArgmaxOp,
    CummaxOp,
    CumsumOp,
    EqOp,
    GatherOp,
    IndexSelectOp,
    LogicalOrOp,
    NeOp,
    SortOp,
    SubOp,
    WhereOp,
)
from ....dialects.graph.compose import (
    convert,
    counted,
    distinct,
    joined,
    number,
    part,
    permuted,
    plus,
    reshaped,
    shape_of,
)
from ..unsupported import Varies
from .call import Call, Reader, Result
from .data_dependent import places
from .pooling import is_used

_MOST_COLUMNS = 256
"""The most elements of a slice; slices are sorted by each of them."""


def _of_rows(
    call: Call, x: SSAValue, rows: SSAValue, axis: int, is_sorted: bool
) -> list[SSAValue | None]:
    """
    The different slices of a tensor along an axis, where each slice is a row; the
    number of each among them, and how often it is there.
    """
    length, columns = shape_of(rows)
    if not isinstance(columns, int) or columns > _MOST_COLUMNS:
        why = f"slices of {columns} elements, not of {_MOST_COLUMNS} at most"
        raise Varies(why, columns)
    order = counted(length, 0, 1) if is_sorted else distinct.order_of_rows(rows)
    table = rows if is_sorted else distinct.rows_at(rows, order)
    is_new = distinct.is_new(table, nan_is_one=False)
    found: Any = call.node.meta["val"][0]
    begins = places(call, is_new, found.shape[axis])
    count = shape_of(begins)[0]
    first = distinct.rows_at(order, reshaped(begins, [count]))
    values = IndexSelectOp(x, first, axis=axis, wraps=False).result
    group = plus(CumsumOp(convert(is_new, i64), axis=0).result, -1)
    inverse = counts = None
    if is_used(call, 1):
        inverse = distinct.scattered(length, order, group)
    if is_used(call, 2):
        counts = distinct.occurrences(count, group)
    return [values, inverse, counts]


def _flat(call: Call, x: SSAValue, is_sorted: bool) -> Result:
    """The different elements of a tensor, which each is, and how often it is there."""
    size = product(shape_of(x))
    row = reshaped(x, [size])
    values, inverse, counts = _of_rows(call, row, reshaped(x, [size, 1]), 0, is_sorted)
    if inverse is not None:
        inverse = reshaped(inverse, shape_of(x))
    return [values, inverse, counts]


def _along(call: Call, x: SSAValue, axis: int, is_sorted: bool) -> Result:
    """The different slices along an axis, which each is, and how often it is there."""
    shape = shape_of(x)
    place = normalize_axis(axis, len(shape))
    front = [place, *(each for each in range(len(shape)) if each != place)]
    width = product(shape[each] for each in front[1:])
    rows = reshaped(permuted(x, front), [shape[place], width])
    return _of_rows(call, x, rows, place, is_sorted)


def _unique(call: Call, x: SSAValue, *_: object) -> Result:
    """The different elements in order."""
    return _flat(call, x, is_sorted=False)


def _unique_along(call: Call, x: SSAValue, axis: int, *_: object) -> Result:
    """The different slices in order."""
    return _along(call, x, axis, is_sorted=False)


def _unique_beside(
    call: Call,
    x: SSAValue,
    return_inverse: bool = False,
    return_counts: bool = False,
    axis: int | None = None,
) -> Result:
    """The elements, or slices, that differ from the one before."""
    if axis is None:
        return _flat(call, x, is_sorted=True)
    return _along(call, x, axis, is_sorted=True)


def _mode(call: Call, x: SSAValue, axis: int = -1, keepdims: bool = False) -> Result:
    """
    The element that is there most often along an axis, the least of several, and the
    last place of it. NaN equals nothing, as in ATen, and is above all numbers; where
    ATen has one in a row, its answer depends on the order that elements came in.
    """
    if not shape_of(x):
        return [x, number(0, i64)]
    shape = shape_of(x)
    place, rank = normalize_axis(axis, len(shape)), len(shape)
    ordered, indices = SortOp(x, axis=place, descending=False).results
    numbers = counted(shape[place], place, rank)
    before = joined(
        [part(ordered, place, 0, 1), part(ordered, place, 0, shape[place] - 1)], place
    )
    begins = LogicalOrOp(NeOp(ordered, before), EqOp(numbers, number(0, i64)))
    begin = CummaxOp(WhereOp(begins, numbers, number(0, i64)), axis=place).result
    so_far = SubOp(numbers, begin)
    most = ArgmaxOp(so_far, axis=place, keepdims=True).result
    return [
        reshaped(GatherOp(each, most, axis=place, wraps=False).result, sizes(type))
        for each, type in zip((ordered, indices), call.types, strict=True)
    ]


READERS: dict[str, Reader] = {
    "aten._unique2.default": _unique,
    "aten.unique_dim.default": _unique_along,
    "aten.unique_consecutive.default": _unique_beside,
    "aten.mode.default": _mode,
}
