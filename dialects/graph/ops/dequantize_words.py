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
from ...scalar import ScaleDifferenceOp
from ...shape import Array, Tensor, sizes, tensor
from .. import scalar
from ..nest import Linear, Nest, Read, Where, axes, axis, broadcast_positions
from ..op import SingleResultOp

WORD_BITS = 32
"""Bits of a word."""

STEP_BITS = (2, 4)
"""How many bits a step may have; steps of eight need no words."""

_BIAS, _FRACTION_BITS = 127, 23
"""What the exponent of an f32 counts from, and the bits below it."""


@irdl_op_definition
class DequantizeWordsOp(SingleResultOp):
    """
    The steps in words, less `zero_point` if there is one, times `scale`; both broadcast
    to the result.

    A step has `bits` bits, which count from the middle of their range: of four, 8 is the
    step 0. The steps of a word, from its lowest bits on, lie along a new axis before the
    last one. A number is rounded once. Without zero points a step of 0 is 0.0, never
    -0.0, and scales are below 2**124: by those above, and by infinity, a number may be
    NaN where a target multiplies and adds at once.

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
        down = np.arange(0, WORD_BITS, bits, dtype=np.int32)[:, None]
        fields = (words[..., None, :] >> down) & ((1 << bits) - 1)
        steps = fields - (1 << (bits - 1))
        for each in zero:
            steps = steps - each
        with np.errstate(all="ignore"):
            numbers = steps.astype(np.float32) * scale
            return numbers if zero else numbers + np.float32(0)

    def nests(self) -> Sequence[Nest]:
        rank, bits = len(self.shape), int(self.values()["bits"])
        _, *others = self.operand_sizes()
        word = (*axes(rank - 2), axis(rank - 1))
        at = Where(Linear(((rank - 2, bits),), 0))
        beside = [
            Read(number, each)
            for number, each in enumerate(broadcast_positions(self.shape, others), 1)
        ]

        def body(
            word: SSAValue, at: SSAValue, scale: SSAValue, *zero: SSAValue
        ) -> SSAValue:
            return _number(bits, word, scalar.cast(at, i32), scale, *zero)

        return [Nest(self.shape, (Read(0, word), at, *beside), body, axes(rank))]


def _number(
    bits: int,
    word: SSAValue,
    at: SSAValue,
    scale: SSAValue,
    zero: SSAValue | None = None,
) -> SSAValue:
    """
    Builds the number of the step at a bit of a word.

    A step is masked where it is in its half of the word, and made a float there: it is
    a multiple of a power of two, by which the scale is divided. Both are exact, and of
    all steps of a word one half alone is moved.
    """
    half, middle = WORD_BITS // 2, 1 << (bits - 1)
    both = [scalar.constant(each, i32) for each in (half, half - 1)]
    down, low = (scalar.binary("and")(at, each) for each in both)
    mask = _moved((1 << bits) - 1, low)
    field = scalar.binary("and")(arith.ShRUIOp(word, down).result, mask)
    # The exponent of 2**-low.
    exponent = scalar.sub(scalar.constant(_BIAS, i32), low)
    unit = arith.BitcastOp(_moved_by(exponent, _FRACTION_BITS), f32).result
    step, scaled = scalar.cast(field, f32), scalar.mul(scale, unit)
    if zero is None:
        least = scalar.cast(_moved(middle, low), f32)
        shift = scalar.mul(scale, scalar.constant(-middle, f32))
        return ScaleDifferenceOp(step, least, scaled, shift).result
    zero = scalar.add(scalar.cast(zero, i32), scalar.constant(middle, i32))
    zero = scalar.cast(arith.ShLIOp(zero, low).result, f32)
    return scalar.mul(scalar.sub(step, zero), scaled)


def _moved(number: int, by: SSAValue) -> SSAValue:
    """The integer that is moved up by some bits."""
    return arith.ShLIOp(scalar.constant(number, i32), by).result


def _moved_by(number: SSAValue, bits: int) -> SSAValue:
    """An integer that is moved up by this many bits."""
    return arith.ShLIOp(number, scalar.constant(bits, i32)).result
