"""Attention of `com.microsoft`, of floats and of what is quantised."""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt

from onnx import TensorProto
from xdsl.dialects.builtin import i64
from xdsl.ir import SSAValue

from ....dialects import Dim, floordiv
from ....dialects.graph import (
    AddOp,
    ConcatOp,
    GtOp,
    IndexSelectOp,
    LeOp,
    LogicalAndOp,
    LtOp,
    MatmulOp,
    MulOp,
    SoftmaxOp,
    SubOp,
    WhereOp,
)
from ....dialects.graph.compose import (
    at_index,
    convert,
    counted,
    number_like,
    part,
    permuted,
    quantity,
    reshaped,
    shape_of,
    stacked,
    times,
)
from ..unsupported import Unsupported
from .element import element
from .node import Handler, Node, Result, Results
from .quantization import matmul_of_steps


def _attention(node: Node) -> Results:
    """The attention of heads on a sequence, from one product with all weights."""
    _refuse(node, 6)
    _check(node)
    product = MatmulOp(node.operand(0), node.operand(1)).result
    if node.has(2):
        product = AddOp(product, node.operand(2)).result
    sizes = node.integers("qkv_hidden_sizes")
    bias = node.operand(5) if node.has(5) else None
    return _attend(node, product, sizes, bias, mask=3, past=4)


def _quantized_attention(node: Node) -> Results:
    """The attention of heads on a sequence, whose first product is one of integers."""
    _refuse(node, None)
    _check(node)
    total = matmul_of_steps(node, 1, (6, 7))
    scale = MulOp(node.operand(3), node.operand(4))
    numbers = MulOp(convert(total, element(TensorProto.FLOAT)), scale)
    product = AddOp(numbers, node.operand(2)).result
    return _attend(node, product, None, None, mask=5, past=8)


def _refuse(node: Node, length: int | None) -> None:
    """Raises `Unsupported` for rotations, and caches that are filled to a length."""
    if node.flag("past_present_share_buffer") or (length and node.has(length)):
        raise Unsupported("a cache of one size (past_present_share_buffer)")
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
    bias: SSAValue | None,
    *,
    mask: int,
    past: int,
) -> Results:
    """
    Builds the attention of queries, keys and values that lie side by side, and the keys
    and the values, after those of calls before, which stand in one tensor.
    """
    each = floordiv(shape_of(product)[2], 3)
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
        parts.append(in_heads(part(product, 2, start, size), heads))
        start = start + size
    if node.has(past):
        if node.rank(past) != 5:
            raise node.error(f"expected keys and values, got {node.type(past)}")
        for place in (1, 2):
            before = at_index(node.operand(past), 0, place - 1)
            parts[place] = ConcatOp(before, parts[place], axis=2).result
    attended = _of_heads(node, parts, (mask, past, 3), bias)
    if not node.gives(1):
        return attended
    if shape_of(parts[1]) != shape_of(parts[2]):
        raise Unsupported("keys and values of two sizes as one result")
    return [attended, stacked(parts[1:], 0)]


def in_heads(x: SSAValue, heads: int) -> SSAValue:
    """Builds rows split into heads: batch x heads x rows x elements of a head."""
    batch, length, width = shape_of(x)
    apart = [batch, length, heads, floordiv(width, heads)]
    return permuted(reshaped(x, apart), (0, 2, 1, 3))


def _of_heads(
    node: Node,
    parts: Sequence[SSAValue],
    inputs: tuple[int, int, int],
    bias: SSAValue | None,
) -> SSAValue:
    """
    Builds the attention of queries, keys and values of heads, side by side again.

    The `inputs` are the mask, the keys of calls before, and the axis of their places.
    """
    queries, keys, values = parts
    batch, _, length, depth = shape_of(queries)
    assert isinstance(depth, int), "the sizes of heads are numbers"
    factor = node.number("scale") if node.gives_attribute("scale") else 1 / sqrt(depth)
    scores = times(MatmulOp(queries, permuted(keys, (0, 1, 3, 2))).result, factor)
    scores = _masked(node, scores, *inputs)
    if bias is not None:
        scores = AddOp(scores, bias).result
    result = MatmulOp(SoftmaxOp(scores, axis=3), values).result
    width = shape_of(values)[1] * shape_of(values)[3]
    return reshaped(permuted(result, (0, 2, 1, 3)), [batch, length, width])


def _masked(node: Node, scores: SSAValue, mask: int, past: int, axis: int) -> SSAValue:
    """Builds the scores, far lower for keys that a mask leaves out."""
    *_, count, length = shape_of(scores)
    if node.has(mask):
        lower = number_like(node.number("mask_filter_value"), scores)
        kept = _kept(node, mask, shape_of(scores)[0], length)
        scores = AddOp(scores, WhereOp(kept, number_like(0, scores), lower)).result
    if node.flag("unidirectional"):
        rows, columns = counted(count, 2, 4), counted(length, 3, 4)
        if node.has(past):
            rows = AddOp(rows, quantity(node.shape(past)[axis], i64)).result
        lowest = number_like(-float("inf"), scores)
        scores = WhereOp(LeOp(columns, rows), scores, lowest).result
    return scores


