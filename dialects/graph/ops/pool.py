"""Pooling over spatial axes: `graph.max_pool`, `avg_pool`, `sum_pool`."""

from __future__ import annotations

from abc import ABC
from collections.abc import Callable, Sequence
from functools import reduce
from math import inf, prod
from typing import Any, ClassVar

import numpy as np
from xdsl.dialects.builtin import (
    DenseArrayBase,
    IntegerAttr,
    TensorType,
    UnitAttr,
    i1,
    i64,
)
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import irdl_op_definition, operand_def, opt_prop_def, prop_def
from xdsl.utils.exceptions import VerifyException

from ...shape import Array, Tensor, dtype, is_float, sizes, tensor, tensor_type
from ..element_array import to_elements
from ..families.elementwise import require
from ..families.window import (
    channels_to_end,
    pad_spatial,
    padded,
    put_together,
    take_apart,
    taps_of,
    under_window,
    window_sizes,
)
from ..literal import to_attribute, to_names
from ..nest import Combiner, Nest, Read, axes, same
from ..op import Requirement, SingleResultOp
from ..order import Carried, Order, inverse
from .binary import DivOp
from .constant import ConstantOp
from .expand import ExpandOp
from .pad import PadOp

_BETWEEN = 4
"""Steps of a maximum that take as long as to store an element and to load it again."""


def _combine_windows(
    input: Array,
    value: float,
    combine: Callable[[Array, Array], Array],
    *,
    kernel: Sequence[int],
    strides: Sequence[int],
    padding: Sequence[int],
    dilation: Sequence[int],
    channels_last: bool = False,
) -> Array:
    """The combined elements of each window in numpy; padding has the value `value`."""
    order = channels_to_end(input.ndim)
    if channels_last:
        input = np.transpose(input, inverse(order))
    input = pad_spatial(input, padding, value)
    spatial = input.shape[2:]
    positions = window_sizes(spatial, kernel, strides, (0, 0) * len(spatial), dilation)
    sizes = [int(str(each)) for each in positions]
    taps = taps_of(kernel, strides, dilation, sizes)
    result = reduce(combine, (input[(..., *cut)] for _, cut in taps))
    return np.transpose(result, order) if channels_last else result


def least_of(type: Tensor) -> float:
    """The least value of an element type."""
    return -inf if is_float(type) else float(np.iinfo(dtype(type)).min)


class PoolOp(SingleResultOp, ABC):
    """
    An op that combines the elements of each window of an image NxCx..., or with
    `channels_last` Nx...xC.
    """

    input = operand_def(TensorType)
    kernel = prop_def(DenseArrayBase.constr(i64))
    strides = prop_def(DenseArrayBase.constr(i64))
    padding = prop_def(DenseArrayBase.constr(i64))
    dilation = prop_def(DenseArrayBase.constr(i64))
    channels_last = opt_prop_def(UnitAttr)

    @classmethod
    def infer(
        cls,
        input: Tensor,
        *,
        kernel: tuple[int, ...],
        strides: tuple[int, ...],
        padding: tuple[int, ...],
        dilation: tuple[int, ...],
        channels_last: bool = False,
    ) -> Tensor:
        require(input, "number")
        image = sizes(input)
        if len(image) != len(kernel) + 2 or min(kernel, default=0) < 1:
            axes = "Nx...xC" if channels_last else "NxCx..."
            raise VerifyException(
                f"expected {axes} with {len(kernel)} spatial axes, got {input}"
            )
        n, c, spatial = take_apart(image, channels_last)
        window = window_sizes(spatial, kernel, strides, padding, dilation)
        result = put_together(n, c, window, channels_last)
        return tensor(input.element_type, *result)

    def carry(self, operand: int, order: Order) -> Carried | None:
        if self.channels_last is not None or order != channels_to_end(len(self.shape)):
            return None
        properties = {**self.properties, "channels_last": UnitAttr()}
        return Carried((order,), order, properties)

    def layouts(self) -> Sequence[Order]:
        """Channels are the last axis where `channels_last` is set."""
        if self.channels_last is None:
            return super().layouts()
        return [channels_to_end(len(self.shape))] * 2

    def requirements(self) -> Sequence[Requirement]:
        _, _, positions = take_apart(self.shape, self.channels_last is not None)
        message = f"expected a window that fits {self.input.type}"
        return [Requirement(each, message) for each in positions]

    def windows(self, combine: Combiner) -> Sequence[Nest] | None:
        """The nest over the positions, then over the taps, when there is no padding."""
        values, last = self.values(), self.channels_last is not None
        if any(values["padding"]):
            return None
        rank = len(self.shape)
        image, channel, positions = take_apart(here := axes(rank), last)
        taps = axes(rank - 2, rank)
        reach = under_window(positions, taps, values["strides"], values["dilation"])
        bounds = (*self.shape, *values["kernel"])
        sources = (Read(0, put_together(image, channel, reach, last)),)
        # A window is two axes wide, or there are several.
        in_turn = max(rank - 4, 0)
        return [Nest(bounds, sources, same, here, rank - 2, combine, in_turn)]

    def with_padding(self, value: float) -> Sequence[SSAValue] | None:
        """This op on an input padded with `value`, when it has padding."""
        padding: tuple[int, ...] = self.values()["padding"]
        if not any(padding):
            return None
        low, high = padded(padding, self.channels_last is not None)
        wide = PadOp(self.input, low=low, high=high, value=value)
        zeros = to_attribute(tuple(0 for _ in padding))
        return type(self)(wide, **self.properties | {"padding": zeros}).results


