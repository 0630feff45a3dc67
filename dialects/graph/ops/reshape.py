"""`graph.reshape`: the same elements in the same order, under another shape."""

from __future__ import annotations

from typing import Any, ClassVar

from xdsl.dialects.builtin import ArrayAttr, StringAttr, TensorType
from xdsl.irdl import irdl_op_definition, operand_def, prop_def
from xdsl.utils.exceptions import VerifyException

from ...dims import dim, product
from ..op import SingleResultOp
from ..shape import Array, Tensor, sizes, tensor


@irdl_op_definition
class ReshapeOp(SingleResultOp):
    """
    The elements in the same order, under the dimensions `shape`. It is a view.

    ```mlir
    %1 = graph.reshape %0 {shape = ["6"]} : tensor<2x3xf32> -> tensor<6xf32>
    ```
    """

    name = "graph.reshape"
    DIM_PROPERTIES: ClassVar = ("shape",)
    IS_VIEW: ClassVar = True

    input = operand_def(TensorType)
    shape_ = prop_def(ArrayAttr[StringAttr], prop_name="shape")

    @classmethod
    def infer(cls, input: Tensor, shape: tuple[str, ...]) -> Tensor:
        wanted = [dim(each) for each in shape]
        if product(wanted) != product(sizes(input)):
            raise VerifyException(
                f"expected as many elements as {input}, got shape {', '.join(shape)}"
            )
        return tensor(input.element_type, *wanted)

    def reference(self, input: Array, shape: tuple[Any, ...]) -> Array:
        return input.reshape([int(each) for each in shape])
