"""Pooling over spatial axes: `graph.max_pool`, `avg_pool`, `sum_pool`."""

from __future__ import annotations

from abc import ABC
from collections.abc import Callable, Sequence
from functools import reduce
from itertools import product as pairs
from math import inf, prod

import numpy as np
from xdsl.dialects.builtin import DenseArrayBase, IntegerAttr, TensorType, i1, i64
from xdsl.ir import SSAValue
from xdsl.irdl import irdl_op_definition, operand_def, prop_def
from xdsl.utils.exceptions import VerifyException

from ..elementwise import require
from ..literal import to_names
from ..nest import Combiner, Nest, Read, axes, axis, same
from ..op import Requirement, SingleResultOp
from ..shape import Array, Tensor, dtype, is_float, sizes, tensor, tensor_type
from ..window import pad_spatial, padded, room, window_sizes
from .binary import DivOp
from .constant import ConstantOp
from .expand import ExpandOp
from .pad import PadOp


def combine_windows(
    input: Array,
    kernel: Sequence[int],
    strides: Sequence[int],
    dilation: Sequence[int],
    combine: Callable[[Array, Array], Array],
) -> Array:
    """The elements under each place of an unpadded window, combined."""
    spatial = input.shape[2:]
    places = window_sizes(spatial, kernel, strides, (0, 0) * len(spatial), dilation)
    sizes = [int(str(each)) for each in places]
    cuts = [
        tuple(
            slice(k * d, k * d + (size - 1) * s + 1 if size else 0, s)
            for k, d, s, size in zip(tap, dilation, strides, sizes, strict=True)
        )
        for tap in pairs(*map(range, kernel))
    ]
    return reduce(combine, (input[(..., *cut)] for cut in cuts))


def least_of(type: Tensor) -> float:
    """The element that no other of its type is below."""
    return -inf if is_float(type) else float(np.iinfo(dtype(type)).min)


class PoolOp(SingleResultOp, ABC):
    """An op that combines the elements under a window that slides over an image."""

    input = operand_def(TensorType)
    kernel = prop_def(DenseArrayBase.constr(i64))
    strides = prop_def(DenseArrayBase.constr(i64))
    padding = prop_def(DenseArrayBase.constr(i64))
    dilation = prop_def(DenseArrayBase.constr(i64))

    @classmethod
    def infer(
        cls,
        input: Tensor,
        kernel: tuple[int, ...],
        strides: tuple[int, ...],
        padding: tuple[int, ...],
        dilation: tuple[int, ...],
    ) -> Tensor:
        require(input, "number")
        match sizes(input):
            case n, c, *spatial if (
                len(spatial) == len(kernel) and min(kernel, default=0) > 0
            ):
                window = window_sizes(spatial, kernel, strides, padding, dilation)
                return tensor(input.element_type, n, c, *window)
            case _:
                raise VerifyException(
                    f"expected NxCx... with {len(kernel)} spatial axes, got {input}"
                )

    def requirements(self) -> Sequence[Requirement]:
        values = self.values()
        _, _, *spatial = sizes(tensor_type(self.input))
        free = room(spatial, values["kernel"], values["padding"], values["dilation"])
        message = f"expected a window that fits {self.input.type}"
        return [Requirement(each, message) for each in free]

    def windows(self, combine: Combiner) -> Sequence[Nest] | None:
        """The nest over the places, then over the taps, when there is no padding."""
        values = self.values()
        if any(values["padding"]):
            return None
        n, c, *places = self.shape
        count = len(places)
        reach = tuple(
            axis(2 + each) * stride + axis(2 + count + each) * step
            for each, (stride, step) in enumerate(
                zip(values["strides"], values["dilation"], strict=True)
            )
        )
        bounds = (n, c, *places, *values["kernel"])
        sources = (Read(0, (*axes(2), *reach)),)
        return [Nest(bounds, sources, same, axes(2 + count), count, combine)]

    def with_padding(self, value: float) -> Sequence[SSAValue] | None:
        """This op on an input with `value` put around it, when it has padding."""
        values = self.values()
        padding: tuple[int, ...] = values.pop("padding")
        if not any(padding):
            return None
        low, high = padded(padding)
        wide = PadOp(self.input, low=low, high=high, value=value)
        zeros = tuple(0 for _ in padding)
        return type(self)(wide, padding=zeros, **values).results


