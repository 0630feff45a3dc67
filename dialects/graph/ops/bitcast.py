"""`graph.bitcast`: the bits of a tensor reinterpreted as another element type."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import arith
from xdsl.dialects.builtin import TensorType, i1
from xdsl.ir import SSAValue, TypeAttribute
from xdsl.irdl import irdl_op_definition, operand_def, prop_def
from xdsl.utils.exceptions import VerifyException

from ...element_type import Element, compute_type
from ...shape import DTYPES, Array, Tensor, dtype, with_element
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
    ```
    """

    name = "graph.bitcast"

    input = operand_def(TensorType)
    to = prop_def(TypeAttribute)

    @classmethod
    def infer(cls, input: Tensor, to: Element) -> Tensor:
        if to not in DTYPES or to == i1:
            raise VerifyException(f"expected numbers, got {input} to {to}")
        if DTYPES[to].itemsize != dtype(input).itemsize:
            raise VerifyException(f"expected as many bits, got {input} to {to}")
        return with_element(input, to)

    def reference(self, input: Array, to: Element) -> Array:
        return input.view(DTYPES[to])

    def nests(self) -> Sequence[Nest]:
        to = compute_type(self.to)

        def body(x: SSAValue) -> SSAValue:
            if x.type in (to, i1):
                return scalar.cast(x, to)
            return arith.BitcastOp(x, to).result

        return [elementwise(self.shape, [self.shape], body)]
