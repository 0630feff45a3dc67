"""
Numbers of few bits that ops of `com.microsoft` pack in bytes, with a scale for each
block, and `GatherBlockQuantized`, which looks such numbers up.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from onnx import TensorProto
from xdsl.ir import SSAValue

from ....dialects import Array, Dim, ceildiv
from ....dialects.graph import ConcatOp, DequantizeOp, IndexSelectOp
from ....dialects.graph.compose import (
    expanded,
    number,
    number_like,
    part,
    permuted,
    reshaped,
    shape_of,
)
from ..known import Known
from ..unsupported import Unsupported
from .element import element
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
    is_packed = node.element(0) == element(TensorProto.UINT8)
    if bits not in (2, 4, 8) or block < 1:
        raise node.error(
            f"expected 2, 4 or 8 bits and blocks of one or more, got {bits} bits and "
            f"block_size {block}"
        )
    steps = node.operand(0)
    if is_packed and bits < 8:
        steps = _apart(node, 0, bits)
    rank = len(shape_of(steps))
    along = node.normalize(node.integer("gather_axis"), rank)
    scaled = node.normalize(node.integer("quantize_axis"), rank)
    if along == scaled:
        raise Unsupported("blocks along the axis of what is looked up")
    scale = node.operand(2)
    if len(shape_of(scale)) != rank:
        raise node.error(f"expected scales of rank {rank}, got {node.type(2)}")
    zero = _zero(node, bits, is_packed, shape_of(scale)[scaled])
    many = len(node.shape(1))
    taken = [_taken(node, each, along) for each in (steps, scale, *zero)]
    # The axes of indices stand where the axis was along which they look up.
    axis = scaled if scaled < along else scaled + many - 1
    return _numbers(node, taken, axis, block, bits, is_packed)


def _apart(node: Node, place: int, bits: int) -> SSAValue:
    """Builds an input whose rows pack steps of some bits, one step an element."""
    packed = node.require_known(place)
    if packed.array.ndim == 0:
        raise node.error(f"expected packed rows, got {packed.type}")
    known = Known.of(_unpacked(packed.array, bits))
    return node.tensor(replace(known, name=f"{packed.name}.steps", is_weight=True))


def _zero(node: Node, bits: int, is_packed: bool, blocks: Dim) -> list[SSAValue]:
    """Builds the steps that stand for zero, if any: one for each scale."""
    if not node.has(3):
        return []
    if not (is_packed and bits < 8):
        return [node.operand(3)]
    zero = _apart(node, 3, bits)
    return [part(zero, len(shape_of(zero)) - 1, 0, blocks)]


def _taken(node: Node, x: SSAValue, axis: int) -> SSAValue:
    """Builds the slices of `x` that the node looks up; one has all where `x` is one."""
    return IndexSelectOp(x, node.operand(1), axis=axis, wraps=True).result


def _numbers(
    node: Node,
    taken: list[SSAValue],
    axis: int,
    block: int,
    bits: int,
    is_packed: bool,
) -> SSAValue:
    """Builds the numbers of steps with a scale for each block along an axis."""
    steps, scale, *zeros = taken
    shape = list(shape_of(steps))
    size, blocks = shape[axis], ceildiv(shape[axis], block)
    last = [each for each in range(len(shape)) if each != axis] + [axis]
    back = [last.index(each) for each in range(len(shape))]
    steps = permuted(steps, last)
    outer = shape_of(steps)[:-1]
    if (rest := blocks * block - size) != 0:
        more = expanded(number_like(0, steps), [*outer, rest])
        steps = ConcatOp(steps, more, axis=len(shape) - 1).result
    apart = reshaped(steps, [*outer, blocks, block])
    scales = [permuted(each, last) for each in (scale, *zeros)]
    for each in scales:
        problem = f"expected a scale for each block of {block}, got {node.type(2)}"
        if len(shape_of(each)) != len(shape):
            raise node.error(problem)
        for got, wanted in zip(shape_of(each), [*outer, blocks], strict=True):
            node.agreed(got, wanted, problem)
    wide = [reshaped(each, [*outer, blocks, 1]) for each in scales]
    if not zeros:
        wide.append(middle_of(bits) if is_packed else number_like(0, steps))
    found = reshaped(DequantizeOp(apart, *wide).result, [*outer, blocks * block])
    return permuted(part(found, len(shape) - 1, 0, size), back)


HANDLERS: dict[str, Handler] = {"GatherBlockQuantized": _gathered}
