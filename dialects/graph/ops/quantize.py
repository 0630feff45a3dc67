"""`graph.quantize`: numbers as steps of a scale, rounded to integers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

import numpy as np
from xdsl.dialects import math
from xdsl.dialects.builtin import UnitAttr, i32
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import irdl_op_definition, opt_prop_def
from xdsl.utils.exceptions import VerifyException

from ...element_type import ELEMENT_TYPES
from ...shape import Array, Tensor, is_float, tensor_type, with_element
from .. import scalar
from ..element_array import to_elements
from ..families.scaled import ScaledOp, require_scaled
from ..families.steps import nearest_step
from ..nest import Nest, elementwise


@irdl_op_definition
class QuantizeOp(ScaledOp):
    """
    The input in steps of `scale`, counted from `zero_point`, in elements of its type.

    The quotient is rounded to the nearest integer, ties to even; then the zero point is
    added, and the sum saturates. Each step is one operation of the type of the input.
    NaN becomes the least value, as in ONNX Runtime. With `reciprocal` the operand
    `scale` is a factor of the input instead of its divisor, and NaN becomes zero, as in
    PyTorch.

    ```mlir
    %3 = graph.quantize %0, %1, %2 : tensor<2x3xf32>, tensor<f32>, tensor<ui8> -> tensor<2x3xui8>
    %4 = graph.quantize %0, %1, %2 : tensor<2x3xf32>, tensor<3xf32>, tensor<3xsi8> -> tensor<2x3xsi8>
    %5 = graph.quantize %0, %1, %2 {reciprocal} : tensor<2x3xf32>, tensor<2x1xf32>, tensor<si8> -> tensor<2x3xsi8>
    ```
    """

    name = "graph.quantize"

    TAKES_STORED: ClassVar = True

    reciprocal = opt_prop_def(UnitAttr)

    @classmethod
    def infer(
        cls, input: Tensor, scale: Tensor, zero_point: Tensor, reciprocal: bool = False
    ) -> Tensor:
        if not is_float(input) or input.element_type != scale.element_type:
            raise VerifyException(
                f"expected floats and a scale of their type, got {input} and {scale}"
            )
        require_scaled(input, scale, zero_point)
        return with_element(input, zero_point.element_type)

    def reference(
        self, input: Array, scale: Array, zero_point: Array, reciprocal: bool = False
    ) -> Array:
        to = tensor_type(self.zero_point).element_type
        with np.errstate(all="ignore"):
            steps = np.rint(input * scale if reciprocal else input / scale)
            steps = steps + zero_point.astype(input.dtype)
        if not reciprocal:
            least = steps.dtype.type(ELEMENT_TYPES[to].limits[0])
            steps = np.where(steps >= least, steps, least)
        return to_elements(steps, to)

    def nests(self) -> Sequence[Nest]:
        to = tensor_type(self.zero_point).element_type
        multiplies = self.reciprocal is not None
        row = ELEMENT_TYPES[to]
        is_narrow = row.is_widened and row.compute == i32
        body = nearest_step if is_narrow else _in_floats

        def quantize(x: SSAValue, scale: SSAValue, zero_point: SSAValue) -> SSAValue:
            steps = (scalar.mul if multiplies else scalar.div)(x, scale)
            return body(steps, zero_point, to, multiplies)

        return [elementwise(self.shape, self.operand_sizes(), quantize)]


def _in_floats(
    steps: SSAValue, zero_point: SSAValue, to: Attribute, has_zeros: bool
) -> SSAValue:
    """Builds the step of a quotient; NaN becomes zero, or else the least."""
    steps = math.RoundEvenOp(steps).result
    steps = scalar.add(steps, scalar.cast(zero_point, steps.type))
    if not has_zeros:
        least = scalar.constant(ELEMENT_TYPES[to].limits[0], steps.type)
        inside = scalar.compare("ge", steps, least)
        steps = scalar.select(inside, steps, least)
    return scalar.cast(steps, to)
