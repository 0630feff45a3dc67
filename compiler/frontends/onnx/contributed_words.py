"""
Ops of `com.microsoft` on rows of words: windows of a row, hashes, and what forbids a
word that would repeat what its row has.
"""

from __future__ import annotations

from math import inf

import numpy as np
from onnx import TensorProto
from xdsl.dialects.builtin import f32, f64, i32, i64
from xdsl.ir import SSAValue

from ....dialects import greater, lesser, product
from ....dialects.graph import (
    BitcastOp,
    BitwiseAndOp,
    BitwiseOrOp,
    BitwiseXorOp,
    EqOp,
    LogicalAndOp,
    NeOp,
    ScatterOp,
    ShiftLeftOp,
    ShiftRightOp,
    UnfoldOp,
    WhereOp,
)
from ....dialects.graph.compose import (
    convert,
    filled,
    number,
    number_like,
    part,
    plus,
    reshaped,
    shape_of,
    times,
)
from .element import element
from .node import Handler, Node, Result

_U32, _U64 = element(TensorProto.UINT32), element(TensorProto.UINT64)


def _windows(node: Node) -> Result:
    """The windows of an axis, at equal distances: their elements are a last axis."""
    shape = node.shape(0)
    axis = node.normalize(node.integer("dim"), len(shape))
    size, step = node.integer("size"), node.integer("step")
    if size < 1 or step < 1:
        raise node.error(
            f"expected a size and a step of 1 or more, got {size} and {step}"
        )
    room, wanted = shape[axis] - size, f"a window of {size} that fits {node.type(0)}"
    if isinstance(room, int) and room < 0:
        raise node.error(f"expected {wanted}")
    node.require(room, wanted)
    rows = [1, product(shape[:axis]), shape[axis], product(shape[axis + 1 :])]
    found = UnfoldOp(
        reshaped(node.operand(0), rows),
        kernel=(size, 1),
        strides=(step, 1),
        dilation=(1, 1),
    ).result
    count = shape_of(found)[2]
    return reshaped(found, [*shape[:axis], count, *shape[axis + 1 :], size])


def _unrepeated(node: Node) -> Result:
    """
    The scores, minus infinity for each word that would end a sequence of `ngram_size`
    words that its row has already.
    """
    size = node.integer("ngram_size")
    if size < 1 or node.rank(0) != 2 or node.rank(1) != 2:
        raise node.error(
            f"expected rows of words and of scores, and sequences of a word or more, "
            f"got {node.type(0)}, {node.type(1)} and {size}"
        )
    words, scores = convert(node.operand(0), i64), node.operand(1)
    length = node.shape(0)[1]
    batch = node.agreed(node.shape(0)[0], node.shape(1)[0])
    windows = greater(length - (size - 1), 0)
    if windows == 0:
        return scores
    is_same = filled(np.array(True), [batch, windows])
    for place in range(size - 1):
        # A shorter row has no windows, and these slices are inside it all the same.
        here = part(words, 1, lesser(place, length), windows)
        own = part(words, 1, greater(length - (size - 1) + place, 0), 1)
        is_same = LogicalAndOp(is_same, EqOp(here, own)).result
    last = part(words, 1, lesser(size - 1, length), windows)
    # What ends no such sequence is an update of the first word by nothing.
    at = WhereOp(is_same, last, number(0, i64)).result
    none = filled(np.array(0, np.int32), shape_of(scores))
    marks = convert(is_same, i32)
    marked = ScatterOp(none, at, marks, axis=1, wraps=False, reduction="max").result
    is_banned = NeOp(marked, number(0, i32)).result
    return WhereOp(is_banned, number_like(-inf, scores), scores)


def _hashes(node: Node) -> Result:
    """The MurmurHash3 in 32 bits of each number, as its bytes stand in memory."""
    x = node.operand(0)
    kinds = {i32: _U32, f32: _U32, _U32: _U32, i64: _U64, f64: _U64, _U64: _U64}
    kind = kinds.get(node.element(0))
    if kind is None:
        raise node.error(f"expected numbers of 32 or 64 bits, got {node.type(0)}")
    bits = x if node.element(0) == kind else BitcastOp(x, to=kind).result
    blocks = [bits]
    if kind == _U64:
        low = BitwiseAndOp(bits, number(0xFFFFFFFF, _U64)).result
        high = ShiftRightOp(bits, number(32, _U64)).result
        blocks = [convert(low, _U32), convert(high, _U32)]
    hashed = number(node.integer("seed") & 0xFFFFFFFF, _U32)
    for each in blocks:
        mixed = times(_rotated(times(each, 0xCC9E2D51), 15), 0x1B873593)
        hashed = _rotated(BitwiseXorOp(hashed, mixed).result, 13)
        hashed = plus(times(hashed, 5), 0xE6546B64)
    hashed = BitwiseXorOp(hashed, number(4 * len(blocks), _U32)).result
    hashed = times(_folded(hashed, 16), 0x85EBCA6B)
    hashed = _folded(times(_folded(hashed, 13), 0xC2B2AE35), 16)
    return hashed if node.flag("positive") else BitcastOp(hashed, to=i32)


def _rotated(x: SSAValue, count: int) -> SSAValue:
    """Builds words of 32 bits rotated to higher positions."""
    high = ShiftLeftOp(x, number_like(count, x))
    low = ShiftRightOp(x, number_like(32 - count, x))
    return BitwiseOrOp(high, low).result


def _folded(x: SSAValue, count: int) -> SSAValue:
    """Builds words with their higher bits added, without a carry, to the lower ones."""
    return BitwiseXorOp(x, ShiftRightOp(x, number_like(count, x))).result


HANDLERS: dict[str, Handler] = {
    "MurmurHash3": _hashes,
    "NGramRepeatBlock": _unrepeated,
    "UnfoldTensor": _windows,
}
