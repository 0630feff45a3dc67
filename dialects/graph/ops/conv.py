"""`graph.conv`: convolution over any number of spatial axes."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from xdsl.dialects.builtin import (
    DenseArrayBase,
    IntegerAttr,
    TensorType,
    UnitAttr,
    i64,
)
from xdsl.ir import SSAValue, TypeAttribute
from xdsl.irdl import irdl_op_definition, operand_def, opt_prop_def, prop_def
from xdsl.utils.exceptions import VerifyException

from ...agreement import agree
from ...dims import Dim, product
from ...element_type import Element
from ...shape import Array, Tensor, sizes, tensor
from .. import scalar
from ..families.elementwise import require
from ..families.product import sum_element, widened
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
from ..literal import to_attribute
from ..nest import Linear, Nest, Read, axes
from ..op import Requirement, SingleResultOp
from ..order import Carried, Order, inverse
from .pad import PadOp

_MIN_FILTERS = 8
"""The least number of output channels for which channels-last pays."""

_MIN_TAPS = 16
"""The least number of products per result element for which a permutation pays."""


def _filters_to_end(rank: int) -> Order:
    """The order that puts the filters of OxCx... last, and their channels before."""
    return (*range(2, rank), 1, 0)


@irdl_op_definition
class ConvOp(SingleResultOp):
    """
    The convolution of NxCx... with weights Ox(C/groups)x..., as ONNX and ATen define
    it, or, with `channels_last`, of Nx...xC with weights ...x(C/groups)xO.

    `padding` holds the zeros before each spatial axis, then those after each. Products
    are added up channel by channel, or, with `channels_last` or `taps_first`, position
    by position of the window. `to` is as of `graph.matmul`. `border` says how many zeros
    the image has before and after each spatial axis: as far as weights are finite, they
    may be left out.

    ```mlir
    %2 = graph.conv %0, %1 {strides = array<i64: 1, 1>, padding = array<i64: 1, 1, 1, 1>, dilation = array<i64: 1, 1>, groups = 1 : i64} : tensor<2x3x5x7xf32>, tensor<4x3x3x3xf32> -> tensor<2x4x5x7xf32>
    %3 = graph.conv %0, %1 {strides = array<i64: 2, 1>, padding = array<i64: 0, 1, 0, 0>, dilation = array<i64: 1, 2>, groups = 2 : i64} : tensor<1x4x7x9xf32>, tensor<6x2x3x2xf32> -> tensor<1x6x3x8xf32>
    %4 = graph.conv %0, %1 {strides = array<i64: 2>, padding = array<i64: 1, 0>, dilation = array<i64: 1>, groups = 3 : i64} : tensor<2x3x8xf32>, tensor<3x1x3xf32> -> tensor<2x3x4xf32>
    %5 = graph.conv %0, %1 {strides = array<i64: 2, 1>, padding = array<i64: 1, 1, 0, 1>, dilation = array<i64: 1, 2>, groups = 1 : i64, channels_last} : tensor<2x5x7x3xf32>, tensor<2x3x3x9xf32> -> tensor<2x3x5x9xf32>
    %6 = graph.conv %0, %1 {strides = array<i64: 1, 1>, padding = array<i64: 0, 0, 0, 0>, dilation = array<i64: 1, 1>, groups = 1 : i64, channels_last} : tensor<2x5x7x3xf32>, tensor<1x1x3x8xf32> -> tensor<2x5x7x8xf32>
    %7 = graph.conv %0, %1 {strides = array<i64: 2>, padding = array<i64: 1, 0>, dilation = array<i64: 1>, groups = 2 : i64, channels_last} : tensor<2x8x4xf32>, tensor<3x2x6xf32> -> tensor<2x4x6xf32>
    %8 = graph.conv %0, %1 {strides = array<i64: 1>, padding = array<i64: 1, 1>, dilation = array<i64: 1>, groups = 9 : i64, channels_last} : tensor<2x5x9xf32>, tensor<3x1x9xf32> -> tensor<2x5x9xf32>
    %9 = graph.conv %0, %1 {strides = array<i64: 1, 1>, padding = array<i64: 1, 1, 1, 1>, dilation = array<i64: 1, 1>, groups = 1 : i64, taps_first} : tensor<2x3x5x7xf32>, tensor<4x3x3x3xf32> -> tensor<2x4x5x7xf32>
    %10 = graph.conv %0, %1 {strides = array<i64: 1, 1>, padding = array<i64: 1, 1, 1, 1>, dilation = array<i64: 1, 1>, groups = 1 : i64, to = i32} : tensor<2x3x5x7xui8>, tensor<4x3x3x3xsi8> -> tensor<2x4x5x7xi32>
    ```
    """

    name = "graph.conv"

    input = operand_def(TensorType)
    weight = operand_def(TensorType)
    strides = prop_def(DenseArrayBase.constr(i64))
    padding = prop_def(DenseArrayBase.constr(i64))
    dilation = prop_def(DenseArrayBase.constr(i64))
    groups = prop_def(IntegerAttr.constr(i64))
    channels_last = opt_prop_def(UnitAttr)
    taps_first = opt_prop_def(UnitAttr)
    border = opt_prop_def(DenseArrayBase.constr(i64))
    to = opt_prop_def(TypeAttribute)

    @classmethod
    def infer(
        cls,
        input: Tensor,
        weight: Tensor,
        strides: tuple[int, ...],
        padding: tuple[int, ...],
        dilation: tuple[int, ...],
        groups: int,
        channels_last: bool = False,
        taps_first: bool = False,
        border: tuple[int, ...] = (),
        to: Element | None = None,
    ) -> Tensor:
        require(input, "number")
        element = sum_element(input, weight, to)
        image, filters = sizes(input), sizes(weight)
        if len(image) == len(filters) >= 2:
            n, c, spatial = take_apart(image, channels_last)
            o, c_group, kernel = _take_filters(filters, channels_last)
            if (
                element is not None
                and isinstance(o, int)
                and groups > 0
                and o % groups == 0
                and agree(c, c_group * groups)
            ):
                window = window_sizes(spatial, kernel, strides, padding, dilation)
                if border and (len(border) != len(padding) or min(border) < 0):
                    raise VerifyException(
                        f"expected {len(padding)} counts of a border, got {border}"
                    )
                result = put_together(n, o, window, channels_last)
                return tensor(element, *result)
        wanted = (
            f"Nx...xC and ...x(C/{groups})xO"
            if channels_last
            else f"NxCx... and Ox(C/{groups})x..."
        )
        raise VerifyException(f"expected {wanted}, got {input} and {weight}")

    @property
    def image_filter_result(self) -> tuple[tuple[Dim, Dim, tuple[Dim, ...]], ...]:
        """
        The dimensions of the image, of the weights and of the result, each as batch or
        outputs, channels, spatial sizes.
        """
        last = self.channels_last is not None
        image, filters = self.operand_sizes()
        return (
            take_apart(image, last),
            _take_filters(filters, last),
            take_apart(self.shape, last),
        )

    def requirements(self) -> Sequence[Requirement]:
        message = f"expected a window that fits {self.input.type}"
        return [Requirement(each, message) for each in self.image_filter_result[2][2]]

    @property
    def preferred(self) -> Order | None:
        _, (outputs, channels, kernel), _ = self.image_filter_result
        taps = product((channels, *kernel))
        if self.channels_last is not None or not isinstance(taps, int):
            return None
        assert isinstance(outputs, int), "the weights have so many filters"
        if outputs < _MIN_FILTERS or taps < _MIN_TAPS:
            return None
        return channels_to_end(len(self.shape))

    def carry(self, operand: int, order: Order) -> Carried | None:
        rank = len(self.shape)
        if (
            operand != 0
            or self.channels_last is not None
            or order != channels_to_end(rank)
        ):
            return None
        properties = {**self.properties, "channels_last": UnitAttr()}
        orders = order, _filters_to_end(rank)
        # Of one channel the position in the window alone says what comes first.
        is_one = self.operand_sizes()[0][1] == 1
        unmoved = {} if is_one else {"taps_first": UnitAttr()}
        return Carried(orders, order, properties, unmoved)

    def layouts(self) -> Sequence[Order]:
        """With `channels_last` channels are the last axis, and filters begin with taps."""
        if self.channels_last is None:
            return super().layouts()
        image = channels_to_end(rank := len(self.shape))
        return image, _filters_to_end(rank), image

    def reference(
        self,
        input: Array,
        weight: Array,
        strides: tuple[int, ...],
        padding: tuple[int, ...],
        dilation: tuple[int, ...],
        groups: int,
        channels_last: bool = False,
        taps_first: bool = False,
        border: tuple[int, ...] = (),
        to: Element | None = None,
    ) -> Array:
        input, weight = widened(input, to), widened(weight, to)
        if channels_last:
            first = inverse(order := channels_to_end(input.ndim))
            filters = (input.ndim - 1, input.ndim - 2, *range(input.ndim - 2))
            plain = np.transpose(input, first), np.transpose(weight, filters)
            result = self.reference(*plain, strides, padding, dilation, groups)
            return np.transpose(result, order)
        input = pad_spatial(input, padding, 0)
        n, outputs, kernel = input.shape[0], weight.shape[0], weight.shape[2:]
        window = window_sizes(
            input.shape[2:], kernel, strides, (0,) * len(padding), dilation
        )
        shape = [int(str(each)) for each in window]
        grouped = input.reshape(n, groups, weight.shape[1], *input.shape[2:])
        weights = weight.reshape(groups, outputs // groups, *weight.shape[1:])
        total = np.zeros((n, groups, outputs // groups, *shape), input.dtype)
        for tap, cut in taps_of(kernel, strides, dilation, shape):
            part = grouped[(..., *cut)]
            with np.errstate(all="ignore"):
                total += np.einsum(
                    "ngc...,goc->ngo...", part, weights[(..., *tap)]
                ).astype(input.dtype)
        return total.reshape(n, outputs, *shape)

    def decompose(self) -> Sequence[SSAValue] | None:
        padding: tuple[int, ...] = self.values()["padding"]
        if not any(padding):
            return None
        low, high = padded(padding, self.channels_last is not None)
        wide = PadOp(self.input, low=low, high=high, value=0.0)
        known = {**self.properties, "padding": to_attribute((0,) * len(padding))}
        if self.border is not None:
            zeros = zip(self.border.get_values(), padding, strict=True)
            known["border"] = to_attribute(tuple(map(sum, zeros)))
        return ConvOp(wide, self.weight, **known).results

    def nests(self) -> Sequence[Nest] | None:
        values = self.values()
        if any(values["padding"]):
            return None
        groups, last = values["groups"], self.channels_last is not None
        (n, _, _), (o, c_group, kernel), (_, _, spatial) = self.image_filter_result
        count = len(spatial)
        assert isinstance(o, int), "the weights have so many filters"
        per_group = o // groups
        # The last parallel axis is the one along which the result is contiguous; so is
        # the last reduced one of the image, unless the order is that of channels last.
        if last:
            outer = (n, *spatial, groups, per_group)
            image, *positions, group, channel = axes(3 + count)
        else:
            outer = (n, groups, per_group, *spatial)
            image, group, channel, *positions = axes(3 + count)
        if last or self.taps_first is not None:
            inner = (*kernel, c_group)
            *taps, each = axes(1 + count, 3 + count)
        else:
            inner = (c_group, *kernel)
            each, *taps = axes(1 + count, 3 + count)
        reach = under_window(positions, taps, values["strides"], values["dilation"])
        output = group * per_group + channel
        input = put_together(image, group * c_group + each, reach, last)
        weight = (*taps, each, output) if last else (output, each, *taps)
        write = put_together(image, output, positions, last)
        sources = (Read(0, input), Read(1, weight))
        bounds = (*outer, *inner)
        inside = self._inside(reach)
        return [
            Nest(bounds, sources, scalar.mul, write, 1 + count, "add", inside=inside)
        ]

    def _inside(self, reach: Sequence[Linear]) -> tuple[tuple[Linear, Dim, Dim], ...]:
        """What is known of products, whose elements of the image are at `reach`."""
        if self.border is None:
            return ()
        (_, _, image), count = self.image_filter_result[0], len(reach)
        border: tuple[int, ...] = self.border.get_values()
        sides = zip(reach, image, border[:count], border[count:], strict=True)
        return tuple(
            (at, low, size - high) for at, size, low, high in sides if low or high
        )


def _take_filters(
    weight: Sequence[Dim], channels_last: bool
) -> tuple[Dim, Dim, tuple[Dim, ...]]:
    """The number of filters, the channels of each, and the sizes of the window."""
    if channels_last:
        *kernel, c_group, o = weight
    else:
        o, c_group, *kernel = weight
    return o, c_group, tuple(kernel)
