"""`graph.matmul`: the product of two matrices, or of two stacks of them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from xdsl.dialects.builtin import TensorType
from xdsl.ir import TypeAttribute
from xdsl.irdl import irdl_op_definition, operand_def, opt_prop_def
from xdsl.utils.exceptions import VerifyException

from ...agreement import agree, broadcast
from ...element_type import Element
from ...shape import Array, Tensor, sizes, tensor
from .. import scalar
from ..families.elementwise import require
from ..families.product import sum_element, widened
from ..nest import Nest, Read, axes, axis, broadcast_positions
from ..op import SingleResultOp


@irdl_op_definition
class MatmulOp(SingleResultOp):
    """
    The product of an MxK and a KxN matrix; axes before the last two broadcast.

    With `to` the sums have that type, to which a load widens the elements of both: bytes
    of any sign are multiplied and summed in i32, which wraps.

    ```mlir
    %2 = graph.matmul %0, %1 : tensor<2x3xf32>, tensor<3x5xf32> -> tensor<2x5xf32>
    %3 = graph.matmul %0, %1 : tensor<7x1x2x3xf32>, tensor<4x3x5xf32> -> tensor<7x4x2x5xf32>
    %4 = graph.matmul %0, %1 {to = i32} : tensor<2x3xui8>, tensor<3x5xsi8> -> tensor<2x5xi32>
    ```
    """

    name = "graph.matmul"

    lhs = operand_def(TensorType)
    rhs = operand_def(TensorType)
    to = opt_prop_def(TypeAttribute)

    @classmethod
    def infer(cls, lhs: Tensor, rhs: Tensor, to: Element | None = None) -> Tensor:
        require(lhs, "number")
        if (element := sum_element(lhs, rhs, to)) is None:
            wanted = (
                "operands of one dtype" if to is None else f"bytes for sums of {to}"
            )
            raise VerifyException(f"expected {wanted}, got {lhs} and {rhs}")
        match sizes(lhs), sizes(rhs):
            case (*left, m, k), (*right, k2, n) if agree(k, k2):
                stack = broadcast(
                    tensor(lhs.element_type, *left), tensor(rhs.element_type, *right)
                )
                return tensor(element, *stack, m, n)
            case _:
                raise VerifyException(f"expected MxK and KxN, got {lhs} and {rhs}")

    def reference(self, lhs: Array, rhs: Array, to: Element | None = None) -> Array:
        with np.errstate(all="ignore"):
            return np.matmul(widened(lhs, to), widened(rhs, to))

    def nests(self) -> Sequence[Nest]:
        *stack, m, n = self.shape
        (*left, _, k), (*right, _, _) = self.operand_sizes()
        count = len(stack)
        i, j, inner = axis(count), axis(count + 1), axis(count + 2)
        lhs, rhs = broadcast_positions(stack, (left, right))
        return [
            Nest(
                (*stack, m, n, k),
                (Read(0, (*lhs, i, inner)), Read(1, (*rhs, inner, j))),
                scalar.mul,
                axes(count + 2),
                1,
                "add",
            )
        ]
