"""`graph.matmul`: the product of two matrices, or of two stacks of them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from xdsl.dialects.builtin import TensorType
from xdsl.irdl import irdl_op_definition, operand_def
from xdsl.utils.exceptions import VerifyException

from ...agreement import agree, broadcast
from ...shape import Array, Tensor, sizes, tensor
from .. import scalar
from ..families.elementwise import require
from ..nest import Nest, Read, axes, axis, broadcast_positions
from ..op import SingleResultOp


@irdl_op_definition
class MatmulOp(SingleResultOp):
    """
    The product of an MxK and a KxN matrix; axes before the last two broadcast.

    ```mlir
    %2 = graph.matmul %0, %1 : tensor<2x3xf32>, tensor<3x5xf32> -> tensor<2x5xf32>
    %3 = graph.matmul %0, %1 : tensor<7x1x2x3xf32>, tensor<4x3x5xf32> -> tensor<7x4x2x5xf32>
    ```
    """

    name = "graph.matmul"

    lhs = operand_def(TensorType)
    rhs = operand_def(TensorType)

    @classmethod
    def infer(cls, lhs: Tensor, rhs: Tensor) -> Tensor:
        require(lhs, "number")
        if lhs.element_type != rhs.element_type:
            raise VerifyException(
                f"expected operands of one dtype, got {lhs} and {rhs}"
            )
        match sizes(lhs), sizes(rhs):
            case (*left, m, k), (*right, k2, n) if agree(k, k2):
                stack = broadcast(
                    tensor(lhs.element_type, *left), tensor(lhs.element_type, *right)
                )
                return tensor(lhs.element_type, *stack, m, n)
            case _:
                raise VerifyException(f"expected MxK and KxN, got {lhs} and {rhs}")

    def reference(self, lhs: Array, rhs: Array) -> Array:
        with np.errstate(all="ignore"):
            return np.matmul(lhs, rhs)

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
