"""`graph.scatter`: a tensor with elements updated at indices along one axis."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import IntegerAttr, StringAttr, TensorType, i1, i64
from xdsl.irdl import irdl_op_definition, operand_def, prop_def
from xdsl.utils.exceptions import VerifyException

from ...shape import Array, Tensor, sizes, tensor_type
from ..families.scatter import combiner, require_update, update
from ..nest import Nest, Read, axes, same
from ..op import Requirement, SingleResultOp
from .gather import along, fit, line, require_fit


@irdl_op_definition
class ScatterOp(SingleResultOp):
    """
    The input with each update applied at its index along `axis`.

    With `none` an update replaces the element, and the last of several wins; with
    `add`, `mul`, `max` or `min` updates are combined with it in order. There may be
    more updates than indices, and fewer indices than elements along the other axes. An
    index beyond the axis is an `IndexError` when the model runs. One below zero counts
    from the end when `wraps`, else it is an error too.

    ```mlir
    %3 = graph.scatter %0, %1, %2 {axis = 1 : i64, wraps = true, reduction = "none"} : tensor<3x7x4xf32>, tensor<3x5x4xi64>, tensor<3x5x4xf32> -> tensor<3x7x4xf32>
    %4 = graph.scatter %0, %1, %2 {axis = 0 : i64, wraps = false, reduction = "add"} : tensor<7x3xf32>, tensor<5x2xi64>, tensor<5x3xf32> -> tensor<7x3xf32>
    %5 = graph.scatter %0, %1, %2 {axis = -1 : i64, wraps = false, reduction = "mul"} : tensor<2x7xf32>, tensor<2x5xi64>, tensor<2x5xf32> -> tensor<2x7xf32>
    %6 = graph.scatter %0, %1, %2 {axis = 0 : i64, wraps = true, reduction = "max"} : tensor<7x2xf32>, tensor<5x2xi64>, tensor<5x2xf32> -> tensor<7x2xf32>
    %7 = graph.scatter %0, %1, %2 {axis = 0 : i64, wraps = true, reduction = "min"} : tensor<7xf32>, tensor<5xi64>, tensor<5xf32> -> tensor<7xf32>
    ```
    """

    name = "graph.scatter"

    input = operand_def(TensorType)
    indices = operand_def(TensorType)
    updates = operand_def(TensorType)
    axis = prop_def(IntegerAttr.constr(i64))
    wraps = prop_def(IntegerAttr.constr(i1))
    reduction = prop_def(StringAttr)

    @classmethod
    def infer(
        cls,
        input: Tensor,
        indices: Tensor,
        updates: Tensor,
        axis: int,
        wraps: bool,
        reduction: str,
    ) -> Tensor:
        require_fit(input, indices, axis)
        require_update(input, updates, reduction)
        inner, outer = sizes(indices), sizes(updates)
        if len(inner) != len(outer) or any(
            isinstance(more := b - a, int) and more < 0
            for a, b in zip(inner, outer, strict=True)
        ):
            raise VerifyException(
                f"expected an update for each index, got {indices} and {updates}"
            )
        return input

    def requirements(self) -> Sequence[Requirement]:
        input, indices, updates = map(tensor_type, self.operands)
        message = f"expected an update for each index, got {indices} and {updates}"
        more = zip(sizes(indices), sizes(updates), strict=True)
        return [
            *fit(input, indices, self.values()["axis"]),
            *(Requirement(b - a, message) for a, b in more),
        ]

    def reference(
        self,
        input: Array,
        indices: Array,
        updates: Array,
        axis: int,
        wraps: bool,
        reduction: str,
    ) -> Array:
        at = along(indices, axis, input.shape[axis], wraps)
        used = updates[tuple(map(slice, indices.shape))]
        return update(input, at, used, reduction)

    def nests(self) -> Sequence[Nest]:
        values = self.values()
        indices = sizes(tensor_type(self.indices))
        here = axes(len(indices))
        there = line(self.type, values["axis"], values["wraps"])
        onto = combiner(values["reduction"])
        return [
            Nest(self.shape, (Read(0, here),), same, here),
            Nest(indices, (Read(2, here),), same, there, onto=onto),
        ]
