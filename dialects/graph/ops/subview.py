"""`graph.subview`: elements of a tensor that lie side by side, with another shape."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any, ClassVar

from xdsl.dialects.builtin import ArrayAttr, StringAttr, TensorType
from xdsl.irdl import irdl_op_definition, operand_def, prop_def
from xdsl.utils.exceptions import VerifyException

from ...dims import Dim, dim, product
from ...shape import Array, Tensor, sizes, tensor, tensor_type
from ..op import Requirement, SingleResultOp


@irdl_op_definition
class SubviewOp(SingleResultOp):
    """
    The elements from number `offset` on, in the same order, with the dimensions `shape`.
    It is a view.

    ```mlir
    %1 = graph.subview %0 {offset = "3", shape = ["1", "6"]} : tensor<5x3xf32> -> tensor<1x6xf32>
    ```
    """

    name = "graph.subview"
    DIM_PROPERTIES: ClassVar = ("offset", "shape")
    IS_VIEW: ClassVar = True

    input = operand_def(TensorType)
    offset = prop_def(StringAttr)
    shape_ = prop_def(ArrayAttr[StringAttr], prop_name="shape")

    @classmethod
    def infer(cls, input: Tensor, offset: str, shape: tuple[str, ...]) -> Tensor:
        wanted = [dim(each) for each in shape]
        for each in _inside(input, dim(offset), wanted):
            if isinstance(each, int) and each < 0:
                raise VerifyException(
                    f"expected elements inside {input}, got shape {', '.join(shape)} "
                    f"from element {offset} on"
                )
        return tensor(input.element_type, *wanted)

    def requirements(self) -> Sequence[Requirement]:
        type = tensor_type(self.input)
        message = f"expected elements inside {type}"
        quantities = _inside(type, dim(self.offset.data), self.shape)
        return [Requirement(each, message) for each in quantities]

    def reference(
        self, input: Array, offset: str | tuple[int, ...], shape: tuple[Any, ...]
    ) -> Array:
        start = int(offset if isinstance(offset, str) else offset[0])
        wanted = [int(each) for each in shape]
        return input.reshape(-1)[start : start + prod(wanted)].reshape(wanted)


def _inside(input: Tensor, offset: Dim, shape: Sequence[Dim]) -> list[Dim]:
    """Quantities that are not negative when all elements lie inside; none may."""
    count = product(shape)
    rest = product(sizes(input)) - offset - count
    return [offset * count, rest * count]
