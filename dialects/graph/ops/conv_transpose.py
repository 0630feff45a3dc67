"""`graph.conv_transpose`: transposed convolution over any number of spatial axes."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product as pairs

import numpy as np
from xdsl.dialects.builtin import DenseArrayBase, IntegerAttr, TensorType, i64
from xdsl.ir import SSAValue
from xdsl.irdl import irdl_op_definition, operand_def, prop_def
from xdsl.utils.exceptions import VerifyException

from ...agreement import agree
from ...dims import floordiv, product
from ...shape import Array, Tensor, dtype, sizes, tensor, tensor_type
from ..families.elementwise import require
from ..families.transposed_window import Phases, TransposedWindow, transposed_sizes
from ..families.window import pad_spatial
from ..literal import to_names
from ..op import Requirement, SingleResultOp
from .concat import ConcatOp
from .constant import ConstantOp
from .conv import ConvOp
from .expand import ExpandOp
from .index_select import IndexSelectOp
from .permute import PermuteOp
from .reshape import ReshapeOp
from .slice import SliceOp


@irdl_op_definition
class ConvTransposeOp(SingleResultOp):
    """
    The transposed convolution of NxCx... with weights Cx(O/groups)x..., as ONNX and
    ATen define it.

    Each element, times the weights, is added to the result at `strides` times its own
    index. `padding` is cropped before each spatial axis, then after each;
    `output_padding` elements are added at the end of each.

    ```mlir
    %2 = graph.conv_transpose %0, %1 {strides = array<i64: 2, 1>, padding = array<i64: 1, 1, 1, 1>, output_padding = array<i64: 1, 0>, dilation = array<i64: 1, 1>, groups = 1 : i64} : tensor<2x3x5x7xf32>, tensor<3x4x3x3xf32> -> tensor<2x4x10x7xf32>
    %3 = graph.conv_transpose %0, %1 {strides = array<i64: 4>, padding = array<i64: 1, 0>, output_padding = array<i64: 2>, dilation = array<i64: 6>, groups = 2 : i64} : tensor<1x4x7xf32>, tensor<4x3x5xf32> -> tensor<1x6x50xf32>
    %4 = graph.conv_transpose %0, %1 {strides = array<i64: 2>, padding = array<i64: 3, 0>, output_padding = array<i64: 0>, dilation = array<i64: 1>, groups = 3 : i64} : tensor<2x3x8xf32>, tensor<3x1x2xf32> -> tensor<2x3x13xf32>
    ```
    """

    name = "graph.conv_transpose"

    input = operand_def(TensorType)
    weight = operand_def(TensorType)
    strides = prop_def(DenseArrayBase.constr(i64))
    padding = prop_def(DenseArrayBase.constr(i64))
    output_padding = prop_def(DenseArrayBase.constr(i64))
    dilation = prop_def(DenseArrayBase.constr(i64))
    groups = prop_def(IntegerAttr.constr(i64))

    @classmethod
    def infer(
        cls,
        input: Tensor,
        weight: Tensor,
        strides: tuple[int, ...],
        padding: tuple[int, ...],
        output_padding: tuple[int, ...],
        dilation: tuple[int, ...],
        groups: int,
    ) -> Tensor:
        require(input, "number")
        match sizes(input), sizes(weight):
            case (n, c, *spatial), (int(c2), o_group, *kernel) if (
                len(spatial) == len(kernel)
                and input.element_type == weight.element_type
                and isinstance(o_group, int)
                and groups > 0
                and c2 % groups == 0
                and agree(c, c2)
            ):
                window = TransposedWindow.of(
                    kernel, strides, padding, output_padding, dilation
                )
                image = transposed_sizes(spatial, window)
                return tensor(input.element_type, n, o_group * groups, *image)
            case _:
                raise VerifyException(
                    f"expected NxCx... and Cx(O/{groups})x..., got {input} and {weight}"
                )

    def window(self) -> TransposedWindow:
        """The window of the op."""
        values = self.values()
        kernel = self.operand_sizes()[1][2:]
        names = ("strides", "padding", "output_padding", "dilation")
        return TransposedWindow.of(kernel, *(values[name] for name in names))

    def requirements(self) -> Sequence[Requirement]:
        (_, _, *spatial), _ = self.operand_sizes()
        message = f"expected an image that padding leaves elements of, got {self.type}"
        return [
            *(Requirement(each, message) for each in self.shape[2:]),
            *(Requirement(each - 1, message) for each in spatial),
        ]

    def reference(
        self,
        input: Array,
        weight: Array,
        strides: tuple[int, ...],
        padding: tuple[int, ...],
        output_padding: tuple[int, ...],
        dilation: tuple[int, ...],
        groups: int,
    ) -> Array:
        n, c, *spatial = input.shape
        outputs, kernel = weight.shape[1], weight.shape[2:]
        window = TransposedWindow.of(kernel, strides, padding, output_padding, dilation)
        shape = [int(str(each)) for each in transposed_sizes(spatial, window)]
        # Zero padding around the image, as far as any tap reaches.
        reach = [
            (k - 1) * d + m
            for k, d, m in zip(kernel, dilation, output_padding, strict=True)
        ]
        around = [-(-each // s) for each, s in zip(reach, strides, strict=True)]
        wide = pad_spatial(input, (*around, *around), 0)
        points = wide.shape[2:]
        grouped = wide.reshape(n, groups, c // groups, *points)
        weights = weight.reshape(groups, c // groups, outputs, *kernel)
        grown = (
            size * s + r for size, s, r in zip(points, strides, reach, strict=True)
        )
        total = np.zeros((n, groups, outputs, *grown), input.dtype)
        for tap in pairs(*map(range, kernel)):
            there = tuple(
                slice(k * d, k * d + size * s, s)
                for k, d, s, size in zip(tap, dilation, strides, points, strict=True)
            )
            with np.errstate(all="ignore"):
                total[(..., *there)] += np.einsum(
                    "ngc...,gco->ngo...", grouped, weights[(..., *tap)]
                ).astype(input.dtype)
        begins = [a * s + p for a, s, p in zip(around, strides, padding, strict=False)]
        cuts = (slice(b, b + size) for b, size in zip(begins, shape, strict=True))
        return total[(..., *cuts)].reshape(n, groups * outputs, *shape)

    def decompose(self) -> Sequence[SSAValue]:
        """
        One convolution for each group of phases, whose channels are then interleaved
        along the spatial axes.
        """
        window, half = self.window(), len(self.shape) - 2
        strides = window.strides
        wide = self.combine(window, ())
        n, _, *rest = sizes(tensor_type(wide))
        points = rest[half + 1 :]
        order = [part + each for each in range(half) for part in (3 + half, 2)]
        turned = PermuteOp(wide, order=(0, 1, 2 + half, *order))
        grown = [point * s for point, s in zip(points, strides, strict=True)]
        image = ReshapeOp(turned, shape=to_names([n, self.shape[1], *grown]))
        starts = [
            window.low[each] - window.first(each) * strides[each]
            for each in range(half)
        ]
        if not any(starts) and tuple(grown) == self.shape[2:]:
            return [image.result]
        return [
            SliceOp(
                image,
                starts=to_names([0, 0, *starts]),
                sizes=to_names(self.shape),
                steps=(1,) * (2 + half),
            ).result
        ]

    def combine(self, window: TransposedWindow, chosen: tuple[Phases, ...]) -> SSAValue:
        """
        Builds Nx(groups)x(phases)...xOx(points)... for the chosen phases of the first
        axes and all phases of the others, where a group has O channels.
        """
        at = len(chosen)
        if at == len(window.kernel):
            return self.convolve(window, chosen)
        parts = [self.combine(window, (*chosen, each)) for each in window.phases(at)]
        return parts[0] if len(parts) == 1 else ConcatOp(*parts, axis=2 + at).result

    def convolve(self, window: TransposedWindow, chosen: Sequence[Phases]) -> SSAValue:
        """
        Builds Nx(groups)x(phases)...xOx(points)... for one group of phases along each
        axis. Channels are last among what a convolution computes side by side, so that
        they still are where phases are spread along the spatial axes.
        """
        (n, _, *spatial), (channels, outputs, *_) = self.operand_sizes()
        groups, half = self.groups.value.data, len(chosen)
        counts = [each.taps.shape[0] for each in chosen]
        taps = [each.taps.shape[1] for each in chosen]
        points = [size + window.grows(at) for at, size in enumerate(spatial)]
        shape = to_names([n, groups, *counts, outputs, *points])
        if 0 in taps:
            zero = ConstantOp(value=np.zeros((), dtype(self.type)))
            return ExpandOp(zero, shape=shape).result
        weight = self.weight
        for at, each in enumerate(chosen):
            which = ConstantOp(value=each.taps[:, ::-1])
            weight = IndexSelectOp(weight, which, axis=2 + 2 * at, wraps=False).result
        inner, after = floordiv(channels, groups), range(half)
        parts = [each for pair in zip(counts, taps, strict=True) for each in pair]
        apart = ReshapeOp(weight, shape=to_names([groups, inner, outputs, *parts]))
        order = (
            0,
            *(3 + 2 * each for each in after),
            2,
            1,
            *(4 + 2 * each for each in after),
        )
        filters = outputs * groups * product(counts)
        turned = ReshapeOp(
            PermuteOp(apart, order=order), shape=to_names([filters, inner, *taps])
        )
        around = [window.around(at, each) for at, each in enumerate(chosen)]
        result = ConvOp(
            self.input,
            turned,
            strides=(1,) * half,
            padding=(*(low for low, _ in around), *(high for _, high in around)),
            dilation=tuple(each.step for each in chosen),
            groups=groups,
        )
        return ReshapeOp(result, shape=shape).result
