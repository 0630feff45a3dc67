"""
Products of quantised factors, in integers.

A sum of products of differences is one of products of the elements themselves, less
terms that are no part of its loop:

    sum((a - p) * (b - q)) = sum(a * b) - p * (sum(b) - k * q) - q * sum(a)

Sums wrap, so both sides have the same bits. The second term is constant where `b` and
the zero points are; the last goes where `q` is zero.
"""

from __future__ import annotations

from math import prod

import numpy as np
from xdsl.dialects.builtin import i32
from xdsl.ir import SSAValue
from xdsl.utils.exceptions import VerifyException

from ...dims import Dim, floordiv, product
from ..families.window import padded
from ..ops.binary import MulOp, SubOp
from ..ops.matmul import MatmulOp
from ..ops.pad import PadOp
from ..ops.pool import SumPoolOp
from ..ops.reduce import SumOp
from ..ops.where import WhereOp
from .convolution import convolved
from .number import convert, times
from .pooling import Window
from .shaping import expanded, filled, reshaped, shape_of


def integer_matmul(
    a: SSAValue, b: SSAValue, p: SSAValue | None, q: SSAValue | None
) -> SSAValue:
    """
    Builds numpy's matmul of `a - p` and `b - q` in i32; the zero points, None for zero,
    broadcast to their factors, and are the same along the axis that is summed.
    """
    left, right = shape_of(a), shape_of(b)
    row = reshaped(a, [1, *left]) if len(left) == 1 else a
    column = reshaped(b, [*right, 1]) if len(right) == 1 else b
    result = MatmulOp(row, column, to=i32).result
    if p is not None:
        axis = len(shape_of(column)) - 2
        sums = SumOp(column, axes=(axis,), keepdims=True, to=i32).result
        result = _less(result, p, _less_each(sums, q, left[-1]))
    if q is not None:
        axis = len(shape_of(row)) - 1
        sums = SumOp(row, axes=(axis,), keepdims=True, to=i32).result
        result = _less(result, q, sums)
    shape = list(shape_of(result))
    if len(left) == 1:
        del shape[-2]
    if len(right) == 1:
        del shape[-1]
    return reshaped(result, shape)


def _less_each(sums: SSAValue, zero_point: SSAValue | None, count: Dim) -> SSAValue:
    """Builds the sums of `count` differences from sums of what is differed."""
    if zero_point is None:
        return sums
    return SubOp(sums, times(convert(zero_point, i32), count)).result


def _less(total: SSAValue, zero_point: SSAValue, sums: SSAValue) -> SSAValue:
    """Builds a total less a zero point times sums."""
    result = SubOp(total, MulOp(convert(zero_point, i32), sums)).result
    if shape_of(result) != shape_of(total):
        raise VerifyException(
            f"expected a zero point that belongs to {total.type}, got {zero_point.type}"
        )
    return result


def integer_convolution(
    x: SSAValue,
    weight: SSAValue,
    p: SSAValue | None,
    q: SSAValue | None,
    groups: int,
    window: Window,
    fill: int | None = None,
) -> SSAValue:
    """
    Builds the convolution of `x - p` with weights less `q` in i32. The zero point of
    the image, None for zero, is a scalar, and `fill` its value where that is known;
    that of the weights a scalar or a vector of one for each filter.
    """
    if p is not None and any(window.padding):
        x, window = _filled_around(x, p, window, fill)
    result = convolved(x, weight, groups, window, i32)
    filters, depth, *kernel = shape_of(weight)
    after = [1 for _ in kernel]
    of_filter = None if q is None else reshaped(q, shape_of(q) or [1])
    if p is not None:
        axes = tuple(range(1, 2 + len(kernel)))
        sums = SumOp(weight, axes=axes, keepdims=False, to=i32).result
        sums = _less_each(sums, of_filter, product((depth, *kernel)))
        result = _less(result, p, reshaped(sums, [filters, *after]))
    if of_filter is not None:
        sums = _sums_under(x, groups, window)
        wide = reshaped(of_filter, [*shape_of(of_filter), *after])
        if groups > 1:
            wide, sums = _by_group(wide, sums, groups, filters)
            n, _, *places = shape_of(result)
            parts = MulOp(convert(wide, i32), sums).result
            each = floordiv(filters, groups)
            parts = expanded(parts, [n, groups, each, *places])
            return SubOp(result, reshaped(parts, shape_of(result))).result
        result = _less(result, wide, sums)
    return result


def _by_group(
    zero_point: SSAValue, sums: SSAValue, groups: int, filters: Dim
) -> tuple[SSAValue, SSAValue]:
    """
    Builds the zero points GxFx..., and the sums NxGx1x..., of groups of F filters.
    """
    count, *after = shape_of(zero_point)
    n, _, *places = shape_of(sums)
    each = floordiv(filters, groups)
    of_group = [1, 1] if count == 1 else [groups, each]
    return (
        reshaped(zero_point, [*of_group, *after]),
        reshaped(sums, [n, groups, 1, *places]),
    )


def _sums_under(x: SSAValue, groups: int, window: Window) -> SSAValue:
    """Builds the sums NxGx... of what is under a window, of each group of channels."""
    n, channels, *spatial = shape_of(x)
    apart = reshaped(x, [n, groups, floordiv(channels, groups), *spatial])
    sums = SumOp(apart, axes=(2,), keepdims=False, to=i32).result
    if prod((*window.kernel, *window.strides)) == 1 and not any(window.padding):
        return sums
    return SumPoolOp(sums, **window.properties()).result


def _filled_around(
    x: SSAValue, p: SSAValue, window: Window, fill: int | None
) -> tuple[SSAValue, Window]:
    """Builds the image with its zero point around it, and the window over that."""
    low, high = padded(window.padding)
    wide = PadOp(x, low=low, high=high, value=float(fill or 0)).result
    if fill is None:
        _, _, *spatial = shape_of(x)
        inside = filled(np.array(True), [1, 1, *spatial])
        inside = PadOp(inside, low=low, high=high, value=0.0).result
        wide = WhereOp(inside, wide, p).result
    none = (0,) * len(window.kernel)
    bare = Window(window.kernel, window.strides, window.dilation, none, none, none)
    return wide, bare
