"""`graph.block_matmul`: the product with a matrix whose rows are counted in blocks."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from xdsl.dialects.builtin import TensorType
from xdsl.irdl import irdl_op_definition, operand_def
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

    ```mlir
    %2 = graph.block_matmul %0, %1 : tensor<2x7x12xf32>, tensor<3x4x5xf32> -> tensor<2x7x5xf32>
    ```
    """

    name = "graph.block_matmul"

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
            case (*rows, k), (first, *blocks, n) if agree(k, product([first, *blocks])):
                return tensor(lhs.element_type, *rows, n)
            case _:
                raise VerifyException(
                    f"expected ...xK and blocks of K rows, got {lhs} and {rhs}"
                )

    def reference(self, lhs: Array, rhs: Array) -> Array:
        with np.errstate(all="ignore"):
            return np.matmul(lhs, rhs.reshape(lhs.shape[-1], rhs.shape[-1]))

    def nests(self) -> Sequence[Nest]:
        *rows, n = self.shape
        _, (*blocks, _) = self.operand_sizes()
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
                    Read(1, (*(axis(each) for each in inner), axis(count))),
                ),
                scalar.mul,
                axes(count + 1),
                len(blocks),
                "add",
            )
        ]
