"""Ops of `com.microsoft` that multiply matrices, quantised or with parts of others."""

from __future__ import annotations

from copy import copy
from typing import Any

from onnx import TensorProto
from xdsl.dialects.builtin import f32
from xdsl.ir import SSAValue

from ....dialects import ceildiv, is_float, tensor_type
from ....dialects.graph import AddOp, DequantizeOp, DivOp, LinearOp, MulOp, SubOp
from ....dialects.graph.compose import (
    convert,
    integer_product,
    number,
    part,
    permuted,
    product,
    quantization,
    reshaped,
    shape_of,
    times,
)
from ....dialects.graph.few_bits import RoundBlocksOp, block_of
from ..unsupported import Unsupported
from .contributed_bits import middle_of, steps_of_bits
from .element import element
from .node import Handler, Node, Result, Results
from .quantization import (
    by_row,
    dynamically_quantized,
    matmul_of_steps,
    scalar_of,
    zero_point,
)
from .recurrent import HANDLERS as RECURRENT

_OF_BYTES = 4
"""The `accuracy_level` that lets a factor be rounded to bytes; others are floats."""


def _with(x: SSAValue, node: Node, place: int) -> SSAValue:
    """Builds `x` plus the input at a position, if it is given."""
    return AddOp(x, node.operand(place)).result if node.has(place) else x


def _numbers(total: SSAValue, a: SSAValue, b: SSAValue) -> SSAValue:
    """Builds the numbers that sums of products of steps of two scales stand for."""
    return MulOp(convert(total, element(TensorProto.FLOAT)), MulOp(a, b)).result


def _dynamic_matmul(node: Node) -> Result:
    """The product of a matrix, which the run quantises, and a quantised one."""
    a, scale, zero = dynamically_quantized(node.operand(0))
    total = integer_product.integer_matmul(
        a, node.operand(1), zero, zero_point(node, 3)
    )
    return _with(_numbers(total, scale, node.operand(2)), node, 4)


def _matmul_to_float(node: Node) -> Result:
    """The product of two quantised matrices as numbers."""
    total = matmul_of_steps(node, 1, (4, 5))
    row = by_row(node.operand(2))
    assert row is not None, "the scale is given"
    return _with(_numbers(total, row, node.operand(3)), node, 6)


def _quantized_gemm(node: Node) -> Result:
    """The product of two quantised matrices, and an integer bias of both scales."""
    a, b = node.operand(0), node.operand(3)
    if node.rank(0) != 2 or node.rank(3) != 2:
        raise node.error(f"expected matrices, got {node.type(0)} and {node.type(3)}")
    a = permuted(a, (1, 0)) if node.flag("transA") else a
    b = permuted(b, (1, 0)) if node.flag("transB") else b
    zeros = scalar_of(zero_point(node, 2)), zero_point(node, 5)
    total = _with(integer_product.integer_matmul(a, b, *zeros), node, 6)
    scale = times(reshaped(node.operand(1), []), node.number("alpha"))
    if not node.has(7):
        return _numbers(total, scale, node.operand(4))
    factor = DivOp(MulOp(scale, node.operand(4)), node.operand(7)).result
    zero = node.operand(8) if node.has(8) else number(0, node.element(0))
    return quantization.requantized(total, factor, zero, axis=1)


def _fused_matmul(node: Node) -> Result:
    """`alpha` times the product of matrices, whose axes may be in another order."""
    factors: list[SSAValue] = []
    for place, name in enumerate("AB"):
        x, rank = node.operand(place), node.rank(place)
        if rank < 2 and (node.flag(f"trans{name}") or node.flag(f"transBatch{name}")):
            raise Unsupported("a vector that is transposed")
        if node.flag(f"transBatch{name}"):
            x = permuted(x, (*range(1, rank - 1), 0, rank - 1))
        if node.flag(f"trans{name}"):
            x = permuted(x, (*range(rank - 2), rank - 1, rank - 2))
        factors.append(x)
    return times(product.matmul(*factors), node.number("alpha"))


