"""Attention of `com.microsoft`, of floats and of what is quantised."""

from __future__ import annotations

from math import sqrt

from onnx import TensorProto
from xdsl.ir import SSAValue

from ....dialects import Dim, floordiv
from ....dialects.graph import (
    AddOp,
    GtOp,
    LeOp,
    LtOp,
    MatmulOp,
    MulOp,
    SoftmaxOp,
    WhereOp,
)
from ....dialects.graph.compose import (
    convert,
    counted,
    number_like,
    part,
    permuted,
    reshaped,
    shape_of,
    times,
)
from ..unsupported import Unsupported
from .element import element
from .node import Handler, Node, Result
from .quantization import matmul_of_steps


def _attention(node: Node) -> Result:
    """The attention of heads on a sequence, from one product with all weights."""
    _refuse(node, (4, 6))
    _check(node)
    product = MatmulOp(node.operand(0), node.operand(1)).result
    if node.has(2):
        product = AddOp(product, node.operand(2)).result
    sizes = node.integers("qkv_hidden_sizes")
    bias = node.operand(5) if node.has(5) else None
    return _attend(node, product, sizes, 3, bias)


def _quantized_attention(node: Node) -> Result:
    """The attention of heads on a sequence, whose first product is one of integers."""
    _refuse(node, (8,))
    _check(node)
    total = matmul_of_steps(node, 1, (6, 7))
    scale = MulOp(node.operand(3), node.operand(4))
    numbers = MulOp(convert(total, element(TensorProto.FLOAT)), scale)
    product = AddOp(numbers, node.operand(2)).result
    return _attend(node, product, None, 5, None)


def _refuse(node: Node, places: tuple[int, ...]) -> None:
    """Raises `Unsupported` for keys and values of calls before, and for rotations."""
    if any(map(node.has, places)):
        raise Unsupported("keys and values of calls before")
    if node.integer("do_rotary"):
        raise Unsupported("rotary embeddings")


def _check(node: Node) -> None:
    """Raises `CompileError` unless there are a sequence, weights and heads."""
    heads = node.integer("num_heads")
    if node.rank(0) != 3 or node.rank(1) != 2 or heads < 1:
        raise node.error(
            f"expected sequences, a matrix of weights and a head or more, got "
            f"{node.type(0)}, {node.type(1)} and {heads}"
        )


def _attend(
    node: Node,
    product: SSAValue,
    sizes: tuple[int, ...] | None,
    mask: int,
    bias: SSAValue | None,
) -> SSAValue:
    """Builds the attention of queries, keys and values that lie side by side."""
    batch, length, width = shape_of(product)
    each = floordiv(width, 3)
    given = (each, each, each) if sizes is None else sizes
    heads = node.integer("num_heads")
    if len(given) != 3 or any(
        not isinstance(size, int) or size < 1 or size % heads for size in given
    ):
        raise node.error(
            f"expected queries, keys and values of {heads} heads, got sizes {given}"
        )
    parts: list[SSAValue] = []
    start: Dim = 0
    for size in given:
        apart = [batch, length, heads, floordiv(size, heads)]
        rows = reshaped(part(product, 2, start, size), apart)
        parts.append(permuted(rows, (0, 2, 1, 3)))
        start = start + size
    queries, keys, values = parts
    depth = shape_of(queries)[-1]
    assert isinstance(depth, int), "the sizes of heads are numbers"
    factor = node.number("scale") if node.gives_attribute("scale") else 1 / sqrt(depth)
    scores = times(MatmulOp(queries, permuted(keys, (0, 1, 3, 2))).result, factor)
    scores = _masked(node, scores, mask)
    if bias is not None:
        scores = AddOp(scores, bias).result
    result = MatmulOp(SoftmaxOp(scores, axis=3), values).result
    return reshaped(permuted(result, (0, 2, 1, 3)), [batch, length, given[2]])


def _masked(node: Node, scores: SSAValue, mask: int) -> SSAValue:
    """Builds the scores, far lower for keys that a mask leaves out."""
    length = shape_of(scores)[-1]
    if node.has(mask):
        batch = shape_of(scores)[0]
        given = node.operand(mask)
        match node.shape(mask):
            case (count,) if count == batch:
                places = counted(length, 3, 4, node.element(mask))
                kept = LtOp(places, reshaped(given, [batch, 1, 1, 1])).result
            case (_, keys):
                wide = reshaped(given, [batch, 1, 1, keys])
                kept = GtOp(wide, number_like(0, wide)).result
            case (_, queries, keys):
                wide = reshaped(given, [batch, 1, queries, keys])
                kept = GtOp(wide, number_like(0, wide)).result
            case _:
                raise Unsupported(f"a mask {node.type(mask)}")
        lower = number_like(node.number("mask_filter_value"), scores)
        scores = AddOp(scores, WhereOp(kept, number_like(0, scores), lower)).result
    if node.flag("unidirectional"):
        rows, columns = counted(length, 2, 4), counted(length, 3, 4)
        lowest = number_like(-float("inf"), scores)
        scores = WhereOp(LeOp(columns, rows), scores, lowest).result
    return scores


HANDLERS: dict[str, Handler] = {
    "Attention": _attention,
    "QAttention": _quantized_attention,
}
