"""`graph.pad`: a tensor padded with one value."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from xdsl.dialects.builtin import (
    DenseArrayBase,
    Float64Type,
    FloatAttr,
    TensorType,
    i64,
)
from xdsl.ir import SSAValue
from xdsl.irdl import irdl_op_definition, operand_def, prop_def
from xdsl.utils.exceptions import VerifyException

from ...dims import Dim
from ...element_type import ELEMENT_TYPES
from ...shape import Array, Tensor, dtype, is_float, sizes, tensor, tensor_type
from .. import scalar
from ..literal import to_attribute
from ..nest import Linear, Nest, Read, axes, axis, same
from ..op import SingleResultOp
from ..order import Carried, Order, ordered


@irdl_op_definition
class PadOp(SingleResultOp):
    """
    The input padded along each axis with `low` elements of `value` before and `high`
    after.

    ```mlir
    %1 = graph.pad %0 {low = array<i64: 0, 1>, high = array<i64: 2, 1>, value = 0.0 : f64} : tensor<3x5xf32> -> tensor<5x7xf32>
    %2 = graph.pad %0 {low = array<i64>, high = array<i64>, value = 0.0 : f64} : tensor<f32> -> tensor<f32>
    ```
    """

    name = "graph.pad"

    input = operand_def(TensorType)
    low = prop_def(DenseArrayBase.constr(i64))
    high = prop_def(DenseArrayBase.constr(i64))
    value = prop_def(FloatAttr[Float64Type])

    @classmethod
    def infer(
        cls, input: Tensor, low: tuple[int, ...], high: tuple[int, ...], value: float
    ) -> Tensor:
        shape = sizes(input)
        if not len(low) == len(high) == len(shape) or min((*low, *high, 0)) < 0:
            raise VerifyException(
                f"expected two counts for each axis of {input}, got {low} and {high}"
            )
        least, most = ELEMENT_TYPES[input.element_type].limits
        fits = float(value).is_integer() and least <= int(value) <= most
        if not (fits or is_float(input)):
            raise VerifyException(f"expected a value of {dtype(input)}, got {value}")
        wide = (a + size + b for a, size, b in zip(low, shape, high, strict=True))
        return tensor(input.element_type, *wide)

    def carry(self, operand: int, order: Order) -> Carried | None:
        values = self.values()
        sides = {
            name: to_attribute(ordered(values[name], order)) for name in ("low", "high")
        }
        return Carried((order,), order, {**self.properties, **sides})

    def reference(
        self, input: Array, low: tuple[int, ...], high: tuple[int, ...], value: float
    ) -> Array:
        sides = list(zip(low, input.shape, high, strict=True))
        result = np.full([sum(each) for each in sides], value, input.dtype)
        result[tuple(slice(start, start + size) for start, size, _ in sides)] = input
        return result

    def nests(self) -> Sequence[Nest]:
        value, element = self.value.value.data, self.type.element_type
        inner = sizes(tensor_type(self.input))
        low: tuple[int, ...] = self.values()["low"]

        def fill() -> SSAValue:
            return scalar.constant(value, element)

        there = tuple(axis(number) + start for number, start in enumerate(low))
        return [
            *(
                Nest(bounds, (), fill, at)
                for bounds, at in _margins(inner, low, self.values()["high"])
            ),
            Nest(inner, (Read(0, axes(len(low))),), same, there),
        ]


def _margins(
    inner: Sequence[Dim], low: Sequence[int], high: Sequence[int]
) -> Iterator[tuple[tuple[Dim, ...], tuple[Linear, ...]]]:
    """
    The blocks of padding around a tensor in a larger one: their sizes and positions.

    The blocks of an axis span the larger tensor along all later axes.
    """
    wide = [a + size + b for a, size, b in zip(low, inner, high, strict=True)]
    for along, size in enumerate(inner):
        for start, count in ((0, low[along]), (low[along] + size, high[along])):
            if count > 0:
                at = tuple(
                    axis(each) + (low[each] if each < along else 0)
                    for each in range(len(inner))
                )
                at = (*at[:along], axis(along) + start, *at[along + 1 :])
                yield (*inner[:along], count, *wide[along + 1 :]), at
