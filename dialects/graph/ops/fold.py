"""`graph.fold`: the elements of sliding windows, added up into an image."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np
from xdsl.dialects.builtin import (
    ArrayAttr,
    DenseArrayBase,
    StringAttr,
    TensorType,
    i64,
)
from xdsl.ir import SSAValue
from xdsl.irdl import irdl_op_definition, operand_def, prop_def
from xdsl.utils.exceptions import VerifyException

from ...agreement import agreed_shape
from ...dims import Dim, dim
from ...shape import Array, Tensor, sizes, tensor, tensor_type
from .. import scalar
from ..families.elementwise import require
from ..families.window import taps_of, under_window, window_sizes
from ..nest import Nest, Read, axes, same
from ..op import SingleResultOp


@irdl_op_definition
class FoldOp(SingleResultOp):
    """
    The image NxCx`spatial` of NxCx(positions)...x(taps)...: each tap is added to the
    element that `graph.unfold` reads it from.

    ```mlir
    %1 = graph.fold %0 {spatial = ["5", "8"], strides = array<i64: 2, 1>, dilation = array<i64: 1, 2>} : tensor<2x3x2x4x2x3xf32> -> tensor<2x3x5x8xf32>
    %2 = graph.fold %0 {spatial = ["9"], strides = array<i64: 2>, dilation = array<i64: 1>} : tensor<2x3x4x3xf32> -> tensor<2x3x9xf32>
    ```
    """

    name = "graph.fold"
    DIM_PROPERTIES: ClassVar = ("spatial",)

    input = operand_def(TensorType)
    spatial = prop_def(ArrayAttr[StringAttr])
    strides = prop_def(DenseArrayBase.constr(i64))
    dilation = prop_def(DenseArrayBase.constr(i64))

    @classmethod
    def infer(
        cls,
        input: Tensor,
        spatial: tuple[str, ...],
        strides: tuple[int, ...],
        dilation: tuple[int, ...],
    ) -> Tensor:
        require(input, "number")
        count = len(spatial)
        image = [dim(each) for each in spatial]
        match sizes(input):
            case n, c, *rest if len(rest) == 2 * count:
                kernel = [each for each in rest[count:] if isinstance(each, int)]
                if len(kernel) == count and min(kernel, default=1) > 0:
                    zeros = (0, 0) * count
                    positions = window_sizes(image, kernel, strides, zeros, dilation)
                    if agreed_shape(positions, rest[:count]) is not None:
                        return tensor(input.element_type, n, c, *image)
            case _:
                pass
        wanted = ", ".join(spatial)
        raise VerifyException(
            f"expected NxCx(positions)...x(taps)... of an image of {wanted}, got {input}"
        )

    def reference(
        self,
        input: Array,
        spatial: tuple[Any, ...],
        strides: tuple[int, ...],
        dilation: tuple[int, ...],
    ) -> Array:
        count = len(spatial)
        n, c, *rest = input.shape
        result = np.zeros((n, c, *(int(each) for each in spatial)), input.dtype)
        for tap, cut in taps_of(rest[count:], strides, dilation, rest[:count]):
            with np.errstate(all="ignore"):
                result[(..., *cut)] += input[(..., *tap)]
        return result

    def nests(self) -> Sequence[Nest]:
        values, count = self.values(), len(self.spatial)
        n, c, *rest = sizes(tensor_type(self.input))
        # The taps come first, so that the positions are contiguous.
        bounds: tuple[Dim, ...] = (n, c, *rest[count:], *rest[:count])
        taps, positions = axes(count, 2), axes(count, 2 + count)
        there = under_window(positions, taps, values["strides"], values["dilation"])

        def zero() -> SSAValue:
            return scalar.constant(0, self.type.element_type)

        return [
            Nest(self.shape, (), zero, axes(2 + count)),
            Nest(
                bounds,
                (Read(0, (*axes(2), *positions, *taps)),),
                same,
                (*axes(2), *there),
                onto="add",
            ),
        ]