def _matmul_of_bits(node: Node) -> Result:
    """The product with a matrix of few bits, with a scale for each block of a row."""
    bits, block = node.integer("bits"), node.integer("block_size")
    depth, count = node.integer("K"), node.integer("N")
    if node.has(4):
        raise Unsupported("rows in another order (g_idx)")
    if bits not in (2, 4, 8) or block < 1 or min(depth, count) < 1:
        raise node.error(
            f"expected 2, 4 or 8 bits and sizes of one or more, got {bits} bits, "
            f"block_size {block}, K {depth} and N {count}"
        )
    blocks = ceildiv(depth, block)
    assert isinstance(blocks, int), "it is a quotient of numbers"
    steps = steps_of_bits(node, 1, (count, blocks, block), bits)
    scale = reshaped(node.operand(2), [count, blocks, 1])
    weight = _numbers_of_bits(node, steps, scale, bits)
    whole = part(reshaped(weight, [count, blocks * block]), 1, 0, depth)
    x = _as_exact(node, block)
    result = LinearOp(x, convert(whole, node.element(0))).result
    return _with(result, node, 5)


def _as_exact(node: Node, block: int) -> SSAValue:
    """Builds the other factor as exact as the node asks for: of level 4, of bytes."""
    x, rounded = node.operand(0), block_of(block)
    if (
        node.integer("accuracy_level") != _OF_BYTES
        or tensor_type(x).element_type != f32
    ):
        return x
    match node.shape(0):
        case (*_, int() as last) if rounded and last % rounded == 0:
            return RoundBlocksOp(x, block=rounded).result
        case _:
            return x


def _numbers_of_bits(
    node: Node, steps: SSAValue, scale: SSAValue, bits: int
) -> SSAValue:
    """Builds the numbers that blocks of steps stand for."""
    count, blocks, _ = shape_of(steps)
    if not node.has(3):
        return DequantizeOp(steps, scale, middle_of(bits)).result
    if is_float(node.type(3)):
        zero = reshaped(node.operand(3), [count, blocks, 1])
        wide = convert(steps, node.element(3))
        return MulOp(SubOp(wide, zero), convert(scale, node.element(3))).result
    assert isinstance(count, int), "the node says so"
    assert isinstance(blocks, int), "it is a quotient of numbers"
    zero = steps_of_bits(node, 3, (count, blocks, 1), bits)
    return DequantizeOp(steps, scale, zero).result


def _dynamic_lstm(node: Node) -> Results:
    """
    An LSTM with quantised weights, computed on the numbers that these stand for; the
    other factors are not rounded.
    """
    weights = [_gates(node, *places) for places in ((1, 8, 9), (2, 10, 11))]
    inner: Any = copy(node)
    inner.values = [node.values[0], *weights, *node.values[3:8]]
    return RECURRENT["LSTM"](inner)


def _gates(node: Node, weight: int, scale: int, zero: int) -> SSAValue:
    """Builds the weights DxGxK of all gates, which are stored as DxKxG."""
    if node.rank(weight) != 3:
        raise node.error(f"expected weights of three axes, got {node.type(weight)}")
    directions = node.shape(weight)[0]
    wide = [
        reshaped(node.operand(each), [directions, 1, *(node.shape(each)[1:2] or (1,))])
        for each in (scale, zero)
    ]
    numbers = DequantizeOp(node.operand(weight), *wide).result
    return permuted(numbers, (0, 2, 1))


HANDLERS: dict[str, Handler] = {
    "DynamicQuantizeLSTM": _dynamic_lstm,
    "DynamicQuantizeMatMul": _dynamic_matmul,
    "FusedMatMul": _fused_matmul,
    "MatMulIntegerToFloat": _matmul_to_float,
    "MatMulNBits": _matmul_of_bits,
    "QGemm": _quantized_gemm,
    "TransposeMatMul": _fused_matmul,
}
