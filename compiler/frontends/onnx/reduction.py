"""ONNX ops that combine the elements along axes."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import numpy as np
from xdsl.dialects.builtin import UnitAttr, f64
from xdsl.ir import SSAValue

from ....dialects import dtype, is_float, product, sizes, tensor_type
from ....dialects.graph import (
    AddOp,
    ArgmaxOp,
    CastOp,
    ClampOp,
    CumprodOp,
    CumsumOp,
    CumulativeOp,
    DivOp,
    ExpOp,
    ExtremeOp,
    LogOp,
    MeanOp,
    PadOp,
    ProdOp,
    ReduceMaxOp,
    ReduceMinOp,
    ReduceOp,
    SubOp,
    SumOp,
)
from ....dialects.graph.compose import (
    flipped,
    number_like,
    part,
    raised,
    reshaped,
    reversed_order,
    root,
    shape_of,
)
from ..known import Known
from .node import Handler, Node, Result

Axes: TypeAlias = tuple[int, ...]
Reduce: TypeAlias = Callable[[SSAValue, Axes, bool], SSAValue]


def _reduced_axes(node: Node) -> Axes:
    """The axes that a node reduces, counted from the front and in order."""
    rank = node.rank(0)
    axes = node.axes(1)
    if not axes:
        keeps = "noop_with_empty_axes" in node.signature.attributes and node.flag(
            "noop_with_empty_axes"
        )
        return () if keeps else tuple(range(rank))
    return tuple(sorted({node.normalize(each, rank) for each in axes}))


def reduction(reduce: Reduce) -> Handler:
    """The handler of an op that combines elements as `reduce` builds it."""

    def handler(node: Node) -> Result:
        axes, keepdims = _reduced_axes(node), node.flag("keepdims")
        return reduce(node.operand(0), axes, keepdims)

    return handler


def by(op: type[ReduceOp]) -> Reduce:
    """The builder of a reduction by one op, which is the identity along no axes."""

    def build(x: SSAValue, axes: Axes, keepdims: bool) -> SSAValue:
        return op(x, axes=axes, keepdims=keepdims).result if axes else x

    return build


def _extreme(op: type[ExtremeOp]) -> Reduce:
    """The builder of the greatest or least element; the type's limit for empty axes."""

    def build(x: SSAValue, axes: Axes, keepdims: bool) -> SSAValue:
        shape = shape_of(x)
        if not axes:
            return x
        if all(isinstance(shape[each], int) and shape[each] != 0 for each in axes):
            return op(x, axes=axes, keepdims=keepdims).result
        return op(x, axes=axes, keepdims=keepdims, or_identity=UnitAttr()).result

    return build


total = by(SumOp)


def mean(x: SSAValue, axes: Axes, keepdims: bool) -> SSAValue:
    """Builds the mean; that of integers is an integer quotient."""
    type = tensor_type(x)
    if is_float(type):
        return by(MeanOp)(x, axes, keepdims)
    count = product(sizes(type)[each] for each in axes)
    divisor = number_like(count, x)
    return DivOp(total(x, axes, keepdims), divisor).result


def _sum_of_magnitudes(x: SSAValue, axes: Axes, keepdims: bool) -> SSAValue:
    """Builds the sum of magnitudes."""
    return total(raised(x, 1), axes, keepdims)


def _sum_of_squares(x: SSAValue, axes: Axes, keepdims: bool) -> SSAValue:
    """Builds the sum of the squares."""
    return total(raised(x, 2), axes, keepdims)


def _in_floats(x: SSAValue) -> SSAValue:
    """Builds the elements as floats: integers in f64, as the functions of ONNX say."""
    return x if is_float(tensor_type(x)) else CastOp(x, to=f64).result


def _of_type(number: SSAValue, x: SSAValue) -> SSAValue:
    """Builds floats in the type of `x`; for integers they are rounded towards zero."""
    type = tensor_type(x)
    return number if is_float(type) else CastOp(number, to=type.element_type).result


