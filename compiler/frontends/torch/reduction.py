"""Reductions along axes: sums, means, extremes and their indices."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from xdsl.dialects.builtin import i1
from xdsl.ir import SSAValue

from ....dialects.dims import product
from ....dialects.graph.compose.extreme import reversed_order
from ....dialects.graph.compose.length import length, raised
from ....dialects.graph.compose.normalization import centered
from ....dialects.graph.compose.number import number_like
from ....dialects.graph.compose.shaping import reshaped, shape_of
from ....dialects.graph.ops.argmax import ArgmaxOp
from ....dialects.graph.ops.arithmetic import SqrtOp
from ....dialects.graph.ops.binary import DivOp, MaximumOp, SubOp
from ....dialects.graph.ops.cumulative import CumprodOp, CumsumOp, CumulativeOp
from ....dialects.graph.ops.reduce import (
    MeanOp,
    ProdOp,
    ReduceMaxOp,
    ReduceMinOp,
    ReduceOp,
    SumOp,
)
from ....dialects.shape import normalize_axis, tensor_type
from .call import Call, Reader, Result

Axes = int | Sequence[int] | None
"""An axis or several; all axes when there are none."""


def axes_of(value: SSAValue, axes: Axes) -> tuple[int, ...]:
    """The axes in ascending order."""
    rank = len(shape_of(value))
    if axes is None or axes == []:
        return tuple(range(rank))
    given = (axes,) if isinstance(axes, int) else axes
    return tuple(sorted(normalize_axis(each, rank) for each in given)) if rank else ()


def reduce(op: type[ReduceOp]) -> Reader:
    """The reader of a reduction by `op` in the element type of the result."""

    def read(
        call: Call,
        value: SSAValue,
        axes: Axes = None,
        keepdims: bool = False,
        *_: object,
    ) -> Result:
        places = axes_of(value, axes)
        operand = call.as_tensor(value, call.element)
        return op(operand, axes=places, keepdims=keepdims).result

    return read


def reduce_all(op: type[ReduceOp]) -> Reader:
    """The reader of a reduction of all elements by `op`."""
    along = reduce(op)

    def read(call: Call, value: SSAValue, *_: object) -> Result:
        return along(call, value)

    return read


def holds(op: type[ReduceOp]) -> Reader:
    """The reader of a reduction by `op` of booleans, true for nonzero elements."""

    def read(
        call: Call, value: SSAValue, axes: Axes = None, keepdims: bool = False
    ) -> Result:
        operand = call.as_tensor(value, i1)
        places = axes_of(value, axes)
        return op(operand, axes=places, keepdims=keepdims).result

    return read


def extreme(op: type[ReduceOp]) -> Reader:
    """The reader of the greatest or least elements, and of their indices."""

    def read(call: Call, value: SSAValue, axis: int, keepdims: bool = False) -> Result:
        places = axes_of(value, axis)
        found = op(value, axes=places, keepdims=keepdims).result
        ordered = value if op is ReduceMaxOp else reversed_order(value)
        return [found, argmax_along(ordered, axis, keepdims)]

    return read


def argmax_along(value: SSAValue, axis: int, keepdims: bool) -> SSAValue:
    """The index of the greatest element along an axis; 0 for rank 0."""
    if not shape_of(value):
        place = ArgmaxOp(reshaped(value, [1]), axis=0, keepdims=False).result
        return reshaped(place, ())
    return ArgmaxOp(value, axis=axis, keepdims=keepdims).result


def arg(is_least: bool) -> Reader:
    """The reader of the index of the greatest or the least element."""

    def read(
        call: Call, value: SSAValue, axis: int | None = None, keepdims: bool = False
    ) -> Result:
        ordered = reversed_order(value) if is_least else value
        if axis is None:
            flat = reshaped(ordered, [product(shape_of(value))])
            return reshaped(argmax_along(flat, 0, False), call.shape)
        return argmax_along(ordered, axis, keepdims)

    return read


def variance(
    call: Call,
    value: SSAValue,
    axes: Axes = None,
    correction: float | None = None,
    keepdims: bool = False,
) -> SSAValue:
    """The sum of squared deviations, divided by the count minus `correction`."""
    places = axes_of(value, axes)
    distance, _ = centered(value, places)
    total = SumOp(raised(distance, 2), axes=places, keepdims=keepdims).result
    count = product(shape_of(value)[each] for each in places)
    fewer = 1 if correction is None else correction
    left = max(0, count - fewer) if isinstance(count, int) else count
    divisor = call.as_tensor(left, tensor_type(value).element_type)
    if fewer and not isinstance(count, int):
        exact = SubOp(divisor, number_like(fewer, divisor))
        divisor = MaximumOp(exact, number_like(0, divisor)).result
    return DivOp(total, divisor).result


def variance_and_mean(
    call: Call,
    value: SSAValue,
    axes: Axes = None,
    correction: float | None = None,
    keepdims: bool = False,
) -> Result:
    """The variance, and the mean."""
    places = axes_of(value, axes)
    mean = MeanOp(value, axes=places, keepdims=keepdims).result
    return [variance(call, value, axes, correction, keepdims), mean]


def deviation(call: Call, value: SSAValue, *arguments: Any) -> Result:
    """The square root of the variance."""
    return SqrtOp(variance(call, value, *arguments)).result


def vector_norm(
    call: Call,
    value: SSAValue,
    order: float = 2,
    axes: Axes = None,
    keepdims: bool = False,
    *_: object,
) -> Result:
    """The Lp norm along axes."""
    operand = call.as_tensor(value, call.element)
    return length(operand, order, axes_of(value, axes), keepdims)


def cumulative(op: type[CumulativeOp]) -> Reader:
    """The reader of a prefix reduction by `op` along an axis."""

    def read(call: Call, value: SSAValue, axis: int, *_: object) -> Result:
        operand = call.as_tensor(value, call.element)
        return op(operand, axis=axis).result if shape_of(value) else operand

    return read


READERS: dict[str, Reader] = {
    "aten.sum.default": reduce_all(SumOp),
    "aten.sum.dim_IntList": reduce(SumOp),
    "aten.mean.default": reduce_all(MeanOp),
    "aten.mean.dim": reduce(MeanOp),
    "aten.prod.default": reduce_all(ProdOp),
    "aten.prod.dim_int": reduce(ProdOp),
    "aten.amax.default": reduce(ReduceMaxOp),
    "aten.amin.default": reduce(ReduceMinOp),
    "aten.max.default": reduce_all(ReduceMaxOp),
    "aten.min.default": reduce_all(ReduceMinOp),
    "aten.max.dim": extreme(ReduceMaxOp),
    "aten.min.dim": extreme(ReduceMinOp),
    "aten.argmax.default": arg(False),
    "aten.argmin.default": arg(True),
    "aten.any.default": holds(ReduceMaxOp),
    "aten.any.dim": holds(ReduceMaxOp),
    "aten.any.dims": holds(ReduceMaxOp),
    "aten.all.default": holds(ReduceMinOp),
    "aten.all.dim": holds(ReduceMinOp),
    "aten.var.correction": variance,
    "aten.var_mean.correction": variance_and_mean,
    "aten.std.correction": deviation,
    "aten.linalg_vector_norm.default": vector_norm,
    "aten.cumsum.default": cumulative(CumsumOp),
    "aten.cumprod.default": cumulative(CumprodOp),
}
