"""`graph.cumsum`: sums of the elements so far along an axis."""

from __future__ import annotations

import numpy as np
from xdsl.dialects.builtin import IntegerAttr, TensorType, i64
from xdsl.irdl import irdl_op_definition, operand_def, prop_def

from ..elementwise import require
from ..literal import to_attribute
from ..op import SingleResultOp
from ..order import Carried, Order
from ..shape import Array, Tensor, normalize_axis, sizes


@irdl_op_definition
class CumsumOp(SingleResultOp):
    """
    At each place the sum of the elements along `axis` up to it.

    ```mlir
    %1 = graph.cumsum %0 {axis = 1 : i64} : tensor<2x3xf32> -> tensor<2x3xf32>
    ```
    """

    name = "graph.cumsum"

    input = operand_def(TensorType)
    axis = prop_def(IntegerAttr.constr(i64))

    @classmethod
    def infer(cls, input: Tensor, axis: int) -> Tensor:
        require(input, "number")
        normalize_axis(axis, len(sizes(input)))
        return input

    def carry(self, operand: int, order: Order) -> Carried | None:
        place = normalize_axis(self.values()["axis"], len(order))
        axis = to_attribute(order.index(place))
        return Carried((order,), order, {**self.properties, "axis": axis})

    def reference(self, input: Array, axis: int) -> Array:
        with np.errstate(all="ignore"):
            return np.cumsum(input, axis, dtype=input.dtype)
