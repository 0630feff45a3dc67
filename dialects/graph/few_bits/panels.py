"""
Products of rows that are rounded to bytes with weights of few bits, in panels.

A panel has sixteen columns, one after the other in memory as a product reads it: so
threads and register tiles take panels, on every target.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from xdsl.dialects.builtin import i32
from xdsl.ir import SSAValue

from ...dims import product
from ...element_type import si8
from ...scalar import BYTE_BITS
from ...shape import Array
from ..compose.number import number, times
from ..compose.parts import part
from ..compose.shaping import reshaped, shape_of
from ..ops.multiply_steps import MultiplyStepsOp
from ..ops.pack_bytes import BYTES_OF_A_WORD, PackBytesOp
from ..ops.quantize import QuantizeOp
from ..ops.reduce import SumOp
from ..ops.round_blocks import block_scale, in_blocks

PANEL = 16
"""Columns of a panel: a vector of 512 bits, or two."""

_BLOCKS = (32, 16)
"""Elements of a row that share a scale: a kernel has the words of one in registers."""


def block_of(group: int) -> int:
    """The elements that share a scale where rows of a weight do so in groups; or 0."""
    return next((each for each in _BLOCKS if group % each == 0), 0)


def in_panels(
    steps: Array, scale: Array, zero_point: Array, bits: int, block: int
) -> Mapping[str, Array] | None:
    """
    What a store holds of signed steps KxN, with scales and zero points GxN: words,
    scales and, if there are any, zero points, as `graph.multiply_steps` reads them;
    None where these are no bytes once steps have no sign, and for blocks that no group
    is several of. Columns that fill up the last panel are zeros.
    """
    middle, group = 1 << (bits - 1), len(steps) // len(scale)
    zeros = zero_point + middle
    if block not in _BLOCKS or group % block:
        return None
    if zeros.min() < 0 or zeros.max() > np.iinfo(np.uint8).max:
        return None
    found = {
        "panels": _words(_apart(steps + np.int16(middle), 0), bits, block),
        "panel_scales": _apart(scale, 0),
    }
    if zero_point.any():
        found["panel_zeros"] = _apart(zeros, middle).astype(np.uint8)
    return found


def _apart(array: Array, filling: int) -> Array:
    """Rows of columns as panels of rows."""
    rows, columns = array.shape
    count = -(-columns // PANEL)
    wide = np.pad(
        array, ((0, 0), (0, count * PANEL - columns)), constant_values=filling
    )
    return np.ascontiguousarray(wide.reshape(rows, count, PANEL).transpose(1, 0, 2))


def _words(steps: Array, bits: int, block: int) -> Array:
    """Panels of steps without signs, PxKx16, as words of each block."""
    panels, depth, columns = steps.shape
    fields = BYTE_BITS // bits
    # Of a word: its fields from the lowest bits on, then its bytes.
    shape = panels, depth // block, -1, fields, BYTES_OF_A_WORD, columns
    apart = steps.reshape(shape).astype(np.uint32)
    words = np.zeros((*apart.shape[:3], columns), np.uint32)
    for field in range(fields):
        for byte in range(BYTES_OF_A_WORD):
            by = np.uint32(bits * field + BYTE_BITS * byte)
            words |= apart[:, :, :, field, byte] << by
    return words.view(np.int32)


def multiplied_bytes(
    x: SSAValue,
    words: SSAValue,
    scale: SSAValue,
    *zero: SSAValue,
    bits: int,
    block: int,
    columns: int,
) -> SSAValue:
    """
    Builds the product of `...xK`, rounded to bytes in blocks, and the first columns of
    a weight in panels.
    """
    apart = in_blocks(x, block)
    by = block_scale(apart)
    bytes = QuantizeOp(apart, by, number(0, si8)).result
    *rows, count, _ = shape_of(apart)
    last = len(rows) + 1
    total = SumOp(bytes, axes=(last,), keepdims=False, to=i32).result
    offset = times(total, -1 if zero else -(1 << (bits - 1)))
    packed = PackBytesOp(reshaped(bytes, shape_of(x))).result
    found = MultiplyStepsOp(
        packed, reshaped(by, [*rows, count]), offset, words, scale, *zero, bits=bits
    ).result
    *_, panels, width = shape_of(found)
    wide = reshaped(found, [*rows, product((panels, width))])
    return part(wide, last - 1, 0, columns)
