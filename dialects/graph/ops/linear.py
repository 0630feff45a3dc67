"""
`graph.linear`: the product with a transposed weight, as in a fully connected layer.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from xdsl.dialects.builtin import TensorType
from xdsl.ir import SSAValue, TypeAttribute
from xdsl.irdl import irdl_op_definition, operand_def, opt_prop_def
from xdsl.utils.exceptions import VerifyException

from ...agreement import agree
from ...element_type import Element
from ...shape import Array, Tensor, sizes, tensor, tensor_type
from ..families.elementwise import require
from ..families.product import sum_element, widened
from ..literal import to_names
from ..op import SingleResultOp
from .matmul import MatmulOp
from .permute import PermuteOp
from .reshape import ReshapeOp


@irdl_op_definition
class LinearOp(SingleResultOp):
    """
    The product of `...xK` and the transpose of an NxK weight; `to` is as of
    `graph.matmul`.

    ```mlir
    %2 = graph.linear %0, %1 : tensor<2x7x3xf32>, tensor<5x3xf32> -> tensor<2x7x5xf32>
    %3 = graph.linear %0, %1 {to = i32} : tensor<2x7x3xsi8>, tensor<5x3xsi8> -> tensor<2x7x5xi32>
    ```
    """

    name = "graph.linear"

    input = operand_def(TensorType)
    weight = operand_def(TensorType)
    to = opt_prop_def(TypeAttribute)

    @classmethod
    def infer(cls, input: Tensor, weight: Tensor, to: Element | None = None) -> Tensor:
        require(input, "number")
        element = sum_element(input, weight, to)
        match sizes(input), sizes(weight):
            case (*rows, k), (n, k2) if element is not None and agree(k, k2):
                return tensor(element, *rows, n)
            case _:
                raise VerifyException(
                    f"expected ...xK and NxK, got {input} and {weight}"
                )

    def reference(
        self, input: Array, weight: Array, to: Element | None = None
    ) -> Array:
        with np.errstate(all="ignore"):
            return np.matmul(widened(input, to), widened(weight, to).T)

    def decompose(self) -> Sequence[SSAValue]:
        *rows, k = sizes(tensor_type(self.input))
        transposed = PermuteOp(self.weight, order=(1, 0))
        if rows:
            return MatmulOp(self.input, transposed, **self.properties).results
        row = ReshapeOp(self.input, shape=to_names([1, k]))
        product = MatmulOp(row, transposed, **self.properties)
        return [ReshapeOp(product, shape=to_names(self.shape)).result]
