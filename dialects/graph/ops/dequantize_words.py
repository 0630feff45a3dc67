"""`graph.dequantize_words`: the numbers that steps of few bits, packed in words, are."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from xdsl.dialects import arith
from xdsl.dialects.builtin import IntegerAttr, TensorType, f32, i32, i64
from xdsl.ir import SSAValue
from xdsl.irdl import irdl_op_definition, operand_def, opt_operand_def, prop_def
from xdsl.utils.exceptions import VerifyException

from ...agreement import broadcast
from ...element_type import si8
from ...shape import Array, Tensor, sizes, tensor
from .. import scalar
from ..nest import Linear, Nest, Read, Where, axes, axis, broadcast_positions
from ..op import SingleResultOp

WORD_BITS = 32
"""Bits of a word."""

STEP_BITS = (2, 4)
"""How many bits a step may have; steps of eight need no words."""


@irdl_op_definition
class DequantizeWordsOp(SingleResultOp):
    """
    The steps in words, less `zero_point` if there is one, times `scale`; both broadcast
    to the result.

    A step has `bits` bits, the upper one its sign. The steps of a word, from its lowest
    bits on, lie along a new axis before the last one.

    ```mlir
    %2 = graph.dequantize_words %0, %1 {bits = 4 : i64} : tensor<3x2x5xi32>, tensor<3x1x1x5xf32> -> tensor<3x2x8x5xf32>
    %3 = graph.dequantize_words %0, %1, %2 {bits = 2 : i64} : tensor<2x5xi32>, tensor<5xf32>, tensor<1x1x5xsi8> -> tensor<2x16x5xf32>
    ```
    """

    name = "graph.dequantize_words"

    words = operand_def(TensorType)
    scale = operand_def(TensorType)
    zero_point = opt_operand_def(TensorType)
    bits = prop_def(IntegerAttr.constr(i64))

    @classmethod
    def group_operands(cls, operands: Sequence[SSAValue]) -> Sequence[object]:
        """Words, scales, and zero points if there are any."""
        words, scale, *zero_point = operands
        return [words, scale, zero_point]

    @classmethod
    def infer(cls, words: Tensor, scale: Tensor, *zero: Tensor, bits: int) -> Tensor:
        if bits not in STEP_BITS:
            raise VerifyException(f"expected steps of {STEP_BITS} bits, got {bits}")
        found = words.element_type, scale.element_type, *(e.element_type for e in zero)
        if found != (i32, f32, si8)[: len(found)]:
            raise VerifyException(
                f"expected words of i32, scales of f32 and zero points of si8, got "
                f"{', '.join(map(str, found))}"
            )
        match sizes(words):
            case (*outer, count, columns):
                whole = (*outer, count, WORD_BITS // bits, columns)
            case shape:
                raise VerifyException(
                    f"expected words of two axes or more, got {shape}"
                )
        result = tensor(f32, *whole)
        if broadcast(result, scale, *zero) != whole:
            raise VerifyException(
                f"expected scales and zero points that broadcast to {result}, got "
                f"{', '.join(map(str, (scale, *zero)))}"
            )
        return result

    def reference(self, words: Array, scale: Array, *zero: Array, bits: int) -> Array:
        up = np.arange(WORD_BITS - bits, -1, -bits, dtype=np.int32)[:, None]
        steps = (words[..., None, :] << up) >> (WORD_BITS - bits)
        for each in zero:
            steps = steps - each
        with np.errstate(all="ignore"):
            return steps.astype(np.float32) * scale

    def nests(self) -> Sequence[Nest]:
        rank, bits = len(self.shape), int(self.values()["bits"])
        _, *others = self.operand_sizes()
        word = (*axes(rank - 2), axis(rank - 1))
        up = Where(Linear(((rank - 2, -bits),), WORD_BITS - bits))
        beside = [
            Read(number, each)
            for number, each in enumerate(broadcast_positions(self.shape, others), 1)
        ]

        def body(
            word: SSAValue, up: SSAValue, scale: SSAValue, *zero: SSAValue
        ) -> SSAValue:
            return _number(bits, word, scalar.cast(up, i32), scale, *zero)

        return [Nest(self.shape, (Read(0, word), up, *beside), body, axes(rank))]


def _number(
    bits: int,
    word: SSAValue,
    up: SSAValue,
    scale: SSAValue,
    zero: SSAValue | None = None,
) -> SSAValue:
    """
    Builds the number of a step that is moved up to the upper bits of a word, where it
    is a multiple of a power of two; what is below is masked, which is sooner done than
    to move it down.
    """
    unit = 1 << (WORD_BITS - bits)
    upper = scalar.constant(-unit, i32)
    high = scalar.binary("and")(arith.ShLIOp(word, up).result, upper)
    step = scalar.cast(high, f32)
    if zero is not None:
        zero = scalar.mul(scalar.cast(zero, f32), scalar.constant(unit, f32))
        step = scalar.sub(step, zero)
    return scalar.mul(step, scalar.mul(scale, scalar.constant(1 / unit, f32)))
