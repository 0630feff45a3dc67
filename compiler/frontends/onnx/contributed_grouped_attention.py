"""
`GroupQueryAttention` of `com.microsoft`: the attention of decoders with a cache.

Heads of queries share those of keys and values in groups. The formulas are those that
ONNX Runtime documents in its ContribOperators.md and computes on CPUs.
"""

from __future__ import annotations

from math import inf, sqrt

from xdsl.dialects.builtin import i64
from xdsl.ir import SSAValue

from ....dialects import Dim, product
from ....dialects.graph import (
    AddOp,
    ConcatOp,
    GeOp,
    LogicalAndOp,
    LtOp,
    MatmulOp,
    MinimumOp,
    SoftmaxOp,
    WhereOp,
)
from ....dialects.graph.compose import (
    activation,
    convert,
    counted,
    expanded,
    number_like,
    part,
    permuted,
    plus,
    quantity,
    reshaped,
    shape_of,
    times,
    truths,
)
from ..unsupported import Unsupported
from .contributed_attention import in_heads, turned
from .contributed_cache import Rows, rows_of, with_past
from .contributed_cache_steps import cache_steps
from .fitted import fitted
from .node import Handler, Node, Results

_REFUSED_INPUTS = {
    14: "norms of queries (q_norm_weight)",
    15: "norms of keys (k_norm_weight)",
    16: "padded chunks (query_seqlens)",
}

_REFUSED_FLAGS = {
    "causal": 1,
    "qk_output": 0,
}
"""Attributes with the value that is read; another one means another computation."""


def _grouped(node: Node) -> Results:
    """The attention, and the caches of keys and values with the new ones."""
    _refuse(node)
    queries, keys, values = _heads_of(node)
    batch, _, count, _ = shape_of(queries)
    rows = rows_of(node, batch, count)
    if node.flag("do_rotary"):
        queries, keys = _rotated(node, rows, queries, keys)
    groups, depth = shape_of(keys)[1], shape_of(keys)[3]
    of_keys = cache_steps(node, 12, "k_quant_type", groups, depth)
    of_values = cache_steps(node, 13, "v_quant_type", groups, depth)
    bits = node.integer("kv_cache_bit_width")
    if bits and of_keys is None and of_values is None:
        raise node.error(
            f"expected a k_quant_type for a cache of {bits} bits, got NONE"
        )
    seen_keys, all_keys = with_past(node, keys, 3, rows, of_keys)
    seen_values, all_values = with_past(node, values, 4, rows, of_values)
    attended = _attended(node, rows, queries, seen_keys, seen_values)
    return [attended, all_keys, all_values]


def _refuse(node: Node) -> None:
    """Raises `Unsupported` for what ONNX Runtime has beside this attention."""
    for place, what in _REFUSED_INPUTS.items():
        if node.has(place):
            raise Unsupported(what)
    for name, wanted in _REFUSED_FLAGS.items():
        if (got := node.integer(name)) != wanted:
            raise Unsupported(f"{name} = {got}")
    if node.has(3) != node.has(4):
        raise node.error("expected keys and values of calls before, got one of them")
    if (size := node.integer("local_window_size")) < 1 and size != -1:
        raise node.error(f"expected local_window_size of 1 or more, or -1, got {size}")
    if (flag := node.integer("smooth_softmax")) not in (-1, 0, 1):
        raise node.error(f"expected smooth_softmax of 0 or 1, or -1, got {flag}")


def _heads_of(node: Node) -> tuple[SSAValue, SSAValue, SSAValue]:
    """The queries, keys and values: batch x heads x positions x elements each."""
    heads, groups = node.integer("num_heads"), node.integer("kv_num_heads")
    if heads < 1 or groups < 1 or heads % groups:
        raise node.error(f"expected heads in equal groups, got {heads} in {groups}")
    if node.rank(0) != 3:
        raise node.error(f"expected queries of rank 3, got {node.type(0)}")
    batch, count, width = node.shape(0)
    is_packed = not node.has(1)
    if is_packed == node.has(2):
        raise node.error("expected keys and values, or none, got one of them")
    among = heads + 2 * groups if is_packed else heads
    if not isinstance(width, int) or width < 1 or width % among:
        raise node.error(f"expected rows of {among} heads, got {node.type(0)}")
    depth = width // among
    if is_packed:
        every = in_heads(node.operand(0), among)
        starts = ((0, heads), (heads, groups), (heads + groups, groups))
        queries, keys, values = (part(every, 1, *each) for each in starts)
        return queries, keys, values
    wanted = (batch, count, groups * depth)
    given: list[SSAValue] = []
    for place in (1, 2):
        if count != 0 and node.rank(place) == 3 and node.shape(place)[1] == 0:
            raise Unsupported("keys and values of another layer")
        given.append(fitted(node, node.operand(place), wanted, "keys or values"))
    queries, keys, values = in_heads(node.operand(0), heads), *given
    return queries, in_heads(keys, groups), in_heads(values, groups)


