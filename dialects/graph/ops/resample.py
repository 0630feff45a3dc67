"""`graph.resample`: weighted sums of indexed elements along an axis."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from xdsl.dialects.builtin import IntegerAttr, TensorType, i1, i64
from xdsl.ir import SSAValue
from xdsl.irdl import irdl_op_definition, operand_def, prop_def
from xdsl.utils.exceptions import VerifyException

from ...agreement import agreed_shape
from ...shape import Array, Tensor, normalize_axis, sizes, tensor, tensor_type
from .. import scalar
from ..families.elementwise import require
from ..literal import to_attribute
from ..nest import Linear, Lookup, Nest, Read, axes, axis
from ..op import SingleResultOp
from ..order import Carried, Order
from .binary import AddOp, MaximumOp, MulOp, SubOp
from .compare import LeOp, LtOp
from .gather import check_range
from .where import WhereOp

_MAX_UNROLLED_TAPS = 16
"""The most taps for which a sum is unrolled, so that other axes are vectorized."""


@irdl_op_definition
class ResampleOp(SingleResultOp):
    """
    At each point along `axis` the sum of the elements at a row of indices, each times
    the weight of its index.

    With `skips` an element of weight zero does not count, not even NaN. The indices,
    which are not below zero, are (batch)x(points)x(taps): the axes of the batch, if
    any, are the first ones of the input.

    ```mlir
    %3 = graph.resample %0, %1, %2 {axis = 1 : i64, skips = false} : tensor<3x7x4xf32>, tensor<5x2xi64>, tensor<5x2xf32> -> tensor<3x5x4xf32>
    %4 = graph.resample %0, %1, %2 {axis = -1 : i64, skips = false} : tensor<3x7xf32>, tensor<5x20xi64>, tensor<5x20xf32> -> tensor<3x5xf32>
    %5 = graph.resample %0, %1, %2 {axis = 2 : i64, skips = true} : tensor<3x2x7xf32>, tensor<3x5x4xi64>, tensor<3x5x4xf32> -> tensor<3x2x5xf32>
    ```
    """

    name = "graph.resample"

    input = operand_def(TensorType)
    indices = operand_def(TensorType)
    weights = operand_def(TensorType)
    axis = prop_def(IntegerAttr.constr(i64))
    skips = prop_def(IntegerAttr.constr(i1))

    @classmethod
    def infer(
        cls, input: Tensor, indices: Tensor, weights: Tensor, axis: int, skips: bool
    ) -> Tensor:
        require(input, "float")
        require(indices, "integer")
        shape = sizes(input)
        along = normalize_axis(axis, len(shape))
        match sizes(indices):
            case (*batch, points, _) if (
                len(batch) <= along
                and weights.element_type == input.element_type
                and agreed_shape(batch, shape[: len(batch)]) is not None
                and agreed_shape(sizes(weights), sizes(indices)) is not None
            ):
                return tensor(
                    input.element_type, *shape[:along], points, *shape[along + 1 :]
                )
            case _:
                raise VerifyException(
                    "expected indices and weights of (batch)x(points)x(taps) for axis "
                    f"{along} of {input}, got {indices} and {weights}"
                )

    def carry(self, operand: int, order: Order) -> Carried | None:
        if operand != 0 or len(sizes(tensor_type(self.indices))) > 2:
            return None
        along = normalize_axis(self.axis.value.data, len(order))
        axis = to_attribute(order.index(along))
        return Carried((order, None, None), order, {**self.properties, "axis": axis})

    def reference(
        self, input: Array, indices: Array, weights: Array, axis: int, skips: bool
    ) -> Array:
        along = axis % input.ndim
        check_range(indices, input.shape[along], wraps=False)
        *batch, points, taps = indices.shape
        inner = (1,) * (along - len(batch)), (1,) * (input.ndim - along - 1)
        shape = (*batch, *inner[0], points, *inner[1])
        result = np.zeros(
            (*input.shape[:along], points, *input.shape[along + 1 :]), input.dtype
        )
        for tap in range(taps):
            at = indices[..., tap].reshape(shape)
            with np.errstate(all="ignore"):
                found = np.take_along_axis(
                    input, np.broadcast_to(at, result.shape), along
                )
                weight = weights[..., tap].reshape(shape)
                part = found * weight
                result += np.where(weight == 0, 0, part) if skips else part
        return result

    def nests(self) -> Sequence[Nest]:
        shape, table = sizes(tensor_type(self.input)), sizes(tensor_type(self.indices))
        rank, taps = len(shape), table[-1]
        along = normalize_axis(self.axis.value.data, rank)
        row = (*axes(len(table) - 2), axis(along))

        def sources(tap: Linear) -> tuple[Read, Read]:
            index = Lookup(1, (*row, tap), shape[along], False)
            at = (*axes(along), index, *axes(rank - along - 1, along + 1))
            return Read(0, at), Read(2, (*row, tap))

        skips: bool = self.values()["skips"]

        def weighted(element: SSAValue, weight: SSAValue) -> SSAValue:
            part = scalar.mul(element, weight)
            if not skips:
                return part
            zero = scalar.constant(0, part.type)
            return scalar.select(scalar.compare("eq", weight, zero), zero, part)

        if not isinstance(taps, int) or not 0 < taps <= _MAX_UNROLLED_TAPS:
            bounds = (*self.shape, taps)
            return [Nest(bounds, sources(axis(rank)), weighted, axes(rank), 1, "add")]

        def total(*each: SSAValue) -> SSAValue:
            result = weighted(each[0], each[1])
            for start in range(2, len(each), 2):
                result = scalar.add(result, weighted(*each[start : start + 2]))
            return result

        every = [each for tap in range(taps) for each in sources(Linear(offset=tap))]
        return [Nest(self.shape, tuple(every), total, axes(rank))]


def kernel_of(
    distance: SSAValue, cubic: float | None, number: Callable[[float], SSAValue]
) -> SSAValue:
    """Builds the weight of an element at a distance: linear when `cubic` is None."""
    d, zero, one = distance, number(0), number(1)
    if cubic is None:
        return MaximumOp(SubOp(one, d), zero).result
    slope = SubOp(MulOp(number(cubic + 2), d), number(cubic + 3))
    near = AddOp(MulOp(MulOp(slope, d), d), one)
    inner = AddOp(MulOp(SubOp(d, number(5)), d), number(8))
    far = MulOp(SubOp(MulOp(inner, d), number(4)), number(cubic))
    beyond = WhereOp(LtOp(d, number(2)), far, zero)
    return WhereOp(LeOp(d, one), near, beyond).result
