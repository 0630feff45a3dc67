"""
`graph.batch_norm`: each channel normalized by statistics that are operands.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from xdsl.dialects.builtin import Float64Type, FloatAttr, TensorType
from xdsl.ir import SSAValue
from xdsl.irdl import irdl_op_definition, operand_def, prop_def
from xdsl.utils.exceptions import VerifyException

from ...agreement import agreed_shape
from ...shape import Array, Tensor, sizes
from ..element_array import to_elements
from ..families.elementwise import require
from ..literal import to_names
from ..op import SingleResultOp
from .arithmetic import SqrtOp
from .binary import AddOp, DivOp, MulOp, SubOp
from .constant import ConstantOp
from .reshape import ReshapeOp


@irdl_op_definition
class BatchNormOp(SingleResultOp):
    """
    `(input - mean) / sqrt(variance + epsilon) * scale + bias` for each channel of
    NxCx...

    ```mlir
    %5 = graph.batch_norm %0, %1, %2, %3, %4 {epsilon = 1.0e-05 : f64} : tensor<2x3x5xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32> -> tensor<2x3x5xf32>
    ```
    """

    name = "graph.batch_norm"

    input = operand_def(TensorType)
    scale = operand_def(TensorType)
    bias = operand_def(TensorType)
    mean = operand_def(TensorType)
    variance = operand_def(TensorType)
    epsilon = prop_def(FloatAttr[Float64Type])

    @classmethod
    def infer(cls, input: Tensor, *statistics: Tensor, epsilon: float) -> Tensor:
        require(input, "float")
        shape = sizes(input)
        for each in statistics:
            if (
                len(shape) < 2
                or each.element_type != input.element_type
                or agreed_shape(sizes(each), shape[1:2]) is None
            ):
                raise VerifyException(f"expected NxCx... and C, got {input} and {each}")
        return input

    def reference(
        self,
        input: Array,
        scale: Array,
        bias: Array,
        mean: Array,
        variance: Array,
        epsilon: float,
    ) -> Array:
        shape = (-1, *(1 for _ in input.shape[2:]))
        with np.errstate(all="ignore"):
            factor = scale / np.sqrt(variance + input.dtype.type(epsilon))
            shift = bias - mean * factor
            return input * factor.reshape(shape) + shift.reshape(shape)

    def scale_and_shift(self) -> tuple[SSAValue, SSAValue]:
        """Builds the scale and the bias of each channel: two tensors of size C."""
        epsilon = ConstantOp(
            value=to_elements(self.epsilon.value.data, self.type.element_type)
        )
        factor = DivOp(self.scale, SqrtOp(AddOp(self.variance, epsilon)))
        shift = SubOp(self.bias, MulOp(self.mean, factor))
        return factor.result, shift.result

    def decompose(self) -> Sequence[SSAValue]:
        _, channels, *spatial = self.shape
        shape = to_names([channels, *(1 for _ in spatial)])
        factor, shift = (
            ReshapeOp(each, shape=shape) for each in self.scale_and_shift()
        )
        return [AddOp(MulOp(self.input, factor), shift).result]
