"""`graph.expand`: a tensor repeated along axes of size one, as broadcasting does."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np
from xdsl.dialects.builtin import ArrayAttr, StringAttr, TensorType
from xdsl.irdl import irdl_op_definition, operand_def, prop_def
from xdsl.utils.exceptions import VerifyException

from ...agreement import stretched
from ...dims import dim
from ...shape import Array, Tensor, sizes, tensor
from ..literal import to_attribute
from ..nest import Nest, elementwise, same
from ..op import SingleResultOp
from ..order import Carried, Order, ordered, widened


@irdl_op_definition
class ExpandOp(SingleResultOp):
    """
    The tensor broadcast to the dimensions `shape`.

    ```mlir
    %1 = graph.expand %0 {shape = ["2", "3"]} : tensor<3xf32> -> tensor<2x3xf32>
    %2 = graph.expand %0 {shape = ["2", "3", "5"]} : tensor<3x1xf32> -> tensor<2x3x5xf32>
    ```
    """

    name = "graph.expand"
    DIM_PROPERTIES: ClassVar = ("shape",)

    input = operand_def(TensorType)
    shape_ = prop_def(ArrayAttr[StringAttr], prop_name="shape")

    @classmethod
    def infer(cls, input: Tensor, shape: tuple[str, ...]) -> Tensor:
        result = tensor(input.element_type, *(dim(each) for each in shape))
        before, after = sizes(input), sizes(result)
        more = len(after) - len(before)
        if more < 0 or not all(map(stretched, before, after[more:])):
            raise VerifyException(
                f"expected a shape {input} broadcasts to, got {result}"
            )
        return result

    def carry(self, operand: int, order: Order) -> Carried | None:
        wide = widened(order, len(self.shape))
        shape = to_attribute(ordered(self.values()["shape"], wide))
        return Carried((wide,), wide, {"shape": shape})

    def reference(self, input: Array, shape: tuple[Any, ...]) -> Array:
        return np.broadcast_to(input, [int(each) for each in shape])

    def nests(self) -> Sequence[Nest]:
        return [elementwise(self.shape, self.operand_sizes(), same)]
