"""`graph.argmax`: the index of the greatest element along an axis."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import SSAValue
from xdsl.irdl import irdl_op_definition

from ...shape import Array, is_float, normalize_axis, sizes, tensor_type
from .compare import EqOp, NeOp
from .first_true import FirstTrueOp, PlaceOp, first_greatest
from .logical import LogicalOrOp
from .reduce import ReduceMaxOp


@irdl_op_definition
class ArgmaxOp(PlaceOp):
    """
    The index of the greatest element along `axis`: the first of equals, the first NaN.

    ```mlir
    %1 = graph.argmax %0 {axis = 1 : i64, keepdims = false} : tensor<2x3xf32> -> tensor<2xi64>
    %2 = graph.argmax %0 {axis = 0 : i64, keepdims = true} : tensor<2x3xf32> -> tensor<1x3xi64>
    ```
    """

    name = "graph.argmax"

    def reference(self, input: Array, axis: int, keepdims: bool) -> Array:
        return first_greatest(input, axis, keepdims)

    def decompose(self) -> Sequence[SSAValue]:
        type = tensor_type(self.input)
        axis = normalize_axis(self.axis.value.data, len(sizes(type)))
        greatest = ReduceMaxOp(self.input, axes=(axis,), keepdims=True)
        is_greatest = EqOp(self.input, greatest).result
        if is_float(type):
            is_greatest = LogicalOrOp(is_greatest, NeOp(self.input, self.input)).result
        keepdims = self.values()["keepdims"]
        return [FirstTrueOp(is_greatest, axis=axis, keepdims=keepdims).result]
