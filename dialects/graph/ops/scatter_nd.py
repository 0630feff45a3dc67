"""`graph.scatter_nd`: a tensor with blocks updated, selected by index tuples."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from xdsl.dialects.builtin import (
    DenseArrayBase,
    IntegerAttr,
    StringAttr,
    TensorType,
    i1,
    i64,
)
from xdsl.irdl import irdl_op_definition, operand_def, prop_def
from xdsl.utils.exceptions import VerifyException

from ...agreement import agreed_shape
from ...shape import Array, Tensor, sizes, tensor_type
from ..families.scatter import combiner, require_update, update
from ..nest import Nest, Read, axes, same
from ..op import SingleResultOp
from .gather_nd import block, chosen, position


@irdl_op_definition
class ScatterNdOp(SingleResultOp):
    """
    The input with each update applied to the block that its indices select.

    The last axis of the indices has an index for each of `axes`; the updates have their
    other axes, then those of a block. With `none` an update replaces the block, and the
    last of several wins; with `add`, `mul`, `max` or `min` updates are combined with it
    in order. An index beyond its axis is an `IndexError` when the model runs. One below
    zero counts from the end when `wraps`, else it is an error too.

    ```mlir
    %3 = graph.scatter_nd %0, %1, %2 {axes = array<i64: 0>, wraps = true, reduction = "add"} : tensor<7x4xf32>, tensor<5x1xi64>, tensor<5x4xf32> -> tensor<7x4xf32>
    %4 = graph.scatter_nd %0, %1, %2 {axes = array<i64: 0, 2>, wraps = false, reduction = "none"} : tensor<7x5x4xf32>, tensor<3x2xi64>, tensor<3x5xf32> -> tensor<7x5x4xf32>
    %5 = graph.scatter_nd %0, %1, %2 {axes = array<i64: 1>, wraps = true, reduction = "mul"} : tensor<4x7xf32>, tensor<5x1xi64>, tensor<5x4xf32> -> tensor<4x7xf32>
    %6 = graph.scatter_nd %0, %1, %2 {axes = array<i64: 0>, wraps = true, reduction = "max"} : tensor<7xf32>, tensor<2x5x1xi64>, tensor<2x5xf32> -> tensor<7xf32>
    %7 = graph.scatter_nd %0, %1, %2 {axes = array<i64: 0>, wraps = true, reduction = "min"} : tensor<7x4xf32>, tensor<1xi64>, tensor<4xf32> -> tensor<7x4xf32>
    %8 = graph.scatter_nd %0, %1, %2 {axes = array<i64>, wraps = true, reduction = "add"} : tensor<7x4xf32>, tensor<5x0xi64>, tensor<5x7x4xf32> -> tensor<7x4xf32>
    %9 = graph.scatter_nd %0, %1, %2 {axes = array<i64>, wraps = true, reduction = "none"} : tensor<f32>, tensor<5x0xi64>, tensor<5xf32> -> tensor<f32>
    ```
    """

    name = "graph.scatter_nd"

    input = operand_def(TensorType)
    indices = operand_def(TensorType)
    updates = operand_def(TensorType)
    axes = prop_def(DenseArrayBase.constr(i64))
    wraps = prop_def(IntegerAttr.constr(i1))
    reduction = prop_def(StringAttr)

    @classmethod
    def infer(
        cls,
        input: Tensor,
        indices: Tensor,
        updates: Tensor,
        axes: tuple[int, ...],
        wraps: bool,
        reduction: str,
    ) -> Tensor:
        inside = block(input, indices, axes)
        require_update(input, updates, reduction)
        wanted = (*sizes(indices)[:-1], *inside)
        if agreed_shape(sizes(updates), wanted) is None:
            raise VerifyException(
                f"expected a block of {input} for each index, got {indices} and "
                f"{updates}"
            )
        return input

    def reference(
        self,
        input: Array,
        indices: Array,
        updates: Array,
        axes: tuple[int, ...],
        wraps: bool,
        reduction: str,
    ) -> Array:
        at = chosen(input.shape, indices, axes, 0, wraps)
        made = update(np.atleast_1d(input), at, updates, reduction)
        return made.reshape(input.shape)

    def nests(self) -> Sequence[Nest]:
        values = self.values()
        _, indices, updates = map(tensor_type, self.operands)
        there = position(self.type, indices, values["axes"], 0, values["wraps"])
        here, points = axes(len(self.shape)), sizes(updates)
        onto = combiner(values["reduction"])
        return [
            Nest(self.shape, (Read(0, here),), same, here),
            Nest(points, (Read(2, axes(len(points))),), same, there, onto=onto),
        ]
