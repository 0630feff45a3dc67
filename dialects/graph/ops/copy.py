"""`graph.copy`: a copy in memory of its own."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from xdsl.dialects.builtin import TensorType
from xdsl.irdl import irdl_op_definition, operand_def

from ...shape import Array, Tensor
from ..nest import Nest, elementwise, same
from ..op import SingleResultOp


@irdl_op_definition
class CopyOp(SingleResultOp):
    """
    A copy of the input in memory that nothing else shares.

    ```mlir
    %1 = graph.copy %0 : tensor<2x3xf32> -> tensor<2x3xf32>
    ```
    """

    name = "graph.copy"

    input = operand_def(TensorType)

    @classmethod
    def infer(cls, input: Tensor) -> Tensor:
        return input

    def reference(self, input: Array) -> Array:
        return np.copy(input)

    def nests(self) -> Sequence[Nest]:
        return [elementwise(self.shape, [self.shape], same)]
