"""`graph.argmax`: where along an axis the greatest element is."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from xdsl.dialects.builtin import IntegerAttr, TensorType, i1, i64
from xdsl.irdl import irdl_op_definition, operand_def, prop_def
from xdsl.utils.exceptions import VerifyException

from ..elementwise import require
from ..literal import to_attribute
from ..op import Requirement, SingleResultOp
from ..order import Carried, Order, without
from ..shape import Array, Tensor, normalize_axis, sizes, tensor, tensor_type


@irdl_op_definition
class ArgmaxOp(SingleResultOp):
    """
    The index along `axis` of the greatest element: the first of equals, the first NaN.

    ```mlir
    %1 = graph.argmax %0 {axis = 1 : i64, keepdims = false} : tensor<2x3xf32> -> tensor<2xi64>
    %2 = graph.argmax %0 {axis = 0 : i64, keepdims = true} : tensor<2x3xf32> -> tensor<1x3xi64>
    ```
    """

    name = "graph.argmax"

    input = operand_def(TensorType)
    axis = prop_def(IntegerAttr.constr(i64))
    keepdims = prop_def(IntegerAttr.constr(i1))

    @classmethod
    def infer(cls, input: Tensor, axis: int, keepdims: bool) -> Tensor:
        require(input, "any")
        shape = sizes(input)
        place = normalize_axis(axis, len(shape))
        if shape[place] == 0:
            raise VerifyException(f"expected elements along axis {axis}, got {input}")
        kept = [1] if keepdims else []
        return tensor(i64, *shape[:place], *kept, *shape[place + 1 :])

    def requirements(self) -> Sequence[Requirement]:
        type = tensor_type(self.input)
        count = sizes(type)[self.axis.value.data]
        return [Requirement(count - 1, f"expected elements to compare in {type}")]

    def carry(self, operand: int, order: Order) -> Carried | None:
        place = normalize_axis(self.axis.value.data, len(order))
        left = order if self.values()["keepdims"] else without(order, [place])
        axis = to_attribute(order.index(place))
        return Carried((order,), left, {**self.properties, "axis": axis})

    def reference(self, input: Array, axis: int, keepdims: bool) -> Array:
        return np.asarray(np.argmax(input, axis, keepdims=keepdims), np.int64)
