"""Reshaping, broadcasting, permuting and repeating tensors."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import SSAValue

from ...agreement import Agreement
from ...dims import Dim
from ...shape import Array, sizes, tensor_type
from ..literal import to_names
from ..op import Requirement
from ..ops.constant import ConstantOp
from ..ops.expand import ExpandOp
from ..ops.permute import PermuteOp
from ..ops.require import RequireOp
from ..ops.reshape import ReshapeOp


def shape_of(x: SSAValue) -> tuple[Dim, ...]:
    """The dimensions of a tensor."""
    return sizes(tensor_type(x))


def reshaped(x: SSAValue, shape: Sequence[Dim]) -> SSAValue:
    """Builds `x` with another shape; `x` itself when it has that shape."""
    if shape_of(x) == tuple(shape):
        return x
    return ReshapeOp(x, shape=to_names(shape)).result


def must_be(size: Dim, wanted: Dim, op: str) -> None:
    """Builds the check that two sizes are equal, unless they are; `op` requires it."""
    if size != wanted:
        RequireOp.of(Requirement.of(Agreement((size, wanted))), op)


def retyped(x: SSAValue, shape: Sequence[Dim], op: str) -> SSAValue:
    """
    Builds `x` with its sizes in the form of `shape`, which they must equal in every
    run; `op` is what requires that.
    """
    for size, wanted in zip(shape_of(x), shape, strict=True):
        must_be(size, wanted, op)
    return reshaped(x, shape)


def expanded(x: SSAValue, shape: Sequence[Dim]) -> SSAValue:
    """Builds `x` broadcast to a shape; `x` itself when it has that shape."""
    if shape_of(x) == tuple(shape):
        return x
    return ExpandOp(x, shape=to_names(shape)).result


def filled(value: Array, shape: Sequence[Dim]) -> SSAValue:
    """Builds a tensor that is filled with `value`, an array of rank 0."""
    return expanded(ConstantOp(value=value).result, shape)


def permuted(x: SSAValue, order: Sequence[int]) -> SSAValue:
    """Builds `x` with axis `order[i]` as axis `i`; `x` itself for the identity."""
    if list(order) == sorted(order):
        return x
    return PermuteOp(x, order=tuple(order)).result


def along(row: SSAValue, axis: int, rank: int) -> SSAValue:
    """Builds a vector as a tensor of `rank` axes that lies along one of them."""
    shape: list[Dim] = [1] * rank
    (shape[axis],) = shape_of(row)
    return reshaped(row, shape)


def per_channel(x: SSAValue, rank: int) -> SSAValue:
    """Builds a vector of one number per channel, shaped to broadcast to NxCx...."""
    return reshaped(x, [*shape_of(x), *(1 for _ in range(rank - 2))])


def repeated(x: SSAValue, counts: Sequence[Dim]) -> SSAValue:
    """Builds `x` repeated along each axis; more counts than axes add leading axes."""
    shape = [*(1 for _ in counts[len(shape_of(x)) :]), *shape_of(x)]
    apart = reshaped(x, [each for size in shape for each in (1, size)])
    pairs = list(zip(counts, shape, strict=True))
    wide = expanded(apart, [each for pair in pairs for each in pair])
    return reshaped(wide, [count * size for count, size in pairs])