class _CombiningPoolOp(PoolOp, ABC):
    """A pool whose padding has the value that changes no result."""

    COMBINE: ClassVar[Combiner]
    """How elements are combined."""

    NUMPY: ClassVar[np.ufunc]
    """The function of numpy that does the same."""

    def identity(self) -> float:
        """What padding has."""
        return 0.0

    def reference(self, input: Array, **window: Any) -> Array:
        return _combine_windows(input, self.identity(), self.NUMPY, **window)

    def nests(self) -> Sequence[Nest] | None:
        return self.windows(self.COMBINE)

    def decompose(self) -> Sequence[SSAValue] | None:
        return self.with_padding(self.identity())


@irdl_op_definition
class MaxPoolOp(_CombiningPoolOp):
    """
    The greatest element of each window; padding does not count.

    ```mlir
    %1 = graph.max_pool %0 {kernel = array<i64: 2, 3>, strides = array<i64: 2, 1>, padding = array<i64: 0, 1, 1, 1>, dilation = array<i64: 1, 1>} : tensor<2x3x5x7xf32> -> tensor<2x3x3x7xf32>
    %2 = graph.max_pool %0 {kernel = array<i64: 2>, strides = array<i64: 1>, padding = array<i64: 0, 0>, dilation = array<i64: 2>} : tensor<2x3x5xf32> -> tensor<2x3x3xf32>
    %3 = graph.max_pool %0 {kernel = array<i64: 2, 3>, strides = array<i64: 2, 1>, padding = array<i64: 0, 1, 1, 1>, dilation = array<i64: 1, 1>, channels_last} : tensor<2x5x7x3xf32> -> tensor<2x3x7x3xf32>
    ```
    """

    name = "graph.max_pool"
    COMBINE: ClassVar = "max"
    NUMPY: ClassVar = np.maximum

    def identity(self) -> float:
        """The least value of the element type."""
        return least_of(tensor_type(self.input))

    @property
    def goes_by_axes(self) -> bool:
        """
        Whether maxima along one axis after the other take less: of an axis the steps
        of its window, and of what is between to store and load it, for each result.
        """
        values = self.values()
        kernel: Sequence[int] = values["kernel"]
        strides: Sequence[int] = values["strides"]
        if sum(size > 1 for size in kernel) < 2:
            return False
        after = [prod(strides[axis + 1 :]) for axis in range(len(kernel))]
        apart = sum(size * each for size, each in zip(kernel, after, strict=True))
        return apart + _BETWEEN * sum(after[:-1]) < prod(kernel)

    def nests(self) -> Sequence[Nest] | None:
        return None if self.goes_by_axes else super().nests()

    def decompose(self) -> Sequence[SSAValue] | None:
        if (wide := super().decompose()) is not None or not self.goes_by_axes:
            return wide
        value, known = self.input, self.properties
        for axis, size in enumerate(self.values()["kernel"]):
            if size > 1 or self.values()["strides"][axis] > 1:
                along = {
                    name: self._along(axis, name) for name in ("kernel", "strides")
                }
                value = MaxPoolOp(value, **known | along).result
        return [value]

    def _along(self, axis: int, name: str) -> Attribute:
        """A property that is one for all axes but one."""
        numbers: Sequence[int] = self.values()[name]
        return to_attribute(
            tuple(n if at == axis else 1 for at, n in enumerate(numbers))
        )


