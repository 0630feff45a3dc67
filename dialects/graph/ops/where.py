"""
`graph.where`: elements of one of two tensors, selected by a condition.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

import numpy as np
from xdsl.dialects.builtin import TensorType, i1
from xdsl.irdl import irdl_op_definition, operand_def
from xdsl.utils.exceptions import VerifyException

from ...agreement import broadcast
from ...shape import Array, Tensor, tensor
from .. import scalar
from ..nest import Nest, elementwise
from ..op import SingleResultOp


@irdl_op_definition
class WhereOp(SingleResultOp):
    """
    Elements of `on_true` where `condition` holds, of `on_false` elsewhere.

    ```mlir
    %3 = graph.where %0, %1, %2 : tensor<2x3xi1>, tensor<3xf32>, tensor<f32> -> tensor<2x3xf32>
    ```
    """

    name = "graph.where"
    SPELLINGS: ClassVar = ("onnx.Where", "aten.where.self")

    condition = operand_def(TensorType)
    on_true = operand_def(TensorType)
    on_false = operand_def(TensorType)

    @classmethod
    def infer(cls, condition: Tensor, on_true: Tensor, on_false: Tensor) -> Tensor:
        if condition.element_type != i1:
            raise VerifyException(f"expected a condition of i1, got {condition}")
        if on_true.element_type != on_false.element_type:
            raise VerifyException(
                f"expected branches of one dtype, got {on_true} and {on_false}"
            )
        return tensor(on_true.element_type, *broadcast(condition, on_true, on_false))

    def reference(self, condition: Array, on_true: Array, on_false: Array) -> Array:
        return np.where(condition, on_true, on_false)

    def nests(self) -> Sequence[Nest]:
        return [elementwise(self.shape, self.operand_sizes(), scalar.select)]
