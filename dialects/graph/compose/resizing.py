"""
Bytes interpolated along an axis by weights of 16 bits, as PyTorch and Pillow resize
images of bytes: all sums are exact, and each axis is rounded to bytes by itself.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from xdsl.dialects.builtin import f64, i1
from xdsl.ir import SSAValue

from ...dims import Dim
from ..element_array import to_elements
from ..families.interpolation import Interpolation
from ..ops.binary import AddOp, DivOp, MulOp
from ..ops.compare import EqOp, LtOp
from ..ops.constant import ConstantOp
from ..ops.logical import LogicalAndOp
from ..ops.reduce import ReduceMaxOp, SumOp
from ..ops.resample import ResampleOp
from ..ops.resize import samples
from ..ops.rounding import FloorOp, TruncOp
from ..ops.where import WhereOp
from .bounds import clamped
from .number import convert, element_of, number, plus
from .shaping import reshaped, shape_of

_WEIGHT_BITS = 15
"""The bits of a weight, beside its sign."""

_MOST_FRACTION_BITS = 22
"""The most bits behind the point, where all weights are small."""


def resized_bytes(x: SSAValue, axis: int, size: Dim, **how: Any) -> SSAValue:
    """
    Builds bytes interpolated along an axis as the properties of `graph.resize` say it,
    by weights in fixed point.
    """
    interpolation = Interpolation(**how)
    indices, weights = samples(shape_of(x)[axis], size, interpolation, f64)
    if not interpolation.exclude_outside:
        weights = _merged(indices, weights)
    one = _one(weights)
    halves = WhereOp(LtOp(weights, number(0, f64)), number(-0.5, f64), number(0.5, f64))
    fixed = TruncOp(AddOp(MulOp(weights, one), halves)).result
    total = ResampleOp(convert(x, f64), indices, fixed, axis=axis, skips=False)
    whole = FloorOp(plus(DivOp(total, one).result, 0.5)).result
    return convert(clamped(whole, 0, 255), element_of(x))


def _merged(indices: SSAValue, weights: SSAValue) -> SSAValue:
    """
    Builds one weight for each element: the first tap that reads it has the sum, and
    the others zero. Taps beyond an end read the element there.
    """
    points, taps = shape_of(indices)
    is_same = EqOp(
        reshaped(indices, [points, taps, 1]), reshaped(indices, [points, 1, taps])
    ).result
    others = reshaped(weights, [points, 1, taps])
    own = WhereOp(is_same, others, number(0, f64))
    whole = SumOp(own, axes=(2,), keepdims=False).result
    before = ConstantOp(value=np.tri(int(str(taps)), k=-1, dtype=np.bool_)).result
    earlier = convert(LogicalAndOp(is_same, before).result, f64)
    is_later = convert(ReduceMaxOp(earlier, axes=(2,), keepdims=False).result, i1)
    return WhereOp(is_later, number(0, f64), whole).result


def _one(weights: SSAValue) -> SSAValue:
    """Builds the power of two that is one, as large as the largest weight allows."""
    most = ReduceMaxOp(weights, axes=(0, 1), keepdims=False).result
    powers = 2.0 ** np.arange(1, _MOST_FRACTION_BITS + 1)
    steps = ConstantOp(value=to_elements(powers, f64)).result
    rounded = FloorOp(plus(MulOp(most, steps).result, 0.5))
    fits = LtOp(rounded, number(1 << _WEIGHT_BITS, f64))
    found = WhereOp(fits, steps, number(1, f64))
    return ReduceMaxOp(found, axes=(0,), keepdims=False).result
