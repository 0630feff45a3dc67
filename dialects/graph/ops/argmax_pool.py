"""`graph.argmax_pool`: the index of the greatest element in each window of an image."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product as pairs
from math import prod
from typing import Any

import numpy as np
from xdsl.dialects.builtin import i64
from xdsl.ir import SSAValue
from xdsl.irdl import irdl_op_definition
from xdsl.utils.exceptions import VerifyException

from ...dims import Dim, product
from ...shape import Array, Tensor, is_float, sizes, tensor_type, with_element
from ..families.window import pad_spatial, padded
from ..literal import to_names
from ..op import Requirement
from ..order import Carried, Order
from .binary import AddOp, MulOp, SubOp
from .compare import EqOp, NeOp
from .constant import ConstantOp
from .dim import DimOp
from .expand import ExpandOp
from .first_true import FirstTrueOp
from .index_select import IndexSelectOp
from .iota import IotaOp
from .logical import LogicalAndOp, LogicalOrOp
from .pad import PadOp
from .pool import PoolOp, least_of
from .reduce import ReduceMaxOp
from .reshape import ReshapeOp
from .unfold import UnfoldOp, elements_under


@irdl_op_definition
class ArgmaxPoolOp(PoolOp):
    """
    The index of the greatest element in each window, counted over the elements of the
    channel: the first of equals, the first NaN.

    ```mlir
    %1 = graph.argmax_pool %0 {kernel = array<i64: 2, 3>, strides = array<i64: 2, 1>, padding = array<i64: 0, 1, 1, 1>, dilation = array<i64: 1, 1>} : tensor<2x3x5x7xf32> -> tensor<2x3x3x7xi64>
    %2 = graph.argmax_pool %0 {kernel = array<i64: 2>, strides = array<i64: 1>, padding = array<i64: 1, 1>, dilation = array<i64: 2>} : tensor<2x3x5xf32> -> tensor<2x3x5xi64>
    ```
    """

    name = "graph.argmax_pool"

    @classmethod
    def infer(
        cls,
        input: Tensor,
        *,
        kernel: tuple[int, ...],
        padding: tuple[int, ...],
        dilation: tuple[int, ...],
        channels_last: bool = False,
        **steps: Any,
    ) -> Tensor:
        if channels_last:
            raise VerifyException(f"expected channels before positions, got {input}")
        limits = zip(padding, (*kernel, *kernel), (*dilation, *dilation), strict=False)
        if any(pad > (size - 1) * step for pad, size, step in limits):
            raise VerifyException(
                f"expected windows with elements in them, got paddings {padding}"
            )
        # A window that begins in the image has its first element there.
        axes = zip(padding, sizes(input)[2:], dilation, strict=False)
        for low, size, step in axes:
            if low and isinstance(size, int) and size < step:
                raise VerifyException(
                    f"expected windows with elements in them, got steps of {step} over "
                    f"{size}"
                )
        window = {"kernel": kernel, "padding": padding, "dilation": dilation}
        type = super().infer(input, **window, **steps)
        return with_element(type, i64)

    def carry(self, operand: int, order: Order) -> Carried | None:
        # The op decomposes before `assign-layouts` runs.
        return None

    def requirements(self) -> Sequence[Requirement]:
        values, spatial = self.values(), self.operand_sizes()[0][2:]
        message = f"expected windows with elements in them, got steps over {spatial}"
        axes = zip(values["padding"], spatial, values["dilation"], strict=False)
        inside = (Requirement(size - step, message) for low, size, step in axes if low)
        return [*super().requirements(), *inside]

    def reference(
        self,
        input: Array,
        kernel: tuple[int, ...],
        strides: tuple[int, ...],
        padding: tuple[int, ...],
        dilation: tuple[int, ...],
    ) -> Array:
        spatial = input.shape[2:]
        least = least_of(tensor_type(self.input))
        numbers = np.arange(prod(spatial)).reshape(1, 1, *spatial)
        every, inside = (
            elements_under(pad_spatial(each, padding, value), kernel, strides, dilation)
            for each, value in ((input, least), (numbers, -1))
        )
        every, inside = (
            each.reshape(*each.shape[: 2 + len(kernel)], prod(kernel))
            for each in (every, inside)
        )
        greatest = every.max(-1, keepdims=True, initial=least)
        found = ((every == greatest) | (every != every)) & (inside >= 0)
        first = found.argmax(-1)[..., None]
        where = np.broadcast_to(inside, every.shape)
        return np.take_along_axis(where, first, -1)[..., 0]

    def decompose(self) -> Sequence[SSAValue]:
        values, count = self.values(), len(self.shape) - 2
        input, padding = tensor_type(self.input), values.pop("padding")
        spatial = sizes(input)[2:]
        low, high = padded(padding)
        taps = prod(values["kernel"])
        shape = to_names([*self.shape, taps])
        least = least_of(input)
        wide = PadOp(self.input, low=low, high=high, value=least)
        every = ReshapeOp(UnfoldOp(wide, **values), shape=shape)
        greatest = ReduceMaxOp(every, axes=(count + 2,), keepdims=True)
        found = EqOp(every, greatest).result
        if is_float(input):
            found = LogicalOrOp(found, NeOp(every, every)).result
        if any(padding):
            one = ExpandOp(
                ConstantOp(value=np.array(True)), shape=to_names([1, 1, *spatial])
            )
            image = UnfoldOp(PadOp(one, low=low, high=high, value=0.0), **values)
            inside = ReshapeOp(image, shape=to_names([1, 1, *self.shape[2:], taps]))
            found = LogicalAndOp(found, inside).result
        tap = FirstTrueOp(found, axis=count + 2, keepdims=False)
        offsets, begins = self.numbers(spatial)
        offset = IndexSelectOp(offsets, tap, axis=0, wraps=False)
        return [AddOp(offset, begins).result]

    def numbers(self, spatial: Sequence[Dim]) -> tuple[SSAValue, SSAValue]:
        """
        Builds the offset of each tap from the first, and the index of the first tap of
        each window.
        """
        values, count = self.values(), len(spatial)
        taps = list(pairs(*map(range, values["kernel"])))
        offsets = begins = ConstantOp(value=np.array(0)).result
        for at in range(count):
            stride = DimOp(value=str(product(spatial[at + 1 :])))
            step = np.array([tap[at] * values["dilation"][at] for tap in taps])
            offsets = AddOp(offsets, MulOp(ConstantOp(value=step), stride)).result
            steps = MulOp(
                IotaOp(size=str(self.shape[2 + at])),
                ConstantOp(value=np.array(values["strides"][at])),
            )
            before = ConstantOp(value=np.array(values["padding"][at]))
            positions = MulOp(SubOp(steps, before), stride)
            row = [1] * count
            shape = to_names([*row[:at], self.shape[2 + at], *row[at + 1 :]])
            begins = AddOp(begins, ReshapeOp(positions, shape=shape)).result
        return offsets, begins
