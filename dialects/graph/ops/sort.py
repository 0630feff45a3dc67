"""`graph.sort`: elements sorted along an axis, and their indices."""

from __future__ import annotations

import numpy as np
from xdsl.dialects.builtin import IntegerAttr, TensorType, i1, i64
from xdsl.irdl import irdl_op_definition, operand_def, prop_def, result_def

from ...shape import Array, Tensor, normalize_axis, sizes, with_element
from ..op import GraphOp


@irdl_op_definition
class SortOp(GraphOp):
    """
    The elements along `axis` in ascending or descending order, and the index that each
    had.

    The sort is stable. NaN is greater than every number.

    ```mlir
    %1, %2 = graph.sort %0 {axis = 1 : i64, descending = false} : tensor<2x3xf32> -> tensor<2x3xf32>, tensor<2x3xi64>
    %3, %4 = graph.sort %0 {axis = 0 : i64, descending = true} : tensor<2x3xf32> -> tensor<2x3xf32>, tensor<2x3xi64>
    ```
    """

    name = "graph.sort"

    input = operand_def(TensorType)
    axis = prop_def(IntegerAttr.constr(i64))
    descending = prop_def(IntegerAttr.constr(i1))
    sorted = result_def(TensorType)
    indices = result_def(TensorType)

    @classmethod
    def infer(cls, input: Tensor, axis: int, descending: bool) -> tuple[Tensor, Tensor]:
        normalize_axis(axis, len(sizes(input)))
        return input, with_element(input, i64)

    def reference(
        self, input: Array, axis: int, descending: bool
    ) -> tuple[Array, Array]:
        indices = order(input, axis, descending)
        return np.take_along_axis(input, indices, axis), indices


def order(input: Array, axis: int, descending: bool) -> Array:
    """The indices that stably sort the elements along an axis."""
    if not descending:
        return np.argsort(input, axis, kind="stable")
    # Reversed, so that of equal elements the later one counts as less.
    last = input.shape[axis] - 1
    turned = np.argsort(np.flip(input, axis), axis, kind="stable")
    return np.ascontiguousarray(last - np.flip(turned, axis))