@irdl_op_definition
class MaxPoolOp(PoolOp):
    """
    The greatest element under each place of a window; padding does not count.

    ```mlir
    %1 = graph.max_pool %0 {kernel = array<i64: 2, 3>, strides = array<i64: 2, 1>, padding = array<i64: 0, 1, 1, 1>, dilation = array<i64: 1, 1>} : tensor<2x3x5x7xf32> -> tensor<2x3x3x7xf32>
    %2 = graph.max_pool %0 {kernel = array<i64: 2>, strides = array<i64: 1>, padding = array<i64: 0, 0>, dilation = array<i64: 2>} : tensor<2x3x5xf32> -> tensor<2x3x3xf32>
    ```
    """

    name = "graph.max_pool"

    def least(self) -> float:
        """The element that no other is below."""
        return least_of(tensor_type(self.input))

    def reference(
        self,
        input: Array,
        kernel: tuple[int, ...],
        strides: tuple[int, ...],
        padding: tuple[int, ...],
        dilation: tuple[int, ...],
    ) -> Array:
        input = pad_spatial(input, padding, self.least())
        return combine_windows(input, kernel, strides, dilation, np.maximum)

    def nests(self) -> Sequence[Nest] | None:
        return self.windows("max")

    def decompose(self) -> Sequence[SSAValue] | None:
        return self.with_padding(self.least())


@irdl_op_definition
class SumPoolOp(PoolOp):
    """
    The sum of the elements under each place of a window; padding counts as zero.

    ```mlir
    %1 = graph.sum_pool %0 {kernel = array<i64: 2, 3>, strides = array<i64: 2, 1>, padding = array<i64: 0, 1, 1, 1>, dilation = array<i64: 1, 1>} : tensor<2x3x5x7xf32> -> tensor<2x3x3x7xf32>
    ```
    """

    name = "graph.sum_pool"

    def reference(
        self,
        input: Array,
        kernel: tuple[int, ...],
        strides: tuple[int, ...],
        padding: tuple[int, ...],
        dilation: tuple[int, ...],
    ) -> Array:
        input = pad_spatial(input, padding, 0)
        return combine_windows(input, kernel, strides, dilation, np.add)

    def nests(self) -> Sequence[Nest] | None:
        return self.windows("add")

    def decompose(self) -> Sequence[SSAValue] | None:
        return self.with_padding(0.0)


@irdl_op_definition
class AvgPoolOp(PoolOp):
    """
    The mean of the elements under each place of a window, with or without the padding.

    ```mlir
    %1 = graph.avg_pool %0 {kernel = array<i64: 2, 3>, strides = array<i64: 2, 1>, padding = array<i64: 0, 1, 1, 1>, dilation = array<i64: 1, 1>, count_padding = true} : tensor<2x3x5x7xf32> -> tensor<2x3x3x7xf32>
    %2 = graph.avg_pool %0 {kernel = array<i64: 2, 3>, strides = array<i64: 2, 1>, padding = array<i64: 0, 1, 1, 1>, dilation = array<i64: 1, 1>, count_padding = false} : tensor<2x3x5x7xf32> -> tensor<2x3x3x7xf32>
    ```
    """

    name = "graph.avg_pool"

    count_padding = prop_def(IntegerAttr.constr(i1))

    @classmethod
    def infer(
        cls,
        input: Tensor,
        kernel: tuple[int, ...],
        strides: tuple[int, ...],
        padding: tuple[int, ...],
        dilation: tuple[int, ...],
        count_padding: bool = True,
    ) -> Tensor:
        require(input, "float")
        return super().infer(input, kernel, strides, padding, dilation)

    def reference(
        self,
        input: Array,
        kernel: tuple[int, ...],
        strides: tuple[int, ...],
        padding: tuple[int, ...],
        dilation: tuple[int, ...],
        count_padding: bool,
    ) -> Array:
        wide = pad_spatial(input, padding, 0)
        total = combine_windows(wide, kernel, strides, dilation, np.add)
        if count_padding:
            return total / input.dtype.type(prod(kernel))
        ones = pad_spatial(np.ones_like(input), padding, 0)
        return total / combine_windows(ones, kernel, strides, dilation, np.add)

    def decompose(self) -> Sequence[SSAValue]:
        values = self.values()
        counts_padding, padding = values.pop("count_padding"), values["padding"]
        total = SumPoolOp(self.input, **values)
        of = dtype(self.type).type
        if counts_padding or not any(padding):
            count = ConstantOp(value=np.array(of(prod(values["kernel"])))).result
        else:
            image = (1, 1, *sizes(tensor_type(self.input))[2:])
            one = ConstantOp(value=np.array(of(1)))
            count = SumPoolOp(ExpandOp(one, shape=to_names(image)), **values).result
        return [DivOp(total, count).result]
