"""`graph.dequantize`: the numbers that steps of a scale stand for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

import numpy as np
from xdsl.ir import SSAValue
from xdsl.irdl import irdl_op_definition
from xdsl.utils.exceptions import VerifyException

from ...element_type import ELEMENT_TYPES
from ...shape import DTYPES, Array, Tensor, tensor_type, with_element
from .. import scalar
from ..families.elementwise import require
from ..families.scaled import ScaledOp, require_scaled
from ..families.steps import less_zero
from ..nest import Nest, elementwise


@irdl_op_definition
class DequantizeOp(ScaledOp):
    """
    The input less `zero_point`, times `scale`, in elements of the type of the scale.

    The difference is one of integers and wraps; it is converted before the product.

    ```mlir
    %3 = graph.dequantize %0, %1, %2 : tensor<2x3xui8>, tensor<f32>, tensor<ui8> -> tensor<2x3xf32>
    %4 = graph.dequantize %0, %1, %2 : tensor<2x3xsi8>, tensor<2x1xf32>, tensor<si8> -> tensor<2x3xf32>
    %5 = graph.dequantize %0, %1, %2 : tensor<2x3xi32>, tensor<3xf32>, tensor<i32> -> tensor<2x3xf32>
    ```
    """

    name = "graph.dequantize"

    TAKES_STORED: ClassVar = True

    @classmethod
    def infer(cls, input: Tensor, scale: Tensor, zero_point: Tensor) -> Tensor:
        require(input, "integer")
        if input.element_type != zero_point.element_type:
            raise VerifyException(
                f"expected a zero point of the type of the input, got {input} and "
                f"{zero_point}"
            )
        require_scaled(input, scale, zero_point)
        return with_element(input, scale.element_type)

    def reference(self, input: Array, scale: Array, zero_point: Array) -> Array:
        row = ELEMENT_TYPES[tensor_type(self.input).element_type]
        kind = DTYPES[row.compute]
        with np.errstate(all="ignore"):
            steps = input.astype(kind) - zero_point.astype(kind)
            return steps.astype(scale.dtype) * scale

    def nests(self) -> Sequence[Nest]:
        to, stored = self.type.element_type, tensor_type(self.input).element_type

        def body(x: SSAValue, scale: SSAValue, zero_point: SSAValue) -> SSAValue:
            steps = less_zero(x, zero_point, stored)
            return scalar.mul(scalar.cast(steps, to), scale)

        return [elementwise(self.shape, self.operand_sizes(), body)]
