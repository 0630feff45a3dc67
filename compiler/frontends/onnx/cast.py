"""
Conversions of ONNX between element types.

To a float of 8 bits what is beyond the greatest number becomes that, unless the node
says otherwise. Where ONNX leaves open what a float beyond an integer of 4 or 2 bits
becomes, it is the low bits of an i32, as in ONNX's own reference.
"""

from __future__ import annotations

from math import nan

from xdsl.dialects.builtin import f32, f64, i32
from xdsl.ir import SSAValue

from ....dialects import ELEMENT_TYPES, Element, is_float, tensor_type
from ....dialects.graph import BitcastOp, GtOp, LtOp, WhereOp
from ....dialects.graph.compose import (
    bounds,
    convert,
    number_like,
    times,
)
from .element import element
from .node import Handler, Node, Result

_LEAST_SCALE = 2.0**-127
"""The least power of two among the floats of 8 bits that are one exponent."""


def cast_to(node: Node, x: SSAValue, to: Element) -> SSAValue:
    """Builds a tensor with other elements, as the attributes of a node ask for."""
    row, known = ELEMENT_TYPES[to], node.signature.attributes
    if row.format is None:
        if row.is_stored and is_float(tensor_type(x)):
            x = convert(x, i32)
        return convert(x, to)
    saturates = "saturate" not in known or node.flag("saturate")
    x = x if tensor_type(x).element_type == f64 else convert(x, f32)
    if not row.format.has_sign:
        return _cast_to_scale(node, x, to, saturates)
    greatest = row.format.greatest
    return convert(bounds.clamped(x, -greatest, greatest) if saturates else x, to)


def _cast_to_scale(node: Node, x: SSAValue, to: Element, saturates: bool) -> SSAValue:
    """Builds powers of two that are rounded as a node says."""
    least = number_like(_LEAST_SCALE, x)
    if saturates:
        x = bounds.clamped(x, _LEAST_SCALE, 1 / _LEAST_SCALE)
    else:
        x = WhereOp(LtOp(x, least), number_like(nan, x), x).result
    known = node.signature.attributes
    mode = node.text("round_mode") if "round_mode" in known else "up"
    near = convert(convert(x, to), tensor_type(x).element_type)
    match mode:
        case "nearest":
            return convert(x, to)
        case "up":
            return convert(WhereOp(LtOp(near, x), times(near, 2), near).result, to)
        case "down":
            return convert(WhereOp(GtOp(near, x), times(near, 0.5), near).result, to)
        case _:
            raise node.error(
                f"expected a round_mode of up, down or nearest, got {mode!r}"
            )


def cast(node: Node) -> Result:
    """The input with elements of another type."""
    return cast_to(node, node.operand(0), element(node.integer("to")))


def _cast_like(node: Node) -> Result:
    """The first input with elements of the type of the second."""
    return cast_to(node, node.operand(0), node.element(1))


def _bit_cast(node: Node) -> Result:
    """The bits of the input reinterpreted as another element type."""
    return BitcastOp(node.operand(0), to=element(node.integer("to")))


HANDLERS: dict[str, Handler] = {
    "BitCast": _bit_cast,
    "Cast": cast,
    "CastLike": _cast_like,
}
