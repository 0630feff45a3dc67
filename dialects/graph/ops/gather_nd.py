"""`graph.gather_nd`: blocks of a tensor, selected by index tuples."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from xdsl.dialects.builtin import DenseArrayBase, IntegerAttr, TensorType, i1, i64
from xdsl.irdl import irdl_op_definition, operand_def, prop_def
from xdsl.utils.exceptions import VerifyException

from ...agreement import agreed_shape
from ...dims import Dim
from ...shape import Array, Tensor, sizes, tensor, tensor_type
from ..families.elementwise import require
from ..nest import Linear, Lookup, Nest, Position, Read, axes, axis, same
from ..op import SingleResultOp
from .gather import check_range


def block(
    input: Tensor, indices: Tensor, axes: Sequence[int], batch_dims: int = 0
) -> tuple[Dim, ...]:
    """
    The dimensions of the axes without indices, in order, which a selected block has.

    Raises `VerifyException` when the indices do not fit.
    """
    require(indices, "integer")
    shape, inner = sizes(input), sizes(indices)
    within = range(batch_dims, len(shape))
    if (
        batch_dims < 0
        or len(set(axes)) < len(axes)
        or any(axis not in within for axis in axes)
    ):
        raise VerifyException(
            f"expected axes that differ, from {batch_dims} to {len(shape) - 1}, got "
            f"{tuple(axes)}"
        )
    if inner[-1:] != (len(axes),):
        raise VerifyException(f"expected indices of {len(axes)} each, got {indices}")
    batch = inner[:-1][:batch_dims]
    if batch_dims >= len(inner) or agreed_shape(batch, shape[:batch_dims]) is None:
        raise VerifyException(
            f"expected {batch_dims} axes alike, got {input} and {indices}"
        )
    return tuple(shape[each] for each in within if each not in axes)


def position(
    input: Tensor,
    indices: Tensor,
    looked_up: Sequence[int],
    batch_dims: int,
    wraps: bool,
) -> tuple[Position, ...]:
    """The position of a point: batch axes, looked-up axes, and axes of the block."""
    outer = len(sizes(indices)) - 1
    at: list[Position] = list(axes(batch_dims))
    start = outer
    for number, size in enumerate(sizes(input)[batch_dims:], batch_dims):
        if number in looked_up:
            which = Linear(offset=looked_up.index(number))
            at.append(Lookup(1, (*axes(outer), which), size, wraps))
        else:
            at.append(axis(start))
            start += 1
    return tuple(at)


def chosen(
    shape: tuple[int, ...],
    indices: Array,
    axes: Sequence[int],
    batch_dims: int,
    wraps: bool,
) -> tuple[Array, ...]:
    """
    The index arrays for numpy's advanced indexing, one for each axis, all of the same
    shape; a scalar is indexed as a row of one.

    Raises `IndexError` when an index is out of range.
    """
    for number, each in enumerate(axes):
        check_range(indices[..., number], shape[each], wraps)
    outer = indices.shape[:-1]
    if not shape:
        return (np.zeros(outer, np.int64),)
    rest = [n for n in range(batch_dims, len(shape)) if n not in axes]
    grid = np.indices((*outer, *(shape[each] for each in rest)), sparse=True)
    at = dict(zip([*range(batch_dims)], grid)) | dict(zip(rest, grid[len(outer) :]))
    for number, each in enumerate(axes):
        at[each] = indices[..., number].reshape(outer + (1,) * len(rest))
    whole = (*outer, *(shape[each] for each in rest))
    return tuple(np.broadcast_to(at[number], whole) for number in range(len(shape)))


@irdl_op_definition
class GatherNdOp(SingleResultOp):
    """
    The block of the input that each tuple of indices selects along `axes`.

    The last axis of the indices has an index for each of `axes`; the result has their
    other axes, then those of a block. The first `batch_dims` axes are shared: an index
    selects within its own batch. An index beyond its axis is an `IndexError` when the
    model runs. One below zero counts from the end when `wraps`, else it is an error
    too.

    ```mlir
    %2 = graph.gather_nd %0, %1 {axes = array<i64: 0, 1>, batch_dims = 0 : i64, wraps = true} : tensor<7x5x4xf32>, tensor<3x2xi64> -> tensor<3x4xf32>
    %3 = graph.gather_nd %0, %1 {axes = array<i64: 1>, batch_dims = 1 : i64, wraps = false} : tensor<3x7x4xf32>, tensor<3x5x1xi64> -> tensor<3x5x4xf32>
    %4 = graph.gather_nd %0, %1 {axes = array<i64: 2, 0>, batch_dims = 0 : i64, wraps = true} : tensor<7x5x4xf32>, tensor<3x2xi64> -> tensor<3x5xf32>
    %5 = graph.gather_nd %0, %1 {axes = array<i64: 0>, batch_dims = 0 : i64, wraps = true} : tensor<7xf32>, tensor<1xi64> -> tensor<f32>
    %6 = graph.gather_nd %0, %1 {axes = array<i64>, batch_dims = 0 : i64, wraps = true} : tensor<7x5xf32>, tensor<3x0xi64> -> tensor<3x7x5xf32>
    %7 = graph.gather_nd %0, %1 {axes = array<i64>, batch_dims = 0 : i64, wraps = true} : tensor<f32>, tensor<3x0xi64> -> tensor<3xf32>
    ```
    """

    name = "graph.gather_nd"

    input = operand_def(TensorType)
    indices = operand_def(TensorType)
    axes = prop_def(DenseArrayBase.constr(i64))
    batch_dims = prop_def(IntegerAttr.constr(i64))
    wraps = prop_def(IntegerAttr.constr(i1))

    @classmethod
    def infer(
        cls,
        input: Tensor,
        indices: Tensor,
        axes: tuple[int, ...],
        batch_dims: int,
        wraps: bool,
    ) -> Tensor:
        inside = block(input, indices, axes, batch_dims)
        return tensor(input.element_type, *sizes(indices)[:-1], *inside)

    def reference(
        self,
        input: Array,
        indices: Array,
        axes: tuple[int, ...],
        batch_dims: int,
        wraps: bool,
    ) -> Array:
        at = chosen(input.shape, indices, axes, batch_dims, wraps)
        return np.atleast_1d(input)[at]

    def nests(self) -> Sequence[Nest]:
        values = self.values()
        at = position(
            tensor_type(self.input),
            tensor_type(self.indices),
            values["axes"],
            values["batch_dims"],
            values["wraps"],
        )
        return [Nest(self.shape, (Read(0, at),), same, axes(len(self.shape)))]
