"""`graph.round_blocks`: numbers rounded to steps of eight bits, in blocks."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from xdsl.dialects.builtin import IntegerAttr, TensorType, f32, i64
from xdsl.ir import SSAValue
from xdsl.irdl import irdl_op_definition, operand_def, prop_def
from xdsl.utils.exceptions import VerifyException

from ...shape import Array, Tensor, sizes, tensor_type
from ..element_array import to_elements
from ..literal import to_names
from ..op import SingleResultOp
from .arithmetic import AbsOp
from .binary import DivOp, MaximumOp, MulOp
from .compare import EqOp
from .constant import ConstantOp
from .reduce import ReduceMaxOp
from .reshape import ReshapeOp
from .rounding import RoundOp
from .where import WhereOp

_GREATEST = 127
"""The greatest step, and with a sign the least."""

_LEAST_SCALE = 2.0**-126
"""The least scale, a normal number, but for a block of zeros, whose scale is 1."""


@irdl_op_definition
class RoundBlocksOp(SingleResultOp):
    """
    The input rounded to steps of eight bits, by a scale for each `block` of elements
    along the last axis: 1/127 of the greatest absolute value in it, or 2**-126 where
    that is more, and 1 of a block of zeros. A block with an infinity or NaN is NaN, or
    has both.

    It says how exact a product with the input has to be: a product whose other factor
    has few bits is computed of bytes then.

    ```mlir
    %1 = graph.round_blocks %0 {block = 4 : i64} : tensor<2x3x8xf32> -> tensor<2x3x8xf32>
    ```
    """

    name = "graph.round_blocks"

    input = operand_def(TensorType)
    block = prop_def(IntegerAttr.constr(i64))

    @classmethod
    def infer(cls, input: Tensor, block: int) -> Tensor:
        if input.element_type != f32:
            raise VerifyException(f"expected elements of f32, got {input}")
        match sizes(input):
            case (*_, int() as last) if block > 0 and not last % block:
                return input
            case _:
                raise VerifyException(
                    f"expected a last axis of whole blocks of {block}, got {input}"
                )

    def reference(self, input: Array, block: int) -> Array:
        *rows, count = input.shape
        apart = input.reshape(*rows, count // block, block)
        with np.errstate(all="ignore"):
            most = np.abs(apart).max(axis=-1, keepdims=True)
            scale = np.maximum(
                most * np.float32(1 / _GREATEST), np.float32(_LEAST_SCALE)
            )
            scale = np.where(most == 0, np.float32(1), scale)
            return (np.rint(apart / scale) * scale).reshape(input.shape)

    def decompose(self) -> Sequence[SSAValue]:
        apart = in_blocks(self.input, int(self.values()["block"]))
        scale = block_scale(apart)
        steps = RoundOp(DivOp(apart, scale).result).result
        rounded = MulOp(steps, scale).result
        return [ReshapeOp(rounded, shape=to_names(self.shape)).result]


def in_blocks(x: SSAValue, block: int) -> SSAValue:
    """Builds `x` with its last axis apart: blocks, and what is in each."""
    *rows, count = sizes(tensor_type(x))
    assert isinstance(count, int), "blocks are of a known number of elements"
    return ReshapeOp(x, shape=to_names((*rows, count // block, block))).result


def block_scale(apart: SSAValue) -> SSAValue:
    """
    Builds the scale of each block of the last axis, which stays, as one element.

    Zeros, with which texts are filled up, would have a scale that times that of a
    weight is denormal: a product with them took 20 times as long (Sapphire Rapids).
    """
    last = len(sizes(tensor_type(apart))) - 1
    most = ReduceMaxOp(AbsOp(apart).result, axes=(last,), keepdims=True).result
    factor, least, zero, one = (
        ConstantOp(value=to_elements(each, f32)).result
        for each in (1 / _GREATEST, _LEAST_SCALE, 0.0, 1.0)
    )
    scale = MaximumOp(MulOp(most, factor).result, least).result
    return WhereOp(EqOp(most, zero).result, one, scale).result
