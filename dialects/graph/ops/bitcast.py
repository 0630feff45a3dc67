"""`graph.bitcast`: the bits of a tensor reinterpreted as another element type."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import ClassVar

from xdsl.dialects.builtin import TensorType, i1
from xdsl.ir import TypeAttribute
from xdsl.irdl import irdl_op_definition, operand_def, prop_def
from xdsl.utils.exceptions import VerifyException

from ...element_type import ELEMENT_TYPES, Element
from ...shape import DTYPES, Array, Tensor, dtype, tensor_type, with_element
from .. import scalar
from ..nest import Nest, elementwise
from ..op import SingleResultOp


@irdl_op_definition
class BitcastOp(SingleResultOp):
    """
    The elements' bits reinterpreted as another type of the same width; a boolean is a
    byte of 0 or 1.

    ```mlir
    %1 = graph.bitcast %0 {to = i32} : tensor<2x3xf32> -> tensor<2x3xi32>
    %2 = graph.bitcast %0 {to = f64} : tensor<2x3xi64> -> tensor<2x3xf64>
    %3 = graph.bitcast %0 {to = si8} : tensor<2x3xui8> -> tensor<2x3xsi8>
    ```
    """

    name = "graph.bitcast"

    TAKES_ELEMENTS: ClassVar = True

    input = operand_def(TensorType)
    to = prop_def(TypeAttribute)

    @classmethod
    def infer(cls, input: Tensor, to: Element) -> Tensor:
        if to not in DTYPES or to == i1:
            raise VerifyException(f"expected numbers, got {input} to {to}")
        if ELEMENT_TYPES[to].bits < 8 or 1 < input.element_type.bitwidth < 8:
            raise VerifyException(f"expected whole bytes, got {input} to {to}")
        if DTYPES[to].itemsize != dtype(input).itemsize:
            raise VerifyException(f"expected as many bits, got {input} to {to}")
        return with_element(input, to)

    def reference(self, input: Array, to: Element) -> Array:
        return input.view(DTYPES[to])

    def nests(self) -> Sequence[Nest]:
        type, to = tensor_type(self.input).element_type, self.to
        body = partial(scalar.bitcast, type=type, to=to)
        if type == i1:
            body = partial(scalar.cast, type=to)
        return [elementwise(self.shape, [self.shape], body)]
