"""`graph.topk`: the greatest or least elements along an axis, and their indices."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

import numpy as np
from xdsl.dialects.builtin import IntegerAttr, StringAttr, TensorType, i1, i64
from xdsl.ir import SSAValue
from xdsl.irdl import irdl_op_definition, operand_def, prop_def, result_def
from xdsl.utils.exceptions import VerifyException

from ...dims import dim
from ...shape import Array, Tensor, normalize_axis, sizes, tensor, tensor_type
from ..op import GraphOp, Requirement
from .argsort import first_in_order, order


@irdl_op_definition
class TopkOp(GraphOp):
    """
    The `k` greatest or least elements along `axis`, in order, and their indices. Of
    equal elements the first come first. NaN is greater than every number.

    ```mlir
    %1, %2 = graph.topk %0 {axis = 1 : i64, k = "3", largest = true} : tensor<2x5xf32> -> tensor<2x3xf32>, tensor<2x3xi64>
    %3, %4 = graph.topk %0 {axis = 0 : i64, k = "1", largest = false} : tensor<2x5xf32> -> tensor<1x5xf32>, tensor<1x5xi64>
    ```
    """

    name = "graph.topk"
    DIM_PROPERTIES: ClassVar = ("k",)

    input = operand_def(TensorType)
    axis = prop_def(IntegerAttr.constr(i64))
    k = prop_def(StringAttr)
    largest = prop_def(IntegerAttr.constr(i1))
    found = result_def(TensorType)
    indices = result_def(TensorType)

    @classmethod
    def infer(
        cls, input: Tensor, axis: int, k: str, largest: bool
    ) -> tuple[Tensor, Tensor]:
        shape = list(sizes(input))
        along, count = normalize_axis(axis, len(shape)), dim(k)
        rest = shape[along] - count
        if any(isinstance(each, int) and each < 0 for each in (count, rest)):
            raise VerifyException(f"expected {k} elements along {axis}, got {input}")
        shape[along] = count
        return tensor(input.element_type, *shape), tensor(i64, *shape)

    def requirements(self) -> Sequence[Requirement]:
        type, k = tensor_type(self.input), self.k.data
        count = sizes(type)[self.axis.value.data]
        return [Requirement(count - dim(k), f"expected {k} elements or more in {type}")]

    def reference(
        self, input: Array, axis: int, k: str | tuple[int, ...], largest: bool
    ) -> tuple[Array, Array]:
        count = int(k) if isinstance(k, str) else k[0]
        first = order(input, axis, descending=largest)
        indices = np.take(first, range(count), axis)
        return np.take_along_axis(input, indices, axis), indices

    def decompose(self) -> Sequence[SSAValue]:
        largest = bool(self.largest.value.data)
        return first_in_order(
            self.input, self.axis.value.data, dim(self.k.data), descending=largest
        )
