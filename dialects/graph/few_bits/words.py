"""Products with weights of few bits: bytes, or words of 32 bits that share steps."""

from __future__ import annotations

import numpy as np
from xdsl.ir import Operation, SSAValue

from ...shape import Array
from ..ops.block_matmul import BlockMatmulOp
from ..ops.dequantize import DequantizeOp
from ..ops.dequantize_words import STEP_BITS as STEP_BITS
from ..ops.dequantize_words import WORD_BITS as WORD_BITS
from ..ops.dequantize_words import DequantizeWordsOp


def packed(steps: Array, bits: int) -> Array:
    """
    Signed steps of KxN in words of K/P x N: P successive rows, from the lowest bits on,
    counted from the middle of their range, as `graph.dequantize_words` reads them.
    """
    many = WORD_BITS // bits
    rows, columns = steps.shape
    apart = steps.reshape(rows // many, many, columns)
    words = np.zeros((rows // many, columns), np.uint32)
    for number in range(many):
        raw = (apart[:, number] + np.int32(1 << (bits - 1))).astype(np.uint32)
        words |= raw << np.uint32(bits * number)
    return words.view(np.int32)


def numbers(words: SSAValue, *others: SSAValue, bits: int) -> SSAValue:
    """
    Builds the numbers GxWxPxN of words GxWxN, with scales and, if there are any, zero
    points of Gx1x1xN.
    """
    return DequantizeWordsOp(words, *others, bits=bits).result


def multiplied(x: SSAValue, weight: SSAValue, batch: int = 0) -> SSAValue:
    """
    Builds the product of `...xK` and a matrix whose rows are in blocks, or of a batch
    with as many first axes.
    """
    many = {"batch": batch} if batch else {}
    return BlockMatmulOp(x, weight, **many).result


def makes_factor(op: Operation) -> bool:
    """Whether an op makes numbers of steps for products that read blocks of rows."""
    if isinstance(op, DequantizeWordsOp):
        return True
    if not isinstance(op, DequantizeOp):
        return False
    users = [each.operation for each in op.result.uses]
    return bool(users) and all(isinstance(each, BlockMatmulOp) for each in users)
