"""Reductions of the segments of an axis, which lengths or offsets tell apart."""

from __future__ import annotations

from math import inf

from xdsl.dialects.builtin import i64
from xdsl.ir import SSAValue

from ....dialects.graph import (
    AddOp,
    CumsumOp,
    DivOp,
    EqOp,
    GeOp,
    LogicalAndOp,
    LtOp,
    MaximumOp,
    MinimumOp,
    MulOp,
    ProdOp,
    ReduceMaxOp,
    ReduceMinOp,
    SubOp,
    SumOp,
    WhereOp,
)
from ....dialects.graph.compose import (
    convert,
    counted,
    number_like,
    part,
    reshaped,
    shape_of,
)
from ..unsupported import Unsupported
from .call import Call, Reader, Result

_KINDS = {
    "sum": (SumOp, AddOp, 0.0),
    "mean": (SumOp, AddOp, 0.0),
    "prod": (ProdOp, MulOp, 1.0),
    "max": (ReduceMaxOp, MaximumOp, -inf),
    "min": (ReduceMinOp, MinimumOp, inf),
}
"""The reduction of each name, what adds one more element to it, and of no elements."""


def _ends_of(
    lengths: SSAValue | None, offsets: SSAValue | None, axis: int
) -> tuple[SSAValue, SSAValue]:
    """Where each segment begins, and where it ends."""
    if lengths is not None:
        sizes = convert(lengths, i64)
        ends = CumsumOp(sizes, axis=axis).result
        return SubOp(ends, sizes).result, ends
    assert offsets is not None, "torch asks for lengths or offsets"
    count, places = shape_of(offsets)[axis], convert(offsets, i64)
    return part(places, axis, 0, count - 1), part(places, axis, 1, count - 1)


def _reduced(
    call: Call,
    x: SSAValue,
    how: str,
    lengths: SSAValue | None = None,
    indices: SSAValue | None = None,
    offsets: SSAValue | None = None,
    axis: int = 0,
    unsafe: bool = False,
    initial: float | None = None,
) -> Result:
    """Each segment reduced; one that is empty is the initial value."""
    if indices is not None:
        raise Unsupported("segments by indices")
    reduce, combine, nothing = _KINDS[how]
    low, high = _ends_of(lengths, offsets, axis)
    *outer, segments = shape_of(low)
    size, rest = shape_of(x)[axis], shape_of(x)[axis + 1 :]
    ones = [1] * len(rest)
    low, high = (reshaped(each, [*outer, segments, 1, *ones]) for each in (low, high))
    at = counted(size, axis + 1, axis + 2 + len(rest))
    inside = LogicalAndOp(GeOp(at, low), LtOp(at, high)).result
    rows = reshaped(x, [*outer, 1, size, *rest])
    held = WhereOp(inside, rows, number_like(nothing, x)).result
    found = reduce(held, axes=(axis + 1,), keepdims=False).result
    if initial is not None:
        found = combine(found, number_like(initial, x)).result
    if how != "mean":
        return found
    lengths = reshaped(SubOp(high, low).result, [*outer, segments, *ones])
    counts = convert(lengths, call.element)
    empty = EqOp(counts, number_like(0, counts)).result
    mean = DivOp(found, counts).result
    return mean if initial is None else WhereOp(empty, found, mean).result


READERS: dict[str, Reader] = {"aten.segment_reduce.default": _reduced}
