"""`graph.pack_bytes`: successive bytes as words of 32 bits."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

import numpy as np
from xdsl.dialects import arith
from xdsl.dialects.builtin import TensorType, i32
from xdsl.ir import SSAValue
from xdsl.irdl import irdl_op_definition, operand_def
from xdsl.utils.exceptions import VerifyException

from ...dims import Dim
from ...element_type import si8
from ...shape import Array, Tensor, sizes, tensor
from .. import scalar
from ..nest import Nest, Read, axes, axis
from ..op import SingleResultOp

BYTES_OF_A_WORD = 4
"""Bytes that share a word, the first in its lowest bits."""


@irdl_op_definition
class PackBytesOp(SingleResultOp):
    """
    Words of four bytes each, which are side by side along the last axis; the first has
    the lowest bits.

    ```mlir
    %1 = graph.pack_bytes %0 : tensor<2x8xsi8> -> tensor<2x2xi32>
    ```
    """

    name = "graph.pack_bytes"

    TAKES_STORED: ClassVar = True

    input = operand_def(TensorType)

    @classmethod
    def infer(cls, input: Tensor) -> Tensor:
        match sizes(input):
            case (*outer, int() as last) if not last % BYTES_OF_A_WORD:
                shape: Sequence[Dim] = (*outer, last // BYTES_OF_A_WORD)
            case _:
                raise VerifyException(
                    f"expected a last axis of whole words of four bytes, got {input}"
                )
        if input.element_type != si8:
            raise VerifyException(f"expected elements of si8, got {input}")
        return tensor(i32, *shape)

    def reference(self, input: Array) -> Array:
        return np.ascontiguousarray(input).view(np.dtype("<i4")).astype(np.int32)

    def nests(self) -> Sequence[Nest]:
        *outer, _ = axes(len(self.shape))
        first = axis(len(self.shape) - 1) * BYTES_OF_A_WORD
        sources = (Read(0, (*outer, first + at)) for at in range(BYTES_OF_A_WORD))
        return [Nest(self.shape, (*sources,), _word, axes(len(self.shape)))]


def _word(*bytes: SSAValue) -> SSAValue:
    """Builds the word of four bytes."""
    either, found = scalar.binary("or"), list[SSAValue]()
    low = scalar.constant(0xFF, i32)
    for place, each in enumerate(bytes):
        wide = scalar.cast(each, i32)
        if place + 1 < BYTES_OF_A_WORD:
            wide = scalar.binary("and")(wide, low)
        found.append(arith.ShLIOp(wide, scalar.constant(8 * place, i32)).result)
    word, *others = found
    for each in others:
        word = either(word, each)
    return word
