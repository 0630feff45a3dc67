"""
Quantised tensors: scales along an axis or in blocks, and scales that a run finds.

    x ~ (q - zero_point) * scale
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import UnitAttr
from xdsl.ir import SSAValue

from ...dims import Dim, ceildiv
from ...element_type import ELEMENT_TYPES, Element
from ..families.elementwise import BinaryOp
from ..ops.binary import DivOp, MaximumOp, MinimumOp, SubOp
from ..ops.compare import EqOp
from ..ops.dequantize import DequantizeOp
from ..ops.quantize import QuantizeOp
from ..ops.reduce import ExtremeOp, ReduceMaxOp, ReduceMinOp
from ..ops.rounding import RoundOp
from ..ops.where import WhereOp
from .number import convert, element_of, number_like
from .parts import part
from .shaping import along, expanded, reshaped, shape_of


def quantized(
    x: SSAValue, scale: SSAValue, zero_point: SSAValue, axis: int = 0, block: int = 0
) -> SSAValue:
    """
    Builds the steps of `x`: of one scale, of one for each index of an axis, or of one
    for each `block` of these.
    """
    split = _split(shape_of(x), axis, block)
    given = (_aligned(each, x, axis, block) for each in (scale, zero_point))
    return reshaped(QuantizeOp(reshaped(x, split), *given).result, shape_of(x))


def dequantized(
    x: SSAValue, scale: SSAValue, zero_point: SSAValue, axis: int = 0, block: int = 0
) -> SSAValue:
    """Builds the numbers that steps stand for; the scales are as of `quantized`."""
    split = _split(shape_of(x), axis, block)
    given = (_aligned(each, x, axis, block) for each in (scale, zero_point))
    return reshaped(DequantizeOp(reshaped(x, split), *given).result, shape_of(x))


def by_scale(
    op: type[BinaryOp], x: SSAValue, scale: SSAValue, axis: int = 0, block: int = 0
) -> SSAValue:
    """Builds an op on `x` and scales, or zero points, which are as of `quantized`."""
    split = reshaped(x, _split(shape_of(x), axis, block))
    return reshaped(op(split, _aligned(scale, x, axis, block)).result, shape_of(x))


def _split(shape: Sequence[Dim], axis: int, block: int) -> list[Dim]:
    """A shape with an axis split into whole blocks, where there are only such."""
    size = shape[axis] if block else 0
    if not block or not isinstance(size, int) or size % block:
        return list(shape)
    return [*shape[:axis], size // block, block, *shape[axis + 1 :]]


def _aligned(given: SSAValue, x: SSAValue, axis: int, block: int) -> SSAValue:
    """Builds a scale, or a zero point, as it broadcasts to the split `x`."""
    shape, rank = list(shape_of(given)), len(shape_of(x))
    if all(each == 1 for each in shape):
        return reshaped(given, [])
    if not block:
        return along(given, axis, rank) if len(shape) == 1 else given
    apart = reshaped(given, [*shape[: axis + 1], 1, *shape[axis + 1 :]])
    size = shape_of(x)[axis]
    if isinstance(size, int) and size % block == 0:
        return apart
    # The last block is cut: so each element gets its own scale.
    wide = expanded(apart, [*shape[: axis + 1], block, *shape[axis + 1 :]])
    whole = ceildiv(size, block) * block
    flat = reshaped(wide, [*shape[:axis], whole, *shape[axis + 1 :]])
    return part(flat, axis, 0, size)


def _extreme(op: type[ExtremeOp], x: SSAValue, axes: tuple[int, ...]) -> SSAValue:
    """Builds the extreme element, which is the op's identity where there are none."""
    return op(x, axes=axes, keepdims=False, or_identity=UnitAttr()).result


def range_of(x: SSAValue) -> tuple[SSAValue, SSAValue]:
    """Builds the least and the greatest element, zero included; of none, zeros."""
    every = tuple(range(len(shape_of(x))))
    zero = number_like(0, x)
    least = MinimumOp(_extreme(ReduceMinOp, x, every), zero)
    most = MaximumOp(_extreme(ReduceMaxOp, x, every), zero)
    return least.result, most.result


def dynamic_parameters(x: SSAValue, element: Element) -> tuple[SSAValue, SSAValue]:
    """
    Builds the scale and the zero point by which steps of an element type reach from the
    least to the greatest element of `x`, and have a zero; of zeros the scale is one.
    """
    least, most = range_of(x)
    first, last = ELEMENT_TYPES[element].limits
    step = DivOp(SubOp(most, least), number_like(last - first, x))
    scale = WhereOp(EqOp(most, least), number_like(1, x), step).result
    place = SubOp(number_like(first, x), DivOp(least, scale))
    return scale, convert(RoundOp(place).result, element)


def requantized(
    total: SSAValue, factor: SSAValue, zero_point: SSAValue, axis: int = 0
) -> SSAValue:
    """Builds integers times a factor, rounded to steps counted from a zero point."""
    steps = convert(total, element_of(factor))
    given = (_aligned(each, steps, axis, 0) for each in (factor, zero_point))
    return QuantizeOp(steps, *given, reciprocal=UnitAttr()).result
