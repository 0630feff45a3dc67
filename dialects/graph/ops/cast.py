"""`graph.cast`: a tensor with its elements converted to another type."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from xdsl.dialects.builtin import TensorType
from xdsl.ir import Attribute, SSAValue, TypeAttribute
from xdsl.irdl import irdl_op_definition, operand_def, prop_def
from xdsl.utils.exceptions import VerifyException

from ...element_type import Element, compute_type
from ...shape import DTYPES, KNOWN, Array, Tensor, tensor_type, with_element
from .. import scalar
from ..element_array import to_elements, to_numbers
from ..nest import Nest, elementwise, same
from ..op import SingleResultOp


@irdl_op_definition
class CastOp(SingleResultOp):
    """
    The elements converted to the type `to`.

    A float becomes an integer by truncation, saturates at the bounds of the integer
    type, and NaN becomes zero; of an integer the low bits are kept. A number becomes
    true when it is not zero. A float becomes the nearest float of fewer bits, of two
    the even one; an integer becomes an f32 on the way to a float of 16 bits.

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

    TAKES_ELEMENTS: ClassVar = True

    input = operand_def(TensorType)
    to = prop_def(TypeAttribute)

    @classmethod
    def infer(cls, input: Tensor, to: Element) -> Tensor:
        if to not in DTYPES:
            raise VerifyException(f"expected a cast to {KNOWN}, got {to}")
        return with_element(input, to)

    @property
    def only_widens(self) -> bool:
        """Whether a load of the input has the elements of the result anyway."""
        element = tensor_type(self.input).element_type
        return self.to != element and self.to == compute_type(element)

    def reference(self, input: Array, to: Element) -> Array:
        element = tensor_type(self.input).element_type
        return to_elements(to_numbers(input, element), to)

    def nests(self) -> Sequence[Nest]:
        to: Attribute = self.to

        def body(x: SSAValue) -> SSAValue:
            return scalar.cast(x, to)

        keeps = self.type == self.input.type
        return [elementwise(self.shape, [self.shape], same if keeps else body)]
