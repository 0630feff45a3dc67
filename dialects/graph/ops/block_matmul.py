"""`graph.block_matmul`: the product with a matrix whose rows are counted in blocks."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from xdsl.dialects.builtin import IntegerAttr, TensorType, i64
from xdsl.irdl import irdl_op_definition, operand_def, opt_prop_def
from xdsl.utils.exceptions import VerifyException

from ...agreement import agree
from ...dims import product
from ...shape import Array, Tensor, sizes, tensor
from .. import scalar
from ..families.elementwise import require
from ..nest import Linear, Nest, Read, axes, axis
from ..op import SingleResultOp


@irdl_op_definition
class BlockMatmulOp(SingleResultOp):
    """
    The product of `...xK` and a KxN matrix whose K rows are counted by several axes.

    With `batch` both have that many axes first, of the same sizes, along which each
    product has a matrix of its own.

    ```mlir
    %2 = graph.block_matmul %0, %1 : tensor<2x7x12xf32>, tensor<3x4x5xf32> -> tensor<2x7x5xf32>
    %3 = graph.block_matmul %0, %1 {batch = 1 : i64} : tensor<2x7x12xf32>, tensor<2x3x4x5xf32> -> tensor<2x7x5xf32>
    ```
    """

    name = "graph.block_matmul"

    lhs = operand_def(TensorType)
    rhs = operand_def(TensorType)
    batch = opt_prop_def(IntegerAttr.constr(i64))

    @classmethod
    def infer(cls, lhs: Tensor, rhs: Tensor, batch: int = 0) -> Tensor:
        require(lhs, "number")
        if lhs.element_type != rhs.element_type:
            raise VerifyException(
                f"expected operands of one dtype, got {lhs} and {rhs}"
            )
        left, right = sizes(lhs), sizes(rhs)
        if 0 <= batch < len(left) and batch + 1 < len(right):
            *rows, k = left
            *blocks, n = right[batch:]
            is_one_batch = all(map(agree, left[:batch], right[:batch]))
            if is_one_batch and agree(k, product(blocks)):
                return tensor(lhs.element_type, *rows, n)
        behind = f" behind {batch} axes of one batch" if batch else ""
        raise VerifyException(
            f"expected ...xK and blocks of K rows{behind}, got {lhs} and {rhs}"
        )

    def reference(self, lhs: Array, rhs: Array, batch: int = 0) -> Array:
        stack, (*rows, k) = lhs.shape[:batch], lhs.shape[batch:]
        n = rhs.shape[-1]
        with np.errstate(all="ignore"):
            result = np.matmul(
                lhs.reshape(*stack, math.prod(rows), k), rhs.reshape(*stack, k, n)
            )
        return result.reshape(*stack, *rows, n)

    def nests(self) -> Sequence[Nest]:
        *rows, n = self.shape
        stack = self.values().get("batch", 0)
        _, (*blocks, _) = self.operand_sizes()
        blocks = blocks[stack:]
        count = len(rows)
        inner = range(count + 1, count + 1 + len(blocks))
        k = Linear()
        for number, each in enumerate(inner):
            k = k + axis(each) * product(blocks[number + 1 :])
        return [
            Nest(
                (*rows, n, *blocks),
                (
                    Read(0, (*axes(count), k)),
                    Read(1, (*axes(stack), *map(axis, inner), axis(count))),
                ),
                scalar.mul,
                axes(count + 1),
                len(blocks),
                "add",
            )
        ]