def _length(x: SSAValue, axes: Axes, keepdims: bool) -> SSAValue:
    """Builds the square root of the sum of the squares."""
    squares = _in_floats(_sum_of_squares(x, axes, keepdims))
    return _of_type(root(squares, 2), x)


def _log_sum(x: SSAValue, axes: Axes, keepdims: bool) -> SSAValue:
    """Builds the logarithm of the sum."""
    return _of_type(LogOp(_in_floats(total(x, axes, keepdims))).result, x)


def _log_sum_exp(x: SSAValue, axes: Axes, keepdims: bool) -> SSAValue:
    """Builds the logarithm of the sum of the exponentials, with no overflow."""
    wide = _in_floats(x)
    # An infinite maximum would be subtracted from itself.
    most = float(np.finfo(dtype(tensor_type(wide))).max)
    greatest = _extreme(ReduceMaxOp)(wide, axes, True)
    greatest = ClampOp(greatest, min=-most, max=most).result
    sums = LogOp(total(ExpOp(SubOp(wide, greatest)).result, axes, keepdims)).result
    return _of_type(AddOp(sums, reshaped(greatest, shape_of(sums))).result, x)


_REDUCTIONS: dict[str, Reduce] = {
    "ReduceL1": _sum_of_magnitudes,
    "ReduceL2": _length,
    "ReduceLogSum": _log_sum,
    "ReduceLogSumExp": _log_sum_exp,
    "ReduceMax": _extreme(ReduceMaxOp),
    "ReduceMean": mean,
    "ReduceMin": _extreme(ReduceMinOp),
    "ReduceProd": by(ProdOp),
    "ReduceSum": total,
    "ReduceSumSquare": _sum_of_squares,
}


def _arg_greatest(node: Node, x: SSAValue) -> Result:
    """Builds the index of the greatest element, the first or the last of equals."""
    shape = shape_of(x)
    axis = node.normalize(node.integer("axis"), len(shape))
    keepdims = node.flag("keepdims")
    has_choice = "select_last_index" in node.signature.attributes
    if not has_choice or not node.flag("select_last_index"):
        return ArgmaxOp(x, axis=axis, keepdims=keepdims)
    from_end = ArgmaxOp(flipped(x, [axis]), axis=axis, keepdims=keepdims)
    last = node.tensor(Known.of_dims(shape[axis] - 1))
    return SubOp(last, from_end)


def _arg_max(node: Node) -> Result:
    """The index of the greatest element along an axis."""
    return _arg_greatest(node, node.operand(0))


def _arg_min(node: Node) -> Result:
    """The index of the least element along an axis."""
    return _arg_greatest(node, reversed_order(node.operand(0)))


def cumulative(op: type[CumulativeOp], identity: float) -> Handler:
    """The handler of a prefix reduction by `op`, from either end."""

    def handler(node: Node) -> Result:
        x = node.operand(0)
        axis = node.normalize(node.whole_number(1), node.rank(0))
        if reverse := node.flag("reverse"):
            x = flipped(x, [axis])
        if node.flag("exclusive"):
            x = _delayed(x, axis, identity)
        result = op(x, axis=axis).result
        return flipped(result, [axis]) if reverse else result

    return handler


def _delayed(x: SSAValue, axis: int, first: float) -> SSAValue:
    """Builds `x` shifted by one along an axis, with a number as first element."""
    shape = shape_of(x)
    none = tuple(0 for _ in shape)
    low = tuple(int(each == axis) for each in range(len(shape)))
    wide = PadOp(x, low=low, high=none, value=first).result
    return part(wide, axis, 0, shape[axis])


HANDLERS: dict[str, Handler] = {
    "ArgMax": _arg_max,
    "ArgMin": _arg_min,
    "CumProd": cumulative(CumprodOp, 1.0),
    "CumSum": cumulative(CumsumOp, 0.0),
    **{name: reduction(each) for name, each in _REDUCTIONS.items()},
}
