"""Operators that find where numbers belong: among boundaries, or in bins."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from xdsl.dialects.builtin import i32, i64
from xdsl.ir import SSAValue

from ....dialects import Dim, product, tensor_type
from ....dialects.graph import (
    AddOp,
    DivOp,
    EqOp,
    GatherOp,
    GeOp,
    LeOp,
    LogicalAndOp,
    LtOp,
    MinimumOp,
    MulOp,
    ReduceMaxOp,
    ReduceMinOp,
    SubOp,
    SumOp,
    WhereOp,
)
from ....dialects.graph.compose import (
    convert,
    counted,
    distinct,
    expanded,
    joined,
    number,
    number_like,
    part,
    plus,
    progression,
    quantity,
    reshaped,
    shape_of,
    sorted_places,
    times,
    true_indices,
    truths,
)
from .call import Call, Operand, Reader, Result


def _found(call: Call, rows: SSAValue, values: SSAValue, right: bool) -> SSAValue:
    """The places of values of any shape among the boundaries of one row."""
    flat = reshaped(values, [product(shape_of(values))])
    return reshaped(sorted_places(rows, flat, right), call.shape)


def _searchsorted(
    call: Call,
    rows: SSAValue,
    values: Operand,
    out_int32: bool = False,
    right: bool = False,
    side: str | None = None,
    sorter: SSAValue | None = None,
) -> Result:
    """Where values belong in rows that are sorted, or that `sorter` sorts."""
    element = call.common(0, 1)
    if sorter is not None:
        axis = len(shape_of(rows)) - 1
        rows = GatherOp(rows, sorter, axis=axis, wraps=False).result
    sequence, wanted = convert(rows, element), call.as_tensor(values, element)
    right = right or side == "right"
    if len(shape_of(rows)) == 1:
        places = _found(call, sequence, wanted, right)
    else:
        *outer, size = shape_of(rows)
        stack, count = product(outer), shape_of(wanted)[-1]
        table = reshaped(sequence, [stack, size]), reshaped(wanted, [stack, count])
        places = reshaped(sorted_places(*table, right), call.shape)
    return convert(places, i32 if out_int32 else i64)


def _bucketize(
    call: Call,
    values: Operand,
    boundaries: SSAValue,
    out_int32: bool = False,
    right: bool = False,
) -> Result:
    """The number of the bucket of each value."""
    element = call.common(0, 1)
    row, wanted = convert(boundaries, element), call.as_tensor(values, element)
    return convert(_found(call, row, wanted, right), i32 if out_int32 else i64)


def _histogram(
    call: Call, x: SSAValue, bins: int = 100, least: Any = 0, most: Any = 0
) -> Result:
    """How many elements are in each of some bins of one width; others do not count."""
    count: Dim = product(shape_of(x))
    flat = reshaped(x, [count])
    if least != most:
        low, high = number_like(least, x), number_like(most, x)
    elif count == 0:
        low, high = number_like(least, x), number_like(least + 1, x)
    else:
        low, high = _kept_apart(*_limits_of(flat), 1)
    share = times(SubOp(flat, low).result, bins)
    place = convert(DivOp(share, SubOp(high, low)).result, i64)
    is_counted, at = _in_bins(flat, low, high, place, bins)
    none = expanded(number(0, call.element), [bins])
    return distinct.combined_at(none, at, convert(is_counted, call.element), "add")


def _in_bins(
    flat: SSAValue, low: SSAValue, high: SSAValue, place: SSAValue, bins: Dim
) -> tuple[SSAValue, SSAValue]:
    """Whether each number is in one of some bins, and in which; else in the first."""
    is_counted = LogicalAndOp(GeOp(flat, low), LeOp(flat, high)).result
    inside = MinimumOp(place, quantity(bins - 1, i64))
    return is_counted, WhereOp(is_counted, inside, number(0, i64)).result


def _limits_of(flat: SSAValue) -> tuple[SSAValue, SSAValue]:
    """The least and the greatest of numbers."""
    least = ReduceMinOp(flat, axes=(0,), keepdims=False).result
    return least, ReduceMaxOp(flat, axes=(0,), keepdims=False).result


def _kept_apart(
    low: SSAValue, high: SSAValue, margin: float
) -> tuple[SSAValue, SSAValue]:
    """Two numbers, moved apart by a margin on both sides where they are one."""
    is_one = EqOp(low, high).result
    low = WhereOp(is_one, plus(low, -margin), low).result
    return low, WhereOp(is_one, plus(high, margin), high).result


def _weighed(
    call: Call,
    x: SSAValue,
    edges: SSAValue,
    weight: SSAValue | None,
    density: bool,
) -> Result:
    """How much is between edges, as a share of the whole by their width or not."""
    (many,) = shape_of(edges)
    count = product(shape_of(x))
    flat = reshaped(x, [count])
    ends: tuple[Dim, Dim] = (0, many - 1)
    low, high = (part(edges, 0, at, 1) for at in ends)
    place = plus(sorted_places(edges, flat, right=True), -1)
    is_counted, at = _in_bins(flat, low, high, place, many - 1)
    amount = number_like(1, x) if weight is None else reshaped(weight, [count])
    amount = WhereOp(is_counted, amount, number_like(0, x)).result
    none = expanded(number_like(0, x), [many - 1])
    found = distinct.combined_at(none, at, expanded(amount, [count]), "add")
    if density:
        total = SumOp(found, axes=(0,), keepdims=True)
        width = SubOp(part(edges, 0, 1, many - 1), part(edges, 0, 0, many - 1))
        found = DivOp(found, MulOp(total, width)).result
    return [found, edges]


def _histogram_of_edges(
    call: Call,
    x: SSAValue,
    edges: SSAValue,
    weight: SSAValue | None = None,
    density: bool = False,
) -> Result:
    """How much is between edges that are given, and the edges."""
    return _weighed(call, x, edges, weight, density)


def _histogram_of_bins(
    call: Call,
    x: SSAValue,
    bins: int = 100,
    limits: Sequence[float] | None = None,
    weight: SSAValue | None = None,
    density: bool = False,
) -> Result:
    """How much is in each of some bins of one width, and their edges."""
    flat = reshaped(x, [product(shape_of(x))])
    if limits is not None or shape_of(flat) == (0,):
        first, last = limits or (0, 1)
        low, high = number_like(first, x), number_like(last, x)
    else:
        low, high = _limits_of(flat)
    low, high = _kept_apart(low, high, 0.5)
    step = DivOp(SubOp(high, low), number_like(bins, x)).result
    element = tensor_type(x).element_type
    # From both ends, as torch counts, so that the last edge is exact.
    near = counted((bins + 1) // 2, 0, 1, element)
    rest = bins + 1 - (bins + 1) // 2
    far = progression(number_like(1 - rest, x), 1, rest)
    edges = joined(
        [
            AddOp(low, MulOp(near, step)).result,
            AddOp(high, MulOp(far, step)).result,
        ],
        0,
    )
    return _weighed(call, x, edges, weight, density)


def _first_nonzero(call: Call, x: SSAValue, size: int, fill: int = -1) -> Result:
    """The indices of the first elements that are not zero, a row for each."""
    shape = shape_of(x)
    mask = truths(reshaped(x, shape or [1]))
    rows = true_indices(mask, lambda count, most: size)
    rows = rows if shape else part(rows, 1, 0, 0)
    axes = tuple(range(len(shape_of(mask))))
    count = SumOp(convert(mask, i64), axes=axes, keepdims=False)
    is_there = LtOp(counted(size, 0, 2), count)
    return WhereOp(is_there, rows, number(fill, i64)).result


READERS: dict[str, Reader] = {
    "aten.histogram.bins_tensor": _histogram_of_edges,
    "aten.histogram.bin_ct": _histogram_of_bins,
    "aten.nonzero_static.default": _first_nonzero,
    "aten.searchsorted.Tensor": _searchsorted,
    "aten.searchsorted.Scalar": _searchsorted,
    "aten.bucketize.Tensor": _bucketize,
    "aten.bucketize.Scalar": _bucketize,
    "aten.histc.default": _histogram,
}