def _kept(node: Node, mask: int, batch: Dim, length: Dim) -> SSAValue:
    """Builds which of the keys count, batch x 1 x rows or 1 x keys."""
    given = node.operand(mask)
    match node.shape(mask):
        case (numbers,) if numbers in (batch, batch * 2, batch * 3 + 2):
            # The end of each sequence, then its start; or its length, then the sums of
            # lengths, which say nothing more.
            places = counted(length, 3, 4, node.element(mask))
            ends = reshaped(part(given, 0, 0, batch), [batch, 1, 1, 1])
            kept = LtOp(places, ends).result
            if numbers != batch * 2:
                return kept
            starts = reshaped(part(given, 0, batch, batch), [batch, 1, 1, 1])
            return LogicalAndOp(kept, LeOp(starts, places)).result
        case (_, keys):
            wide = reshaped(given, [batch, 1, 1, keys])
        case (_, queries, keys):
            wide = reshaped(given, [batch, 1, queries, keys])
        case _:
            raise Unsupported(f"a mask {node.type(mask)}")
    return GtOp(wide, number_like(0, wide)).result


def _multi_head(node: Node) -> Results:
    """The attention of heads, whose queries, keys and values are given."""
    heads, given = node.integer("num_heads"), [0, 1, 2]
    if not all(map(node.has, given)) or node.rank(0) != 3:
        raise Unsupported("queries, keys and values in one tensor")
    if node.has(8) or node.has(9):
        raise Unsupported("a cache of beams")
    parts: list[SSAValue] = []
    start: Dim = 0
    for place, each in enumerate(map(node.operand, given)):
        size = node.shape(place)[-1]
        if node.rank(place) == 4:
            # The bias is of queries alone, as in ONNX Runtime.
            parts.append(each)
            continue
        if not isinstance(size, int) or heads < 1 or size % heads:
            raise node.error(f"expected rows of {heads} heads, got {node.type(place)}")
        if node.has(3):
            each = AddOp(each, part(node.operand(3), 0, start, size)).result
            start = start + size
        parts.append(in_heads(each, heads))
    for place, past in ((1, 6), (2, 7)):
        if node.has(past):
            joined = ConcatOp(node.operand(past), parts[place], axis=2)
            parts[place] = joined.result
    bias = node.operand(5) if node.has(5) else None
    return [_of_heads(node, parts, (4, 6, 2), bias), parts[1], parts[2]]


def _rotary(node: Node) -> Result:
    """
    Pairs of elements of each head, turned by the angles of a place.

    ONNX Runtime reads `scale` and multiplies by it nowhere, and with
    `is_packed_batching` takes rows beyond the tables, as happens here always.
    """
    x, cosines = node.operand(0), node.operand(2)
    half = shape_of(cosines)[1]
    is_flat, heads = node.rank(0) == 3, node.integer("num_heads")
    if is_flat:
        width = shape_of(x)[2]
        heads = heads if node.integer("rotary_embedding_dim") else 0
        x = in_heads(x, heads or _number(node, floordiv(width, half * 2)))
    batch, _, length, _ = shape_of(x)
    places = convert(node.operand(1), i64)
    if node.shape(1) == (1,):
        places = AddOp(counted(length, 1, 2), reshaped(places, [1, 1])).result
    result = turned(
        x, (cosines, node.operand(3)), places, is_interleaved=node.flag("interleaved")
    )
    if not is_flat:
        return result
    return reshaped(permuted(result, (0, 2, 1, 3)), [batch, length, node.shape(0)[2]])


def turned(
    x: SSAValue,
    tables: Sequence[SSAValue],
    places: SSAValue,
    *,
    is_interleaved: bool,
) -> SSAValue:
    """
    Builds the pairs of elements of heads turned by the angles of their places.

    `x` is batch x heads x rows x elements, `tables` are the cosines and the sines, each
    places x pairs, and `places` the rows of these, batch x rows or 1 x rows. Elements
    beyond the pairs stay. A pair is two neighbours where `is_interleaved`, else one
    element of the first half and one of the second. A place that is not in the tables
    is an `IndexError` when the model runs.
    """
    *outer, depth = shape_of(x)
    half = shape_of(tables[0])[1]
    turns: list[SSAValue] = []
    for table in tables:
        rows = IndexSelectOp(table, places, axis=0, wraps=False).result
        turns.append(reshaped(rows, [shape_of(rows)[0], 1, outer[2], half]))
    result = _pairs_turned(part(x, 3, 0, half * 2), half, turns, is_interleaved)
    if depth != half * 2:
        rest = part(x, 3, half * 2, depth - half * 2)
        result = ConcatOp(result, rest, axis=3).result
    return result


def _pairs_turned(
    x: SSAValue, half: Dim, turns: Sequence[SSAValue], is_interleaved: bool
) -> SSAValue:
    """Builds the pairs of the last axis of `x` turned, whose halves they may be."""
    *outer, _ = shape_of(x)
    if is_interleaved:
        x = permuted(reshaped(x, [*outer, half, 2]), (0, 1, 2, 4, 3))
        x = reshaped(x, [*outer, half * 2])
    cosines, sines = turns
    one, two = part(x, 3, 0, half), part(x, 3, half, half)
    first = SubOp(MulOp(one, cosines), MulOp(two, sines)).result
    second = AddOp(MulOp(two, cosines), MulOp(one, sines)).result
    x = ConcatOp(first, second, axis=3).result
    if not is_interleaved:
        return x
    x = permuted(reshaped(x, [*outer, 2, half]), (0, 1, 2, 4, 3))
    return reshaped(x, [*outer, half * 2])


def _number(node: Node, size: Dim) -> int:
    """A number of heads, which must be the same in all runs."""
    if not isinstance(size, int) or size < 1:
        raise node.error(f"expected a head or more, got {size} in {node.type(0)}")
    return size


HANDLERS: dict[str, Handler] = {
    "Attention": _attention,
    "MultiHeadAttention": _multi_head,
    "RotaryEmbedding": _rotary,
    "QAttention": _quantized_attention,
}
