"""`graph.concat`: the concatenation of tensors along an axis."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from xdsl.dialects.builtin import IntegerAttr, TensorType, i64
from xdsl.irdl import irdl_op_definition, prop_def, var_operand_def
from xdsl.utils.exceptions import VerifyException

from ...agreement import agreed_shape
from ...dims import Dim
from ...shape import Array, Tensor, normalize_axis, sizes, tensor
from ..literal import to_attribute
from ..nest import Nest, Read, axes, same
from ..op import SingleResultOp
from ..order import Carried, Order


def infer_concat(inputs: Sequence[Tensor], axis: int) -> Tensor:
    """The type of the concatenation of tensors along `axis`."""
    if not inputs:
        raise VerifyException("expected tensors to concatenate, got none")
    rest = sizes(inputs[0])
    along = normalize_axis(axis, len(rest))
    total: Dim = 0
    for each in inputs:
        shape = sizes(each)
        if each.element_type != inputs[0].element_type:
            raise VerifyException(
                f"expected tensors of one dtype, got {inputs[0]} and {each}"
            )
        found = agreed_shape(
            (*rest[:along], 0, *rest[along + 1 :]),
            (*shape[:along], 0, *shape[along + 1 :]),
        )
        if found is None or len(shape) != len(rest):
            raise VerifyException(
                f"expected tensors that differ along axis {axis} only, got "
                f"{inputs[0]} and {each}"
            )
        rest, total = found, shape[along] + total
    return tensor(inputs[0].element_type, *rest[:along], total, *rest[along + 1 :])


@irdl_op_definition
class ConcatOp(SingleResultOp):
    """
    The concatenation of the tensors along `axis`.

    ```mlir
    %2 = graph.concat %0, %1 {axis = 1 : i64} : tensor<2x3xf32>, tensor<2x5xf32> -> tensor<2x8xf32>
    %3 = graph.concat %0 {axis = 0 : i64} : tensor<2x3xf32> -> tensor<2x3xf32>
    ```
    """

    name = "graph.concat"

    inputs = var_operand_def(TensorType)
    axis = prop_def(IntegerAttr.constr(i64))

    @classmethod
    def infer(cls, *inputs: Tensor, axis: int) -> Tensor:
        return infer_concat(inputs, axis)

    def carry(self, operand: int, order: Order) -> Carried | None:
        along = normalize_axis(self.values()["axis"], len(order))
        orders = tuple(order for _ in self.operands)
        return Carried(orders, order, {"axis": to_attribute(order.index(along))})

    def reference(self, *inputs: Array, axis: int) -> Array:
        return np.concatenate(inputs, axis)

    def nests(self) -> Sequence[Nest]:
        rank = len(self.shape)
        along = normalize_axis(self.values()["axis"], rank)
        nests: list[Nest] = []
        start: Dim = 0
        for number, shape in enumerate(self.operand_sizes()):
            here = axes(rank)
            there = (*here[:along], here[along] + start, *here[along + 1 :])
            nests.append(Nest(shape, (Read(number, here),), same, there))
            start = shape[along] + start
        return nests
