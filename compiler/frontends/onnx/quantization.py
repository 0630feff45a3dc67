"""ONNX ops on quantised tensors: steps of a scale, and products of them."""

from __future__ import annotations

from onnx import TensorProto
from xdsl.dialects.builtin import f32
from xdsl.ir import SSAValue

from ....dialects import ELEMENT_TYPES, Element
from ....dialects.graph import AddOp, DivOp, MulOp, SubOp
from ....dialects.graph.compose import (
    convert,
    integer_product,
    number,
    quantization,
    reshaped,
    shape_of,
    with_bias,
)
from .cast import cast_to
from .element import element
from .node import Handler, Node, Result, Results
from .rounded import own_element
from .window import conv_kernel, window_of


def zero_point(node: Node, place: int) -> SSAValue | None:
    """The zero point at a position; None where it is left out, or known to be zero."""
    if not node.has(place):
        return None
    known = node.known_input(place)
    if known is not None and not known.is_symbolic and not known.array.any():
        return None
    return node.operand(place)


def zero_of(node: Node, place: int, element: Element) -> SSAValue:
    """The zero point at a position, or zero."""
    return node.operand(place) if node.has(place) else number(0, element)


def scalar_of(x: SSAValue | None) -> SSAValue | None:
    """Builds the only element of a tensor as one of rank 0."""
    return None if x is None else reshaped(x, [])


def by_row(x: SSAValue | None) -> SSAValue | None:
    """Builds a vector of one number for each row of a matrix as a column."""
    shape = () if x is None else shape_of(x)
    if x is None or len(shape) != 1:
        return x
    return reshaped(x, [] if shape == (1,) else [*shape, 1])


def _place_of_scales(node: Node) -> tuple[int, int]:
    """The axis that a scale has a number for each index of, and the size of blocks."""
    known, rank = node.signature.attributes, node.rank(0)
    block = node.integer("block_size") if "block_size" in known else 0
    if block < 0:
        raise node.error(f"expected a block_size of zero or more, got {block}")
    if "axis" not in known or (not block and node.rank(1) == 0) or not rank:
        return 0, block if rank else 0
    is_one = all(each == 1 for each in node.shape(1))
    axis = node.integer("axis")
    return (0 if is_one and not block else node.normalize(axis, rank)), block


def _check_scales(node: Node, axis: int, block: int) -> None:
    """Raises `CompileError` for scales that do not fit the axis or the blocks."""
    shape, scales = node.shape(0), node.shape(1)
    if node.has(2) and node.shape(2) != scales and node.rank(2) + len(scales) > 1:
        raise node.error(
            f"expected a zero point for each scale, got {node.type(1)} and "
            f"{node.type(2)}"
        )
    if block:
        rest = zip(shape[:axis], scales[:axis], strict=False)
        if len(scales) != len(shape) or any(a != b for a, b in rest):
            raise node.error(
                f"expected scales of blocks of {node.type(0)}, got {node.type(1)}"
            )
    elif len(scales) > 1:
        raise node.error(f"expected one scale or a vector of them, got {node.type(1)}")


def quantize_linear(node: Node) -> Result:
    """The input in steps of a scale, counted from a zero point."""
    (axis, block), known = _place_of_scales(node), node.signature.attributes
    _check_scales(node, axis, block)
    kind = element(TensorProto.UINT8)
    if node.has(2):
        kind = own_element(node, 2)
    elif "output_dtype" in known and node.integer("output_dtype"):
        kind = element(node.integer("output_dtype"))
    precise = node.element(1)
    if "precision" in known and node.integer("precision"):
        precise = element(node.integer("precision"))
    x, scale = (convert(node.operand(each), precise) for each in (0, 1))
    if ELEMENT_TYPES[kind].format is not None:
        steps = quantization.by_scale(DivOp, x, scale, axis, block)
        if (zero := zero_point(node, 2)) is not None:
            steps = quantization.by_scale(AddOp, steps, zero, axis, block)
        return cast_to(node, steps, kind)
    return quantization.quantized(x, scale, zero_of(node, 2, kind), axis, block)


