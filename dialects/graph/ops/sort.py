"""`graph.sort`: elements sorted along an axis, and their indices."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from xdsl.dialects.builtin import IntegerAttr, TensorType, i1, i64
from xdsl.ir import SSAValue
from xdsl.irdl import irdl_op_definition, operand_def, prop_def, result_def

from ...shape import Array, Tensor, normalize_axis, sizes, tensor_type, with_element
from ..op import GraphOp
from .argsort import first_in_order, order


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

    def decompose(self) -> Sequence[SSAValue]:
        axis, descending = self.axis.value.data, bool(self.descending.value.data)
        shape = sizes(tensor_type(self.input))
        size = shape[normalize_axis(axis, len(shape))]
        return first_in_order(self.input, axis, size, descending)
