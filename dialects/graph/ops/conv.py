"""`graph.conv`: convolution over any number of spatial axes."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product as pairs

import numpy as np
from xdsl.dialects.builtin import DenseArrayBase, IntegerAttr, TensorType, i64
from xdsl.ir import SSAValue
from xdsl.irdl import irdl_op_definition, operand_def, prop_def
from xdsl.utils.exceptions import VerifyException

from .. import scalar
from ..elementwise import require
from ..nest import Nest, Read, axis
from ..op import Requirement, SingleResultOp
from ..shape import Array, Tensor, sizes, tensor
from ..window import pad_spatial, padded, room, window_sizes
from .pad import PadOp


@irdl_op_definition
class ConvOp(SingleResultOp):
    """
    The convolution of NxCx... with weights Ox(C/groups)x..., as ONNX and ATen define
    it.

    `padding` holds the zeros before each spatial axis, then those after each.

    ```mlir
    %2 = graph.conv %0, %1 {strides = array<i64: 1, 1>, padding = array<i64: 1, 1, 1, 1>, dilation = array<i64: 1, 1>, groups = 1 : i64} : tensor<2x3x5x7xf32>, tensor<4x3x3x3xf32> -> tensor<2x4x5x7xf32>
    %3 = graph.conv %0, %1 {strides = array<i64: 2, 1>, padding = array<i64: 0, 1, 0, 0>, dilation = array<i64: 1, 2>, groups = 2 : i64} : tensor<1x4x7x9xf32>, tensor<6x2x3x2xf32> -> tensor<1x6x3x8xf32>
    %4 = graph.conv %0, %1 {strides = array<i64: 2>, padding = array<i64: 1, 0>, dilation = array<i64: 1>, groups = 3 : i64} : tensor<2x3x8xf32>, tensor<3x1x3xf32> -> tensor<2x3x4xf32>
    ```
    """

    name = "graph.conv"

    input = operand_def(TensorType)
    weight = operand_def(TensorType)
    strides = prop_def(DenseArrayBase.constr(i64))
    padding = prop_def(DenseArrayBase.constr(i64))
    dilation = prop_def(DenseArrayBase.constr(i64))
    groups = prop_def(IntegerAttr.constr(i64))

    @classmethod
    def infer(
        cls,
        input: Tensor,
        weight: Tensor,
        strides: tuple[int, ...],
        padding: tuple[int, ...],
        dilation: tuple[int, ...],
        groups: int,
    ) -> Tensor:
        require(input, "number")
        match sizes(input), sizes(weight):
            case (n, c, *spatial), (o, c_group, *kernel) if (
                len(spatial) == len(kernel)
                and input.element_type == weight.element_type
                and isinstance(o, int)
                and groups > 0
                and o % groups == 0
                and c == c_group * groups
            ):
                window = window_sizes(spatial, kernel, strides, padding, dilation)
                return tensor(input.element_type, n, o, *window)
            case _:
                raise VerifyException(
                    f"expected NxCx... and Ox(C/{groups})x..., got {input} and {weight}"
                )

    def requirements(self) -> Sequence[Requirement]:
        values = self.values()
        (_, _, *spatial), (_, _, *kernel) = self.operand_sizes()
        free = room(spatial, kernel, values["padding"], values["dilation"])
        message = f"expected a window that fits {self.input.type}"
        return [Requirement(each, message) for each in free]

    def reference(
        self,
        input: Array,
        weight: Array,
        strides: tuple[int, ...],
        padding: tuple[int, ...],
        dilation: tuple[int, ...],
        groups: int,
    ) -> Array:
        input = pad_spatial(input, padding, 0)
        n, outputs, kernel = input.shape[0], weight.shape[0], weight.shape[2:]
        window = window_sizes(
            input.shape[2:], kernel, strides, (0,) * len(padding), dilation
        )
        shape = [int(str(each)) for each in window]
        grouped = input.reshape(n, groups, weight.shape[1], *input.shape[2:])
        weights = weight.reshape(groups, outputs // groups, *weight.shape[1:])
        total = np.zeros((n, groups, outputs // groups, *shape), input.dtype)
        for tap in pairs(*map(range, kernel)):
            cut = tuple(
                slice(k * d, k * d + (size - 1) * s + 1 if size else 0, s)
                for k, d, s, size in zip(tap, dilation, strides, shape, strict=True)
            )
            part = grouped[(..., *cut)]
            with np.errstate(all="ignore"):
                total += np.einsum(
                    "ngc...,goc->ngo...", part, weights[(..., *tap)]
                ).astype(input.dtype)
        return total.reshape(n, outputs, *shape)

    def decompose(self) -> Sequence[SSAValue] | None:
        values = self.values()
        padding: tuple[int, ...] = values.pop("padding")
        if not any(padding):
            return None
        low, high = padded(padding)
        wide = PadOp(self.input, low=low, high=high, value=0.0)
        zeros = tuple(0 for _ in padding)
        return [ConvOp(wide, self.weight, padding=zeros, **values).result]

    def nests(self) -> Sequence[Nest] | None:
        values = self.values()
        if any(values["padding"]):
            return None
        groups: int = values["groups"]
        (n, *_), (o, c_group, *kernel) = self.operand_sizes()
        spatial = self.shape[2:]
        count = len(spatial)
        per_group = o // groups
        # Axes: image, group, channel of the group, places; then reduced: channel, taps.
        group, channel = axis(1), axis(2)
        places = [axis(3 + each) for each in range(count)]
        inner = axis(3 + count)
        taps = [axis(4 + count + each) for each in range(count)]
        reach = tuple(
            place * stride + tap * step
            for place, tap, stride, step in zip(
                places, taps, values["strides"], values["dilation"], strict=True
            )
        )
        filters = group * per_group + channel
        return [
            Nest(
                (n, groups, per_group, *spatial, c_group, *kernel),
                (
                    Read(0, (axis(0), group * c_group + inner, *reach)),
                    Read(1, (filters, inner, *taps)),
                ),
                scalar.mul,
                (axis(0), filters, *places),
                1 + count,
                "add",
            )
        ]
