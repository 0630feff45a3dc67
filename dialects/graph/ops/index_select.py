"""`graph.index_select`: slices of a tensor along one axis, selected by indices."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from xdsl.dialects.builtin import IntegerAttr, TensorType, UnitAttr, i1, i64
from xdsl.irdl import irdl_op_definition, operand_def, opt_prop_def, prop_def

from ...dims import Dim
from ...shape import Array, Tensor, normalize_axis, sizes, tensor, tensor_type
from ..families.elementwise import require
from ..literal import to_attribute
from ..nest import Lookup, Nest, Read, axes, axis, same
from ..op import SingleResultOp
from ..order import Carried, Order


@irdl_op_definition
class IndexSelectOp(SingleResultOp):
    """
    The slice along `axis` for every index; the axes of the indices replace `axis`.

    An index beyond the axis is an `IndexError` when the model runs. One below zero
    counts from the end when `wraps`, else it is an error too. With `in_order` the
    indices are 0, 1, 2, … if they are as many as the elements along the axis.

    ```mlir
    %2 = graph.index_select %0, %1 {axis = 1 : i64, wraps = true} : tensor<3x7x4xf32>, tensor<2x5xi64> -> tensor<3x2x5x4xf32>
    %3 = graph.index_select %0, %1 {axis = 0 : i64, wraps = false} : tensor<7xf32>, tensor<i64> -> tensor<f32>
    ```
    """

    name = "graph.index_select"

    input = operand_def(TensorType)
    indices = operand_def(TensorType)
    axis = prop_def(IntegerAttr.constr(i64))
    wraps = prop_def(IntegerAttr.constr(i1))
    in_order = opt_prop_def(UnitAttr)

    @classmethod
    def infer(
        cls,
        input: Tensor,
        indices: Tensor,
        axis: int,
        wraps: bool,
        in_order: bool = False,
    ) -> Tensor:
        require(indices, "integer")
        shape = sizes(input)
        along = normalize_axis(axis, len(shape))
        return tensor(
            input.element_type, *shape[:along], *sizes(indices), *shape[along + 1 :]
        )

    def carry(self, operand: int, order: Order) -> Carried | None:
        along = normalize_axis(self.values()["axis"], len(order))
        if operand != 0:
            return None
        # The axes of the indices replace the one axis.
        count = len(sizes(tensor_type(self.indices)))
        result: list[int] = []
        for each in order:
            if each == along:
                result += range(along, along + count)
            else:
                result.append(each if each < along else each + count - 1)
        axis = to_attribute(order.index(along))
        return Carried((order, None), tuple(result), {**self.properties, "axis": axis})

    def copies(self) -> Sequence[tuple[int, Sequence[Dim]]]:
        shape, places = self.operand_sizes()
        if self.in_order is None or len(places) != 1:
            return ()
        along = normalize_axis(self.values()["axis"], len(shape))
        return [(0, [shape[along] - places[0]])]

    def reference(
        self,
        input: Array,
        indices: Array,
        axis: int,
        wraps: bool,
        in_order: bool = False,
    ) -> Array:
        bound = input.shape[axis]
        least = -bound if wraps else 0
        if indices.size and not least <= indices.min() <= indices.max() < bound:
            raise IndexError(f"expected indices from {least} to {bound - 1}")
        return np.take(
            input, indices, axis, mode="wrap" if not indices.size else "raise"
        )

    def nests(self) -> Sequence[Nest]:
        values = self.values()
        outer, inner = sizes(tensor_type(self.input)), sizes(tensor_type(self.indices))
        along = normalize_axis(values["axis"], len(outer))
        index = Lookup(1, axes(len(inner), along), outer[along], values["wraps"])
        after = [
            axis(number + len(inner) - 1) for number in range(along + 1, len(outer))
        ]
        at = (*axes(along), index, *after)
        rank = len(self.shape)
        return [Nest(self.shape, (Read(0, at),), same, axes(rank))]
