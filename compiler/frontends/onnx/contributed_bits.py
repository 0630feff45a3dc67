"""
Numbers of few bits that ops of `com.microsoft` pack in bytes, with a scale for each
block, and `GatherBlockQuantized`, which looks such numbers up.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from onnx import TensorProto
from xdsl.ir import SSAValue

from ....dialects import Array, ceildiv, is_float
from ....dialects.graph import (
    BitwiseAndOp,
    ConcatOp,
    DequantizeOp,
    IndexSelectOp,
    ShiftRightOp,
)
from ....dialects.graph.compose import (
    expanded,
    number,
    number_like,
    part,
    permuted,
    reshaped,
    shape_of,
    stacked,
)
from ..known import Known
from ..unsupported import Unsupported
from .element import element
from .fitted import fitted
from .node import Handler, Node, Result


def _unpacked(data: Array, bits: int) -> Array:
    """The numbers of some bits each in rows of bytes, from the lowest bits on."""
    per_byte = 8 // bits
    shifts = np.arange(per_byte, dtype=np.uint8) * bits
    apart = (data[..., None] >> shifts) & ((1 << bits) - 1)
    return apart.reshape(*data.shape[:-1], data.shape[-1] * per_byte)


def steps_of_bits(
    node: Node, place: int, shape: tuple[int, int, int], bits: int
) -> SSAValue:
    """
    Builds an input that packs steps of some bits as bytes; the last byte of a row may
    be filled up.
    """
    packed = node.require_known(place)
    count, blocks, each = shape
    length = ceildiv(blocks * each * bits, 8)
    assert isinstance(length, int), "it is a quotient of numbers"
    if packed.array.dtype != np.uint8 or packed.array.size != count * length:
        raise node.error(
            f"expected {count * length} bytes of {bits} bits each, got {packed.type}"
        )
    rows = _unpacked(packed.array.reshape(count, length), bits)[:, : blocks * each]
    known = Known.of(np.ascontiguousarray(rows.reshape(shape)))
    return node.tensor(replace(known, name=f"{packed.name}.steps", is_weight=True))


def middle_of(bits: int) -> SSAValue:
    """Builds the step that stands for zero where a node gives none."""
    return number(1 << (bits - 1), element(TensorProto.UINT8))


def _gathered(node: Node) -> Result:
    """Slices of a table of steps, as the numbers that they stand for."""
    bits, block = node.integer("bits"), node.integer("block_size")
    is_bytes = node.element(0) == element(TensorProto.UINT8)
    if bits not in (2, 4, 8) or block < 1:
        raise node.error(
            f"expected 2, 4 or 8 bits and blocks of one or more, got {bits} bits and "
            f"block_size {block}"
        )
    if is_float(node.type(0)):
        raise Unsupported("a table of floats of few bits")
    rank = node.rank(0)
    along = node.normalize(node.integer("gather_axis"), rank)
    scaled = node.normalize(node.integer("quantize_axis"), rank)
    if along == scaled:
        raise Unsupported("blocks along the axis of what is looked up")
    if is_bytes and along == rank - 1:
        raise node.error(f"expected gather_axis 0 for bytes, got {along}")
    if node.rank(2) != rank:
        raise node.error(f"expected scales of rank {rank}, got {node.type(2)}")
    given = (0, 2, 3) if node.has(3) else (0, 2)
    steps, scale, *zero = (_taken(node, each, along) for each in given)
    # The axes of indices stand where the axis was along which they look up.
    axis = scaled if scaled < along else scaled + node.rank(1) - 1
    if is_bytes and bits < 8:
        steps = steps_apart(steps, bits)
        blocks = shape_of(scale)[-1]
        zero = [
            part(steps_apart(each, bits), len(shape_of(each)) - 1, 0, blocks)
            for each in zero
        ]
    if not zero:
        zero = [middle_of(bits) if is_bytes else number_like(0, steps)]
    return _numbers(node, steps, [scale, *zero], axis, block)


def _taken(node: Node, place: int, axis: int) -> SSAValue:
    """Builds the slices of an input that the node looks up."""
    table = node.operand(place)
    return IndexSelectOp(table, node.operand(1), axis=axis, wraps=True).result


def steps_apart(x: SSAValue, bits: int) -> SSAValue:
    """Builds the steps of some bits that bytes pack, along the last axis."""
    *outer, length = shape_of(x)
    kind = element(TensorProto.UINT8)
    mask = number((1 << bits) - 1, kind)
    each = [
        BitwiseAndOp(ShiftRightOp(x, number(shift, kind)), mask).result
        for shift in range(0, 8, bits)
    ]
    return reshaped(stacked(each, len(outer) + 1), [*outer, length * len(each)])


def _numbers(
    node: Node, steps: SSAValue, scales: Sequence[SSAValue], axis: int, block: int
) -> SSAValue:
    """
    Builds the numbers of steps with a scale and a zero point for each block of an axis.
    """
    shape = shape_of(steps)
    size, blocks = shape[axis], ceildiv(shape[axis], block)
    last = [each for each in range(len(shape)) if each != axis] + [axis]
    back = [last.index(each) for each in range(len(shape))]
    steps = permuted(steps, last)
    outer = shape_of(steps)[:-1]
    if (rest := blocks * block - size) != 0:
        more = expanded(number_like(0, steps), [*outer, rest])
        steps = ConcatOp(steps, more, axis=len(shape) - 1).result
    wide: list[SSAValue] = []
    for each in scales:
        if shape_of(each):
            what = f"a scale for each block of {block}"
            each = fitted(node, permuted(each, last), [*outer, blocks], what)
            each = reshaped(each, [*outer, blocks, 1])
        wide.append(each)
    apart = reshaped(steps, [*outer, blocks, block])
    found = reshaped(DequantizeOp(apart, *wide).result, [*outer, blocks * block])
    return permuted(part(found, len(shape) - 1, 0, size), back)


HANDLERS: dict[str, Handler] = {"GatherBlockQuantized": _gathered}
