"""`graph.permute`: a tensor with its axes in another order."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from xdsl.dialects.builtin import DenseArrayBase, TensorType, i64
from xdsl.irdl import irdl_op_definition, operand_def, prop_def
from xdsl.utils.exceptions import VerifyException

from ...shape import Array, Tensor, sizes, tensor
from ..literal import to_attribute
from ..nest import Nest, Read, axes, axis, same
from ..op import SingleResultOp
from ..order import Carried, Order, inverse, then


@irdl_op_definition
class PermuteOp(SingleResultOp):
    """
    The tensor whose axis `i` is axis `order[i]` of the input.

    ```mlir
    %1 = graph.permute %0 {order = array<i64: 2, 0, 1>} : tensor<2x3x5xf32> -> tensor<5x2x3xf32>
    ```
    """

    name = "graph.permute"

    input = operand_def(TensorType)
    order = prop_def(DenseArrayBase.constr(i64))

    @classmethod
    def infer(cls, input: Tensor, order: tuple[int, ...]) -> Tensor:
        shape = sizes(input)
        if sorted(order) != list(range(len(shape))):
            raise VerifyException(f"expected every axis of {input} once, got {order}")
        return tensor(input.element_type, *(shape[each] for each in order))

    def carry(self, operand: int, order: Order) -> Carried | None:
        own: Order = self.values()["order"]
        undone = then(inverse(order), own)
        plain = tuple(range(len(order)))
        return Carried((order,), plain, {"order": to_attribute(undone)})

    def reference(self, input: Array, order: tuple[int, ...]) -> Array:
        return np.transpose(input, order)

    def nests(self) -> Sequence[Nest]:
        order: tuple[int, ...] = self.values()["order"]
        at = tuple(axis(order.index(each)) for each in range(len(order)))
        return [Nest(self.shape, (Read(0, at),), same, axes(len(order)))]