@irdl_op_definition
class SumPoolOp(_CombiningPoolOp):
    """
    The sum of the elements of each window; padding counts as zero.

    ```mlir
    %1 = graph.sum_pool %0 {kernel = array<i64: 2, 3>, strides = array<i64: 2, 1>, padding = array<i64: 0, 1, 1, 1>, dilation = array<i64: 1, 1>} : tensor<2x3x5x7xf32> -> tensor<2x3x3x7xf32>
    %2 = graph.sum_pool %0 {kernel = array<i64: 2, 3>, strides = array<i64: 2, 1>, padding = array<i64: 0, 1, 1, 1>, dilation = array<i64: 1, 1>, channels_last} : tensor<2x5x7x3xf32> -> tensor<2x3x7x3xf32>
    ```
    """

    name = "graph.sum_pool"
    COMBINE: ClassVar = "add"
    NUMPY: ClassVar = np.add


@irdl_op_definition
class AvgPoolOp(PoolOp):
    """
    The mean of the elements of each window, with or without the padding.

    ```mlir
    %1 = graph.avg_pool %0 {kernel = array<i64: 2, 3>, strides = array<i64: 2, 1>, padding = array<i64: 0, 1, 1, 1>, dilation = array<i64: 1, 1>, count_padding = true} : tensor<2x3x5x7xf32> -> tensor<2x3x3x7xf32>
    %2 = graph.avg_pool %0 {kernel = array<i64: 2, 3>, strides = array<i64: 2, 1>, padding = array<i64: 0, 1, 1, 1>, dilation = array<i64: 1, 1>, count_padding = false} : tensor<2x3x5x7xf32> -> tensor<2x3x3x7xf32>
    %3 = graph.avg_pool %0 {kernel = array<i64: 2, 3>, strides = array<i64: 2, 1>, padding = array<i64: 0, 1, 1, 1>, dilation = array<i64: 1, 1>, count_padding = false, channels_last} : tensor<2x5x7x3xf32> -> tensor<2x3x7x3xf32>
    ```
    """

    name = "graph.avg_pool"

    count_padding = prop_def(IntegerAttr.constr(i1))

    @classmethod
    def infer(
        cls, input: Tensor, *, count_padding: bool = True, **window: Any
    ) -> Tensor:
        require(input, "float")
        return super().infer(input, **window)

    def reference(self, input: Array, count_padding: bool, **window: Any) -> Array:
        total = _combine_windows(input, 0, np.add, **window)
        if count_padding:
            return total / input.dtype.type(prod(window["kernel"]))
        return total / _combine_windows(np.ones_like(input), 0, np.add, **window)

    def decompose(self) -> Sequence[SSAValue]:
        values, window = self.values(), dict(self.properties)
        del window["count_padding"]
        total = SumPoolOp(self.input, **window)
        element = self.type.element_type
        if values["count_padding"] or not any(values["padding"]):
            count = ConstantOp(
                value=to_elements(prod(values["kernel"]), element)
            ).result
        else:
            last = self.channels_last is not None
            _, _, spatial = take_apart(sizes(tensor_type(self.input)), last)
            image = to_names(put_together(1, 1, spatial, last))
            one = ExpandOp(ConstantOp(value=to_elements(1, element)), shape=image)
            count = SumPoolOp(one, **window).result
        return [DivOp(total, count).result]
