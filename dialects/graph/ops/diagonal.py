"""`graph.diagonal`: a diagonal of two axes, as one axis."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from xdsl.dialects.builtin import DenseArrayBase, IntegerAttr, TensorType, i64
from xdsl.irdl import irdl_op_definition, operand_def, prop_def
from xdsl.utils.exceptions import VerifyException

from ...dims import Dim, maximum, minimum
from ...shape import Array, Tensor, normalize_axis, sizes, tensor, tensor_type
from ..nest import Nest, Read, axes, axis, same
from ..op import SingleResultOp


@irdl_op_definition
class DiagonalOp(SingleResultOp):
    """
    The elements whose index along the second of `axes` is `offset` above that along the
    first; they become the last axis.

    ```mlir
    %1 = graph.diagonal %0 {axes = array<i64: 0, 1>, offset = 0 : i64} : tensor<2x2x5xf32> -> tensor<5x2xf32>
    %2 = graph.diagonal %0 {axes = array<i64: 2, 0>, offset = 1 : i64} : tensor<3x2x5xf32> -> tensor<2x2xf32>
    %3 = graph.diagonal %0 {axes = array<i64: 0, 1>, offset = -1 : i64} : tensor<3x5xf32> -> tensor<2xf32>
    ```
    """

    name = "graph.diagonal"

    input = operand_def(TensorType)
    axes = prop_def(DenseArrayBase.constr(i64))
    offset = prop_def(IntegerAttr.constr(i64))

    @classmethod
    def infer(cls, input: Tensor, axes: tuple[int, ...], offset: int) -> Tensor:
        shape = sizes(input)
        pair = [normalize_axis(each, len(shape)) for each in axes]
        if len(pair) != 2 or pair[0] == pair[1]:
            raise VerifyException(f"expected two axes that differ, got {axes}")
        kept = [size for axis, size in enumerate(shape) if axis not in pair]
        rows, columns = (shape[each] for each in pair)
        return tensor(input.element_type, *kept, length(rows, columns, offset))

    def reference(self, input: Array, axes: tuple[int, ...], offset: int) -> Array:
        # numpy takes an offset of 32 bits; beyond all elements there is nothing more.
        most = max(input.shape)
        return np.diagonal(input, min(max(offset, -most), most), *axes)

    def nests(self) -> Sequence[Nest]:
        offset, rank = self.offset.value.data, len(self.shape) + 1
        first, second = (normalize_axis(e, rank) for e in self.values()["axes"])
        along = axis(rank - 2)
        kept = iter(axes(rank - 2))
        at = tuple(
            along + max(-offset, 0)
            if axis == first
            else along + max(offset, 0)
            if axis == second
            else next(kept)
            for axis in range(len(sizes(tensor_type(self.input))))
        )
        return [Nest(self.shape, (Read(0, at),), same, axes(rank - 1))]


def length(rows: Dim, columns: Dim, offset: int) -> Dim:
    """The number of elements of a diagonal."""
    rows, columns = rows - max(-offset, 0), columns - max(offset, 0)
    least = rows if rows == columns else minimum(rows, columns)
    return maximum(least, 0) if offset else least
