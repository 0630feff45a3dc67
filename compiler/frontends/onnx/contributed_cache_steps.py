"""
Caches of `com.microsoft`'s attention in groups that hold steps of 8 or 4 bits.

New keys and values become steps before they are kept. Queries see the numbers that
steps stand for, of new positions too. Steps of 4 bits are counted from 8; a byte has
two of them, the first in its lower bits.
"""

from __future__ import annotations

from dataclasses import dataclass

from onnx import TensorProto
from xdsl.ir import SSAValue

from ....dialects import Dim, Element, product, tensor_type
from ....dialects.graph import (
    BitwiseOrOp,
    DequantizeOp,
    MinimumOp,
    QuantizeOp,
    ShiftLeftOp,
)
from ....dialects.graph.compose import (
    at_index,
    convert,
    number,
    reshaped,
    shape_of,
)
from ..unsupported import Unsupported
from .contributed_bits import middle_of, steps_apart
from .element import element
from .node import Node

_BYTES = {8: TensorProto.INT8, 4: TensorProto.UINT8}
"""The elements of a cache, by the bits of a step."""


@dataclass(frozen=True)
class CacheSteps:
    """What the steps of a cache are."""

    bits: int

    scale: SSAValue
    """One number, or one for each element of each group: 1 x groups x 1 x depth."""

    @property
    def element(self) -> Element:
        """The elements of the cache."""
        return element(_BYTES[self.bits])

    def kept(self, x: SSAValue) -> SSAValue:
        """Builds the steps of new keys or values, as the cache holds them."""
        scale = convert(self.scale, tensor_type(x).element_type)
        if self.bits == 8:
            return QuantizeOp(x, scale, number(0, self.element)).result
        steps = QuantizeOp(x, scale, middle_of(4)).result
        steps = MinimumOp(steps, number(15, self.element)).result
        *outer, depth = shape_of(x)
        assert isinstance(depth, int), "the sizes of heads are numbers"
        pairs = reshaped(steps, [*outer, depth // 2, 2])
        low, high = (at_index(pairs, len(outer) + 1, each) for each in (0, 1))
        return BitwiseOrOp(low, ShiftLeftOp(high, number(4, self.element))).result

    def seen(self, kept: SSAValue, to: Element) -> SSAValue:
        """Builds the numbers that a cache stands for."""
        scale = convert(self.scale, to)
        if self.bits == 8:
            return DequantizeOp(kept, scale, number(0, self.element)).result
        return DequantizeOp(steps_apart(kept, 4), scale, middle_of(4)).result


def cache_steps(
    node: Node, place: int, name: str, groups: Dim, depth: Dim
) -> CacheSteps | None:
    """
    What the cache of the attribute `name` holds, with a scale at a place; None where it
    holds floats. Raises `CompileError` where attributes and scale do not fit.
    """
    kind, bits = node.text(name), node.integer("kv_cache_bit_width")
    if kind not in ("NONE", "PER_TENSOR", "PER_CHANNEL"):
        raise Unsupported(f"a quantised cache ({name} = {kind})")
    scale = node.signature.input(place).name
    if kind == "NONE" and node.has(place):
        raise node.error(f"expected {name} beside {scale}, got NONE")
    if kind != "NONE" and not node.has(place):
        raise node.error(f"expected an input {scale} for {name} = {kind}, got none")
    if kind == "NONE":
        return None
    if bits not in _BYTES:
        raise node.error(f"expected kv_cache_bit_width of 4 or 8, got {bits}")
    if bits == 4 and (not isinstance(depth, int) or depth % 2):
        raise Unsupported(f"steps of 4 bits in heads of {depth}")
    if kind == "PER_TENSOR":
        wanted, shape = 1, []
    else:
        wanted, shape = groups * depth, [1, groups, 1, depth]
    if (got := product(node.shape(place))) != wanted:
        raise node.error(f"expected {wanted} scales for {name} = {kind}, got {got}")
    return CacheSteps(bits, reshaped(node.operand(place), shape))
