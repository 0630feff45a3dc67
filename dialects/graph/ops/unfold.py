"""`graph.unfold`: the elements of sliding windows, along new axes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from xdsl.dialects.builtin import DenseArrayBase, TensorType, i64
from xdsl.irdl import irdl_op_definition, operand_def, prop_def
from xdsl.utils.exceptions import VerifyException

from ...shape import Array, Tensor, sizes, tensor
from ..families.window import taps_of, under_window, window_sizes
from ..nest import Nest, Read, axes, same
from ..op import Requirement, SingleResultOp


def elements_under(
    input: Array,
    kernel: tuple[int, ...],
    strides: tuple[int, ...],
    dilation: tuple[int, ...],
) -> Array:
    """
    The elements of each window in numpy: first the axes of positions, then of taps.
    """
    n, c, *spatial = input.shape
    padding = (0, 0) * len(spatial)
    window = window_sizes(spatial, kernel, strides, padding, dilation)
    positions = [int(str(each)) for each in window]
    result = np.empty((n, c, *positions, *kernel), input.dtype)
    for tap, cut in taps_of(kernel, strides, dilation, positions):
        result[(..., *tap)] = input[(..., *cut)]
    return result


@irdl_op_definition
class UnfoldOp(SingleResultOp):
    """
    The elements of each window of an image NxCx...: NxCx(positions)...x(taps)...

    ```mlir
    %1 = graph.unfold %0 {kernel = array<i64: 2, 3>, strides = array<i64: 2, 1>, dilation = array<i64: 1, 2>} : tensor<2x3x5x7xf32> -> tensor<2x3x2x3x2x3xf32>
    %2 = graph.unfold %0 {kernel = array<i64: 3>, strides = array<i64: 2>, dilation = array<i64: 1>} : tensor<2x3x8xf32> -> tensor<2x3x3x3xf32>
    ```
    """

    name = "graph.unfold"

    input = operand_def(TensorType)
    kernel = prop_def(DenseArrayBase.constr(i64))
    strides = prop_def(DenseArrayBase.constr(i64))
    dilation = prop_def(DenseArrayBase.constr(i64))

    @classmethod
    def infer(
        cls,
        input: Tensor,
        kernel: tuple[int, ...],
        strides: tuple[int, ...],
        dilation: tuple[int, ...],
    ) -> Tensor:
        match sizes(input):
            case n, c, *spatial if (
                len(spatial) == len(kernel) and min(kernel, default=0) > 0
            ):
                padding = (0, 0) * len(spatial)
                positions = window_sizes(spatial, kernel, strides, padding, dilation)
                return tensor(input.element_type, n, c, *positions, *kernel)
            case _:
                raise VerifyException(
                    f"expected NxCx... with {len(kernel)} spatial axes, got {input}"
                )

    def requirements(self) -> Sequence[Requirement]:
        message = f"expected a window that fits {self.input.type}"
        return [Requirement(each, message) for each in self.shape[2:]]

    def reference(self, input: Array, **window: Any) -> Array:
        return elements_under(input, **window)

    def nests(self) -> Sequence[Nest]:
        values = self.values()
        count = len(values["kernel"])
        positions, taps = axes(count, 2), axes(count, 2 + count)
        reach = under_window(positions, taps, values["strides"], values["dilation"])
        sources = (Read(0, (*axes(2), *reach)),)
        return [Nest(self.shape, sources, same, axes(2 + 2 * count))]