def _rotated(
    node: Node, rows: Rows, queries: SSAValue, keys: SSAValue
) -> tuple[SSAValue, SSAValue]:
    """
    The queries and keys turned by the angles of their positions.

    Of `position_ids` a prompt uses the first element, from which all its rows count.
    """
    if not (node.has(7) and node.has(8)):
        raise node.error("expected cos_cache and sin_cache for do_rotary, got none")
    if any(node.rank(each) != 2 for each in (7, 8)):
        raise node.error(f"expected tables, got {node.type(7)} and {node.type(8)}")
    half, depth = node.shape(7)[1], shape_of(queries)[3]
    if not isinstance(half, int) or not isinstance(depth, int) or half * 2 > depth:
        raise node.error(
            f"expected angles for at most {depth} elements, got {node.type(7)}"
        )
    node.agreed(half, node.shape(8)[1])
    steps = counted(rows.count, 1, 2)
    batch = shape_of(queries)[0]
    places = AddOp(reshaped(rows.starts, [batch, 1]), steps).result
    if node.has(9):
        given = fitted(
            node, convert(node.operand(9), i64), (batch, rows.count), "position_ids"
        )
        places = _given_places(rows, given, steps)
    tables = node.operand(7), node.operand(8)
    is_interleaved = node.flag("rotary_interleaved")
    one, other = (
        turned(each, tables, places, is_interleaved=is_interleaved)
        for each in (queries, keys)
    )
    return one, other


def _given_places(rows: Rows, given: SSAValue, steps: SSAValue) -> SSAValue:
    """Builds the given positions, in a prompt those that follow the first of all."""
    if rows.is_first == 0:
        return given
    flat = reshaped(given, [product(shape_of(given))])
    none = expanded(number_like(0, flat), [1])  # where the batch has no rows
    first = part(ConcatOp(flat, none, axis=0).result, 0, 0, 1)
    counting = AddOp(reshaped(first, [1, 1]), steps)
    is_first = truths(quantity(rows.is_first, i64))
    return WhereOp(is_first, counting, given).result


def _attended(
    node: Node, rows: Rows, queries: SSAValue, keys: SSAValue, values: SSAValue
) -> SSAValue:
    """
    Builds the means of values for each query, heads side by side.

    Queries have an axis of groups, batch x groups x heads of it x positions x elements,
    so that no keys are repeated.
    """
    batch, heads, count, depth = shape_of(queries)
    groups, present = shape_of(keys)[1:3]
    assert isinstance(depth, int), "the sizes of heads are numbers"
    assert isinstance(heads, int), "heads are numbers"
    assert isinstance(groups, int), "heads are numbers"
    sharing = heads // groups
    factor = node.number("scale") or 1 / sqrt(depth)
    apart = reshaped(queries, [batch, groups, sharing, count, depth])
    alone = [batch, groups, 1, present, depth]
    across = permuted(reshaped(keys, alone), (0, 1, 2, 4, 3))
    scores = MatmulOp(times(apart, factor), across).result
    if softcap := node.number("softcap"):
        scores = activation.scaled_tanh(scores, softcap, 1 / softcap)
    if node.has(10):
        scores = AddOp(scores, _bias(node, rows, sharing)).result
    kept = _kept(node, rows, batch)
    scores = WhereOp(kept, scores, number_like(-inf, scores)).result
    weights = _weights(node, scores)
    result = MatmulOp(weights, reshaped(values, alone)).result
    result = reshaped(result, [batch, heads, count, depth])
    return reshaped(permuted(result, (0, 2, 1, 3)), [batch, count, heads * depth])


def _kept(node: Node, rows: Rows, batch: Dim) -> SSAValue:
    """
    Builds whether a query sees a key: batch x 1 x 1 x positions x places.

    A query sees its own position and those before it, with a window as many as the
    window has. A padded query sees what the last one of its row sees.
    """
    lengths, before = (
        reshaped(each, [batch, 1, 1, 1, 1]) for each in (rows.lengths, rows.before)
    )
    ends = AddOp(before, plus(counted(rows.count, 3, 5), 1))
    limits = MinimumOp(ends, lengths).result
    places = counted(rows.seen, 4, 5)
    kept = LtOp(places, limits).result
    window = node.integer("local_window_size")
    if window > 0:
        kept = LogicalAndOp(kept, GeOp(places, plus(limits, -window))).result
    return kept


def _bias(node: Node, rows: Rows, sharing: int) -> SSAValue:
    """Builds what is added to scores, with heads in groups, as long as the cache."""
    bias, total = node.operand(10), node.dimension(6)
    if node.rank(10) != 4 or node.shape(10)[1] not in (1, node.integer("num_heads")):
        raise node.error(f"expected a bias for each head, got {node.type(10)}")
    outer, heads, _, _ = shape_of(bias)
    bias = fitted(node, bias, (outer, heads, rows.count, total), "a bias")
    assert isinstance(heads, int), "heads are numbers"
    split = (1, 1) if heads == 1 else (heads // sharing, sharing)
    if rows.present != total:
        missing = [outer, heads, rows.count, rows.present - total]
        bias = ConcatOp(bias, expanded(number_like(0, bias), missing), axis=3).result
    return reshaped(bias, [outer, *split, rows.count, rows.present])


def _weights(node: Node, scores: SSAValue) -> SSAValue:
    """
    Builds the softmax of scores; with a sink, a number for each head, as if there were
    one more key of that score, and one of zero with `smooth_softmax`.
    """
    batch, groups, sharing, count, present = shape_of(scores)
    if not (node.has(11) or node.integer("smooth_softmax") == 1):
        return SoftmaxOp(scores, axis=4).result
    sink = number_like(0, scores)
    if node.has(11):
        if node.shape(11) != (node.integer("num_heads"),):
            raise node.error(f"expected a sink for each head, got {node.type(11)}")
        sink = reshaped(node.operand(11), [1, groups, sharing, 1, 1])
    sink = expanded(sink, [batch, groups, sharing, count, 1])
    weights = SoftmaxOp(ConcatOp(scores, sink, axis=4), axis=4).result
    return part(weights, 4, 0, present)


HANDLERS: dict[str, Handler] = {"GroupQueryAttention": _grouped}
