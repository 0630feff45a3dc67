"""
Ops of `com.microsoft` on quantised tensors: elementwise ones, pools, concatenations.

Each computes on the numbers that the steps stand for, and rounds the result to steps of
another scale.
"""

from __future__ import annotations

from collections.abc import Callable
from copy import copy

from xdsl.ir import Operation, SSAValue

from ....dialects import Element, product
from ....dialects.graph import (
    AddOp,
    BinaryOp,
    ConcatOp,
    LeakyReluOp,
    MeanOp,
    MulOp,
    SigmoidOp,
    SoftmaxOp,
    WhereOp,
)
from ....dialects.graph.compose import permuted, quantization, reshaped
from ....dialects.graph.compose import shape_of as shape
from .node import Handler, Node, Result, Results
from .pooling import max_pool, means_under, pool_window
from .quantization import dequantize_linear, linear_conv, quantize_linear, zero_of


def _numbers_of(node: Node, place: int) -> SSAValue:
    """
    Builds the numbers of a quantised input, before its scale and its zero point.
    """
    zero = zero_of(node, place + 2, node.element(place))
    scale = node.operand(place + 1)
    return quantization.dequantized(node.operand(place), scale, zero)


def _steps(node: Node, x: SSAValue, place: int, kind: Element) -> Result:
    """Builds `x` in steps of the scale at a position, before its zero point."""
    zero = zero_of(node, place + 1, kind)
    return quantization.quantized(x, node.operand(place), zero)


def _unary(build: Callable[[Node, SSAValue], SSAValue]) -> Handler:
    """The handler of a function of one quantised tensor."""

    def handler(node: Node) -> Result:
        result = build(node, _numbers_of(node, 0))
        return _steps(node, result, 3, node.element(0))

    return handler


def _binary(op: type[BinaryOp]) -> Handler:
    """The handler of a function of two quantised tensors."""

    def handler(node: Node) -> Result:
        result = op(_numbers_of(node, 0), _numbers_of(node, 3)).result
        return _steps(node, result, 6, node.element(0))

    return handler


def _sigmoid(node: Node, x: SSAValue) -> SSAValue:
    """Builds the logistic function."""
    return SigmoidOp(x).result


def _leaky_relu(node: Node, x: SSAValue) -> SSAValue:
    """Builds the elements with negative ones multiplied by `alpha`."""
    return LeakyReluOp(x, slope=node.number("alpha")).result


def _softmax(node: Node, x: SSAValue) -> SSAValue:
    """Builds the softmax along an axis, of opset 12 and before over all after it."""
    sizes = shape(x)
    axis = node.normalize(node.integer("axis"), len(sizes))
    if node.integer("opset") >= 13:
        return SoftmaxOp(x, axis=axis).result
    rows = [product(sizes[:axis]), product(sizes[axis:])]
    return reshaped(SoftmaxOp(reshaped(x, rows), axis=1).result, sizes)


def _average_pool(node: Node, x: SSAValue) -> SSAValue:
    """Builds the means under a window."""
    kernel = node.integers("kernel_shape")
    if not kernel or len(kernel) != node.rank(0) - 2:
        raise node.error(f"expected NxCx... and a kernel, got {node.type(0)}, {kernel}")
    # Where padding counts, so does what is beyond it.
    window, counts = pool_window(node, kernel), node.flag("count_include_pad")
    return means_under(x, window, counts, counts)


def _channels_first(handler: Handler) -> Handler:
    """The handler of an op on images, whose channels may be the last axis."""

    def moved(node: Node) -> Result:
        known = node.signature.attributes
        if "channels_last" in known and not node.flag("channels_last"):
            return _only(handler(node))
        if (rank := node.rank(0)) < 3:
            raise node.error(f"expected Nx...xC, got {node.type(0)}")
        inner = copy(node)
        first = permuted(node.operand(0), (0, rank - 1, *range(1, rank - 1)))
        inner.values = [first, *node.values[1:]]
        return permuted(_only(handler(inner)), (0, *range(2, rank), 1))

    return moved


def _only(results: Results) -> SSAValue:
    """The only result of a handler."""
    assert isinstance(results, SSAValue | Operation), "it is one computed value"
    return SSAValue.get(results)


def _global_average_pool(node: Node, x: SSAValue) -> SSAValue:
    """Builds the mean of each channel."""
    last, rank = node.flag("channels_last"), node.rank(0)
    axes = tuple(range(1, rank - 1) if last else range(2, rank))
    return MeanOp(x, axes=axes, keepdims=True).result


def _concat(node: Node) -> Result:
    """The concatenation of quantised tensors, each with its own scale."""
    places = range(2, len(node.values), 3)
    if len(node.values) < 5 or len(node.values) % 3 != 2:
        raise node.error(
            f"expected tensors, each with a scale and a zero point, got "
            f"{len(node.values) - 2} inputs"
        )
    axis = node.normalize(node.integer("axis"), node.rank(2))
    parts = [_numbers_of(node, place) for place in places]
    return _steps(node, ConcatOp(*parts, axis=axis).result, 0, node.element(2))


def _where(node: Node) -> Result:
    """Numbers of one of two quantised tensors, selected by a condition."""
    chosen = WhereOp(node.operand(0), _numbers_of(node, 1), _numbers_of(node, 4))
    return _steps(node, chosen.result, 7, node.element(1))


HANDLERS: dict[str, Handler] = {
    "DequantizeLinear": dequantize_linear,
    "QLinearAdd": _binary(AddOp),
    "NhwcMaxPool": _channels_first(max_pool),
    "QLinearAveragePool": _channels_first(_unary(_average_pool)),
    "QLinearConcat": _concat,
    "QLinearConv": _channels_first(linear_conv),
    "QLinearGlobalAveragePool": _unary(_global_average_pool),
    "QLinearLeakyRelu": _unary(_leaky_relu),
    "QLinearMul": _binary(MulOp),
    "QLinearSigmoid": _unary(_sigmoid),
    "QLinearSoftmax": _unary(_softmax),
    "QLinearWhere": _where,
    "QuantizeLinear": quantize_linear,
}
