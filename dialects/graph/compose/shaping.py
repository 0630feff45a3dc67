"""Tensors under other shapes, and with their axes in another order."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import SSAValue

from ...dims import Dim
from ...shape import Array, sizes, tensor_type
from ..literal import to_names
from ..ops.constant import ConstantOp
from ..ops.expand import ExpandOp
from ..ops.permute import PermuteOp
from ..ops.reshape import ReshapeOp


def shape_of(x: SSAValue) -> tuple[Dim, ...]:
    """The dimensions of a tensor."""
    return sizes(tensor_type(x))


def reshaped(x: SSAValue, shape: Sequence[Dim]) -> SSAValue:
    """Builds `x` under another shape, which is `x` itself for its own."""
    if shape_of(x) == tuple(shape):
        return x
    return ReshapeOp(x, shape=to_names(shape)).result


def expanded(x: SSAValue, shape: Sequence[Dim]) -> SSAValue:
    """Builds `x` repeated along axes of size one, or `x` itself when none is."""
    if shape_of(x) == tuple(shape):
        return x
    return ExpandOp(x, shape=to_names(shape)).result


def filled(value: Array, shape: Sequence[Dim]) -> SSAValue:
    """Builds a tensor of `value`, an array without axes, everywhere."""
    return expanded(ConstantOp(value=value).result, shape)


def permuted(x: SSAValue, order: Sequence[int]) -> SSAValue:
    """Builds `x` whose axis `i` is axis `order[i]`, or `x` itself when all stay."""
    if list(order) == sorted(order):
        return x
    return PermuteOp(x, order=tuple(order)).result


def along(row: SSAValue, axis: int, rank: int) -> SSAValue:
    """Builds a row of numbers as a tensor of `rank` axes, with all of them on one."""
    shape: list[Dim] = [1] * rank
    (shape[axis],) = shape_of(row)
    return reshaped(row, shape)


def per_channel(x: SSAValue, rank: int) -> SSAValue:
    """Builds a number for each channel as a tensor that broadcasts to NxCx...."""
    return reshaped(x, [*shape_of(x), *(1 for _ in range(rank - 2))])


def repeated(x: SSAValue, counts: Sequence[Dim]) -> SSAValue:
    """Builds `x` several times over along each axis, of which there may be more."""
    shape = [*(1 for _ in counts[len(shape_of(x)) :]), *shape_of(x)]
    apart = reshaped(x, [each for size in shape for each in (1, size)])
    pairs = list(zip(counts, shape, strict=True))
    wide = expanded(apart, [each for pair in pairs for each in pair])
    return reshaped(wide, [count * size for count, size in pairs])
