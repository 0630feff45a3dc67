"""`graph.first_true`: the index of the first true element along an axis."""

from __future__ import annotations

from abc import ABC
from collections.abc import Sequence
from typing import ClassVar

import numpy as np
from xdsl.dialects.builtin import IntegerAttr, TensorType, i1, i64
from xdsl.ir import SSAValue
from xdsl.irdl import irdl_op_definition, operand_def, prop_def
from xdsl.utils.exceptions import VerifyException

from ...shape import Array, Tensor, normalize_axis, sizes, tensor, tensor_type
from .. import scalar
from ..families.elementwise import Accepts, require
from ..literal import to_attribute
from ..nest import Extent, Linear, Nest, Read, Where
from ..nest import axis as index
from ..op import Requirement, SingleResultOp
from ..order import Carried, Order, without
from .reduce import elements_missing


class PlaceOp(SingleResultOp, ABC):
    """
    An op that finds the index of an element along an axis, which must not be empty.
    """

    ACCEPTS: ClassVar[Accepts] = "any"

    input = operand_def(TensorType)
    axis = prop_def(IntegerAttr.constr(i64))
    keepdims = prop_def(IntegerAttr.constr(i1))

    @classmethod
    def infer(cls, input: Tensor, axis: int, keepdims: bool) -> Tensor:
        require(input, cls.ACCEPTS)
        shape = sizes(input)
        along = normalize_axis(axis, len(shape))
        missing = elements_missing(input, [along])
        if isinstance(missing, int) and missing < 0:
            raise VerifyException(f"expected elements along axis {axis}, got {input}")
        kept = [1] if keepdims else []
        return tensor(i64, *shape[:along], *kept, *shape[along + 1 :])

    def carry(self, operand: int, order: Order) -> Carried | None:
        along = normalize_axis(self.axis.value.data, len(order))
        left = order if self.values()["keepdims"] else without(order, [along])
        axis = to_attribute(order.index(along))
        return Carried((order,), left, {**self.properties, "axis": axis})

    def requirements(self) -> Sequence[Requirement]:
        type = tensor_type(self.input)
        along = normalize_axis(self.axis.value.data, len(sizes(type)))
        missing = elements_missing(type, [along])
        return [Requirement(missing, f"expected elements to compare in {type}")]


def first_greatest(input: Array, axis: int, keepdims: bool) -> Array:
    """numpy's `argmax`, which refuses no elements also where they have no results."""
    if not input.size:
        return np.any(input, axis, keepdims=keepdims).astype(np.int64)
    return np.asarray(np.argmax(input, axis, keepdims=keepdims), np.int64)


@irdl_op_definition
class FirstTrueOp(PlaceOp):
    """
    The index of the first true element along `axis`; the size when there is none.

    ```mlir
    %1 = graph.first_true %0 {axis = 1 : i64, keepdims = false} : tensor<2x3xi1> -> tensor<2xi64>
    %2 = graph.first_true %0 {axis = 0 : i64, keepdims = true} : tensor<2x3xi1> -> tensor<1x3xi64>
    ```
    """

    name = "graph.first_true"
    ACCEPTS: ClassVar = "bool"

    def reference(self, input: Array, axis: int, keepdims: bool) -> Array:
        first = first_greatest(input, axis, keepdims)
        found = np.any(input, axis, keepdims=keepdims)
        return np.asarray(np.where(found, first, input.shape[axis]), np.int64)

    def nests(self) -> Sequence[Nest]:
        shape = sizes(tensor_type(self.input))
        along = normalize_axis(self.axis.value.data, len(shape))
        kept = [each for each in range(len(shape)) if each != along]
        order = [*kept, along]
        at = tuple(index(order.index(each)) for each in range(len(shape)))
        keepdims = self.values()["keepdims"]
        write = tuple(
            Linear() if each == along else at[each]
            for each in range(len(shape))
            if keepdims or each != along
        )

        def body(holds: SSAValue, index: SSAValue, count: SSAValue) -> SSAValue:
            return scalar.select(holds, index, count)

        sources = (Read(0, at), Where(at[along]), Extent(shape[along]))
        bounds = tuple(shape[each] for each in order)
        return [Nest(bounds, sources, body, write, 1, "min")]
