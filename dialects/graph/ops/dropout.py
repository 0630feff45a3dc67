"""`graph.dropout`: random zeros in training, the identity in a compiled model."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import Float64Type, FloatAttr, TensorType
from xdsl.ir import SSAValue
from xdsl.irdl import irdl_op_definition, operand_def, prop_def

from ...shape import Array, Tensor
from ..op import SingleResultOp


@irdl_op_definition
class DropoutOp(SingleResultOp):
    """
    The input: models are compiled for inference, so nothing is dropped.

    ```mlir
    %1 = graph.dropout %0 {ratio = 0.5 : f64} : tensor<2x3xf32> -> tensor<2x3xf32>
    ```
    """

    name = "graph.dropout"

    input = operand_def(TensorType)
    ratio = prop_def(FloatAttr[Float64Type])

    @classmethod
    def infer(cls, input: Tensor, ratio: float) -> Tensor:
        return input

    def reference(self, input: Array, ratio: float) -> Array:
        return input

    def decompose(self) -> Sequence[SSAValue]:
        return [self.input]