def dequantize_linear(node: Node) -> Result:
    """The numbers that steps of a scale, counted from a zero point, stand for."""
    (axis, block), known = _place_of_scales(node), node.signature.attributes
    _check_scales(node, axis, block)
    x, scale = node.operand(0), node.operand(1)
    if ELEMENT_TYPES[own_element(node, 0)].format is not None:
        if (zero := zero_point(node, 2)) is not None:
            x = quantization.by_scale(SubOp, x, zero, axis, block)
        result = quantization.by_scale(MulOp, x, convert(scale, f32), axis, block)
    else:
        zero = zero_of(node, 2, node.element(0))
        result = quantization.dequantized(x, scale, zero, axis, block)
    if "output_dtype" in known and node.integer("output_dtype"):
        return convert(result, element(node.integer("output_dtype")))
    scales = own_element(node, 1)
    return convert(result, f32 if ELEMENT_TYPES[scales].is_stored else scales)


def dynamically_quantized(x: SSAValue) -> tuple[SSAValue, SSAValue, SSAValue]:
    """
    Builds the steps of `x` in bytes without a sign, their scale and their zero point.
    """
    kind = element(TensorProto.UINT8)
    scale, zero = quantization.dynamic_parameters(x, kind)
    return quantization.quantized(x, scale, zero), scale, zero


def _dynamic_quantize_linear(node: Node) -> Results:
    """The input in steps that reach from its least to its greatest element."""
    return list(dynamically_quantized(node.operand(0)))


def _convolution(node: Node, weight: int, zeros: tuple[int, int]) -> SSAValue:
    """Builds the convolution of the differences from two zero points."""
    window = window_of(node, node.shape(0)[2:], conv_kernel(node, weight))
    place, other = zeros
    zero = scalar_of(zero_point(node, place))
    known = None if zero is None else node.known_input(place)
    return integer_product.integer_convolution(
        node.operand(0),
        node.operand(weight),
        zero,
        zero_point(node, other),
        node.integer("group"),
        window,
        None if known is None else int(known.array.item()),
    )


def _conv_integer(node: Node) -> Result:
    """The convolution of the differences from two zero points."""
    return _convolution(node, 1, (2, 3))


def _factor(node: Node, a: SSAValue, b: SSAValue, y: int) -> SSAValue:
    """Builds what makes steps of a result of products of steps of two factors."""
    return DivOp(MulOp(a, b), node.operand(y)).result


def linear_conv(node: Node) -> Result:
    """The convolution of two quantised tensors, with a bias in steps of both scales."""
    total = _convolution(node, 3, (2, 5))
    if node.has(8):
        total = with_bias(total, node.operand(8))
    factor = _factor(node, node.operand(1), node.operand(4), 6)
    return quantization.requantized(total, factor, node.operand(7), axis=1)


def matmul_of_steps(node: Node, b: int, zeros: tuple[int, int]) -> SSAValue:
    """Builds the product of the differences from two zero points."""
    if not node.rank(0) or not node.rank(b):
        raise node.error(
            f"expected operands of one axis or more, got {node.type(0)} and "
            f"{node.type(b)}"
        )
    rows, columns = (zero_point(node, each) for each in zeros)
    return integer_product.integer_matmul(
        node.operand(0), node.operand(b), by_row(rows), columns
    )


def _matmul_integer(node: Node) -> Result:
    """The product of the differences from two zero points."""
    return matmul_of_steps(node, 1, (2, 3))


def _linear_matmul(node: Node) -> Result:
    """The product of two quantised matrices."""
    total = matmul_of_steps(node, 3, (2, 5))
    row = by_row(node.operand(1))
    assert row is not None, "the scale is given"
    factor = _factor(node, row, node.operand(4), 6)
    last = max(len(shape_of(total)) - 1, 0)
    return quantization.requantized(total, factor, node.operand(7), axis=last)


HANDLERS: dict[str, Handler] = {
    "ConvInteger": _conv_integer,
    "DequantizeLinear": dequantize_linear,
    "DynamicQuantizeLinear": _dynamic_quantize_linear,
    "MatMulInteger": _matmul_integer,
    "QLinearConv": linear_conv,
    "QLinearMatMul": _linear_matmul,
    "QuantizeLinear": quantize_linear,
}
