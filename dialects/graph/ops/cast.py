"""`graph.cast`: a tensor with its elements converted to another type."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

import numpy as np
from xdsl.dialects.builtin import AnyFloat, TensorType, bf16, f32
from xdsl.ir import Attribute, SSAValue, TypeAttribute
from xdsl.irdl import irdl_op_definition, operand_def, prop_def
from xdsl.utils.exceptions import VerifyException

from ...element_type import ELEMENT_TYPES, Element
from ...shape import KNOWN, STORED, Array, Tensor, tensor_type, with_element
from .. import scalar
from ..bf16 import narrow, widen
from ..nest import Nest, elementwise, same
from ..op import SingleResultOp


@irdl_op_definition
class CastOp(SingleResultOp):
    """
    The elements converted to the type `to`.

    A float becomes an integer by truncation, saturates at the bounds of the integer
    type, and NaN becomes zero; of an integer the low bits are kept. A number becomes
    true when it is not zero. A bf16 must be converted to f32 before arithmetic; an f32
    becomes the nearest bf16.

    ```mlir
    %1 = graph.cast %0 {to = i64} : tensor<2x3xf32> -> tensor<2x3xi64>
    %2 = graph.cast %0 {to = f64} : tensor<2x3xf32> -> tensor<2x3xf64>
    %3 = graph.cast %0 {to = i1} : tensor<2x3xf32> -> tensor<2x3xi1>
    %4 = graph.cast %0 {to = i32} : tensor<2x3xf32> -> tensor<2x3xi32>
    %5 = graph.cast %0 {to = f32} : tensor<2x3xf32> -> tensor<2x3xf32>
    %6 = graph.cast %0 {to = ui8} : tensor<2x3xf32> -> tensor<2x3xui8>
    ```
    """

    name = "graph.cast"

    TAKES_STORED: ClassVar = True

    input = operand_def(TensorType)
    to = prop_def(TypeAttribute)

    @classmethod
    def infer(cls, input: Tensor, to: Element) -> Tensor:
        if to == bf16 and input.element_type != f32:
            raise VerifyException(f"expected a cast of f32 to bf16, got {input}")
        if to not in STORED:
            raise VerifyException(f"expected a cast to {KNOWN}, got {to}")
        if input.element_type == bf16 and not isinstance(to, AnyFloat):
            raise VerifyException(f"expected a cast of bf16 to a float, got {to}")
        return with_element(input, to)

    def reference(self, input: Array, to: Element) -> Array:
        dtype = STORED[to]
        if to == bf16:
            return narrow(input).reshape(input.shape)
        if tensor_type(self.input).element_type == bf16:
            return widen(input).astype(dtype)
        if input.dtype.kind != "f" or dtype.kind not in "iu":
            with np.errstate(over="ignore"):
                return input.astype(dtype)
        least, most = ELEMENT_TYPES[to].limits
        whole = np.nan_to_num(np.trunc(input), nan=0, posinf=np.inf, neginf=-np.inf)
        low, high = float(least), float(most)
        inside = (whole >= low) & (whole < high)
        converted = np.where(inside, whole, 0).astype(dtype)
        converted = np.where(whole < low, least, converted)
        return np.where(whole >= high, most, converted).astype(dtype)

    def nests(self) -> Sequence[Nest]:
        to: Attribute = self.to

        def body(x: SSAValue) -> SSAValue:
            return scalar.cast(x, to)

        keeps = self.type == self.input.type
        return [elementwise(self.shape, [self.shape], same if keeps else body)]
