"""Reductions along axes: sums, means, extremes and their indices."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from xdsl.dialects.builtin import UnitAttr, i1
from xdsl.ir import SSAValue

from ....dialects import normalize_axis, product, tensor_type
from ....dialects.graph import (
    ArgmaxOp,
    CumprodOp,
    CumsumOp,
    CumulativeOp,
    DivOp,
    ExtremeOp,
    GtOp,
    MaximumOp,
    MeanOp,
    MulOp,
    ProdOp,
    ReduceMaxOp,
    ReduceMinOp,
    ReduceOp,
    SqrtOp,
    SubOp,
    SumOp,
    WhereOp,
)
from ....dialects.graph.compose import (
    length,
    logs_of_sums,
    normalization,
    number_like,
    plus,
    raised,
    reshaped,
    reversed_order,
    shape_of,
)
from .call import Call, Reader, Result

_Axes = int | Sequence[int] | None
"""An axis or several; all axes when there are none."""


def _axes_of(value: SSAValue, axes: _Axes) -> tuple[int, ...]:
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
        axes: _Axes = None,
        keepdims: bool = False,
        *_: object,
    ) -> Result:
        places = _axes_of(value, axes)
        operand = call.as_tensor(value, call.element)
        return op(operand, axes=places, keepdims=keepdims).result

    return read


def _reduce_all(op: type[ReduceOp]) -> Reader:
    """The reader of a reduction of all elements by `op`."""
    along = reduce(op)

    def read(call: Call, value: SSAValue, *_: object) -> Result:
        return along(call, value)

    return read


def _along(op: type[ReduceOp]) -> Reader:
    """The reader of a reduction by `op` along axes, without an axis of one element."""
    along = reduce(op)

    def read(call: Call, value: SSAValue, axes: _Axes, *_: object) -> Result:
        return along(call, value, axes)

    return read


def _holds(op: type[ExtremeOp]) -> Reader:
    """
    The reader of a reduction by `op` of booleans, true for nonzero elements; of no
    elements `any` is false, and `all` is true.
    """

    def read(
        call: Call, value: SSAValue, axes: _Axes = None, keepdims: bool = False
    ) -> Result:
        operand = call.as_tensor(value, i1)
        places = _axes_of(value, axes)
        found = op(
            operand, axes=places, keepdims=keepdims, or_identity=UnitAttr()
        ).result
        # Of bytes torch makes bytes.
        return call.as_tensor(found, call.element)

    return read


def _extreme(op: type[ReduceOp]) -> Reader:
    """The reader of the greatest or least elements, and of their indices."""

    def read(call: Call, value: SSAValue, axis: int, keepdims: bool = False) -> Result:
        places = _axes_of(value, axis)
        found = op(value, axes=places, keepdims=keepdims).result
        ordered = value if op is ReduceMaxOp else reversed_order(value)
        return [found, _argmax_along(ordered, axis, keepdims)]

    return read


def _argmax_along(value: SSAValue, axis: int, keepdims: bool) -> SSAValue:
    """The index of the greatest element along an axis; 0 for rank 0."""
    if not shape_of(value):
        place = ArgmaxOp(reshaped(value, [1]), axis=0, keepdims=False).result
        return reshaped(place, ())
    return ArgmaxOp(value, axis=axis, keepdims=keepdims).result


def _arg(is_least: bool) -> Reader:
    """The reader of the index of the greatest or the least element."""

    def read(
        call: Call, value: SSAValue, axis: int | None = None, keepdims: bool = False
    ) -> Result:
        ordered = reversed_order(value) if is_least else value
        if axis is None:
            flat = reshaped(ordered, [product(shape_of(value))])
            return reshaped(_argmax_along(flat, 0, False), call.shape)
        return _argmax_along(ordered, axis, keepdims)

    return read


def _variance(
    call: Call,
    value: SSAValue,
    axes: _Axes = None,
    correction: float | None = None,
    keepdims: bool = False,
) -> SSAValue:
    """The sum of squared deviations, divided by the count minus `correction`."""
    places = _axes_of(value, axes)
    distance, _ = normalization.centered(value, places)
    total = SumOp(raised(distance, 2), axes=places, keepdims=keepdims).result
    count = product(shape_of(value)[each] for each in places)
    fewer = 1 if correction is None else correction
    left = max(0, count - fewer) if isinstance(count, int) else count
    divisor = call.as_tensor(left, tensor_type(value).element_type)
    if fewer and not isinstance(count, int):
        exact = SubOp(divisor, number_like(fewer, divisor))
        divisor = MaximumOp(exact, number_like(0, divisor)).result
    return DivOp(total, divisor).result


def _variance_and_mean(
    call: Call,
    value: SSAValue,
    axes: _Axes = None,
    correction: float | None = None,
    keepdims: bool = False,
) -> Result:
    """The variance, and the mean."""
    places = _axes_of(value, axes)
    mean = MeanOp(value, axes=places, keepdims=keepdims).result
    return [_variance(call, value, axes, correction, keepdims), mean]


def _deviation(call: Call, value: SSAValue, *arguments: Any) -> Result:
    """The square root of the variance."""
    return SqrtOp(_variance(call, value, *arguments)).result


def _vector_norm(
    call: Call,
    value: SSAValue,
    order: float = 2,
    axes: _Axes = None,
    keepdims: bool = False,
    *_: object,
) -> Result:
    """The Lp norm along axes."""
    operand = call.as_tensor(value, call.element)
    return length(operand, order, _axes_of(value, axes), keepdims)


def cumulative(op: type[CumulativeOp]) -> Reader:
    """The reader of a prefix reduction by `op` along an axis."""

    def read(call: Call, value: SSAValue, axis: int, *_: object) -> Result:
        operand = call.as_tensor(value, call.element)
        return op(operand, axis=axis).result if shape_of(value) else operand

    return read


def _log_of_sums(call: Call, x: SSAValue, axis: int) -> Result:
    """The logarithm of the sum of the exponentials so far along an axis."""
    result = call.as_tensor(x, call.element)
    if not shape_of(x):
        return result
    return logs_of_sums(result, normalize_axis(axis, len(shape_of(x))))


def _limited_norm(
    call: Call, x: SSAValue, order: float, axis: int, most: float
) -> Result:
    """The slices along an axis, scaled to a norm of at most `most`."""
    rank = len(shape_of(x))
    place = normalize_axis(axis, rank)
    others = tuple(each for each in range(rank) if each != place)
    norm = length(x, order, others, keepdims=True)
    scale = DivOp(number_like(most, x), plus(norm, 1e-7))
    one = number_like(1, x)
    return MulOp(x, WhereOp(GtOp(norm, number_like(most, x)), scale, one)).result


READERS: dict[str, Reader] = {
    "aten.logcumsumexp.default": _log_of_sums,
    "aten.renorm.default": _limited_norm,
    "aten.sum.default": _reduce_all(SumOp),
    "aten.sum.dim_IntList": reduce(SumOp),
    "aten.mean.default": _reduce_all(MeanOp),
    "aten.mean.dim": reduce(MeanOp),
    "prims.sum.default": _along(SumOp),
    "prims.prod.default": _along(ProdOp),
    "aten.prod.default": _reduce_all(ProdOp),
    "aten.prod.dim_int": reduce(ProdOp),
    "aten.amax.default": reduce(ReduceMaxOp),
    "aten.amin.default": reduce(ReduceMinOp),
    "aten.max.default": _reduce_all(ReduceMaxOp),
    "aten.min.default": _reduce_all(ReduceMinOp),
    "aten.max.dim": _extreme(ReduceMaxOp),
    "aten.min.dim": _extreme(ReduceMinOp),
    "aten.argmax.default": _arg(False),
    "aten.argmin.default": _arg(True),
    "aten.any.default": _holds(ReduceMaxOp),
    "aten.any.dim": _holds(ReduceMaxOp),
    "aten.any.dims": _holds(ReduceMaxOp),
    "aten.all.default": _holds(ReduceMinOp),
    "aten.all.dim": _holds(ReduceMinOp),
    "aten._is_any_true.default": _holds(ReduceMaxOp),
    "aten._is_all_true.default": _holds(ReduceMinOp),
    "aten.var.correction": _variance,
    "aten.var_mean.correction": _variance_and_mean,
    "aten.std.correction": _deviation,
    "aten.linalg_vector_norm.default": _vector_norm,
    "aten.cumsum.default": cumulative(CumsumOp),
    "aten.cumprod.default": cumulative(CumprodOp),
}
