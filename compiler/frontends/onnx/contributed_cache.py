"""
The cache of keys and values of `com.microsoft`'s attention in groups.

A row of the batch has a past of its own length: new keys and values come after it, and
what is after these in the cache is zero. A cache of one size may drop what is before a
window of positions. As in ONNX Runtime's kernel for CPUs, a call
with as many new positions as there are in total is a prompt, which starts at the first
position whatever is in the cache, and whose rows may be padded at their ends.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.dialects.builtin import i64
from xdsl.ir import SSAValue

from ....dialects import Dim, conditions, maximum, tensor_type
from ....dialects.graph import (
    AddOp,
    ConcatOp,
    DivOp,
    GeOp,
    IndexSelectOp,
    LeOp,
    LogicalAndOp,
    LtOp,
    MaximumOp,
    SubOp,
    WhereOp,
)
from ....dialects.graph.compose import (
    convert,
    counted,
    expanded,
    number_like,
    plus,
    reshaped,
    shape_of,
    times,
)
from ..unsupported import Unsupported
from .contributed_cache_steps import CacheSteps
from .fitted import fitted
from .node import Node

_NOWHERE = -(1 << 48)
"""A place that no cache has, so that its look-up is an error when the model runs."""


@dataclass(frozen=True)
class Rows:
    """Where the rows of a batch are in the cache."""

    starts: SSAValue
    """The position of the first new element of each row; batch, i64."""

    before: SSAValue
    """How many places of the given cache each row has; batch, i64."""

    lengths: SSAValue
    """How many places each row has with the new ones, without padding; batch, i64."""

    count: Dim
    """How many new positions there are."""

    past: Dim
    """How many places the given cache has."""

    seen: Dim
    """How many places the keys have that queries see."""

    present: Dim
    """How many places the cache has that is a result."""

    is_first: Dim
    """Whether the call is a prompt, as a condition on sizes."""

    dropped: SSAValue | None = None
    """How many of its first places each row loses after the call, if it loses any."""


def rows_of(node: Node, batch: Dim, count: Dim) -> Rows:
    """
    Where the rows are: `seqlens_k` is one less than the length of each.

    Raises `Unsupported` where no size of the model is the total, `CompileError` for
    shapes that do not fit. Several new positions after a past need a batch of one row,
    as in ONNX Runtime: of padded rows nothing says how many positions they have.
    """
    total = node.dimension(6)
    past = node.shape(3)[2] if node.has(3) and node.rank(3) == 4 else 0
    is_first = conditions.equal(count, total)
    ends = convert(node.operand(5), i64)
    if node.rank(5) == 2 and node.shape(5)[1] == 1:
        ends = reshaped(ends, [node.shape(5)[0]])
    ends = fitted(node, ends, (batch,), "seqlens_k")
    node.require(
        total - count, "at least as many positions in total as new", total, count
    )
    is_chunk = conditions.both(1 - is_first, conditions.less(1, count))
    node.require(
        0 - conditions.both(is_chunk, conditions.less(1, batch)),
        "one row in the batch where several positions follow others",
        batch,
        count,
    )
    lengths = plus(ends, 1)
    starts = plus(lengths, -1 * count)
    if node.flag("sliding_window_cache"):
        return _sliding(node, lengths, starts, count, past, is_first)
    before = times(starts, 1 - is_first)
    present = maximum(total, past)
    return Rows(before, before, lengths, count, past, present, present, is_first)


def _sliding(
    node: Node,
    lengths: SSAValue,
    starts: SSAValue,
    count: Dim,
    past: Dim,
    is_first: Dim,
) -> Rows:
    """
    The rows of a cache of one size that drops what is before the window.

    What a cache of `C` places has after `T` positions depends on `T` alone, as ONNX
    Runtime's document says: the last `T` up to `C`, and beyond it those that are left
    when as many times `C - W + 1` are dropped as are needed, with a window of `W`.
    """
    window = node.integer("local_window_size")
    if window < 1:
        raise node.error(
            f"expected a local_window_size for sliding_window_cache, got {window}"
        )
    if node.has(10):
        raise Unsupported("sliding_window_cache with an attention_bias")
    message = "a cache as long as local_window_size or longer"
    if isinstance(past, int) and past < window:
        raise node.error(f"expected {message}, got {past} and {window}")
    node.require(past - window, message, past, window)

    def left(total: SSAValue) -> SSAValue:
        step = maximum(past - window + 1, 1)
        beyond = MaximumOp(plus(total, -1 * past), number_like(0, total)).result
        often = DivOp(plus(beyond, step - 1), number_like(step, total)).result
        return SubOp(total, times(often, step)).result

    before = left(starts)
    after = plus(before, count)
    dropped = SubOp(after, left(lengths)).result
    seen = past + count
    return Rows(starts, before, after, count, past, seen, past, is_first, dropped)


def with_past(
    node: Node, new: SSAValue, place: int, rows: Rows, steps: CacheSteps | None
) -> tuple[SSAValue, SSAValue]:
    """
    Builds the keys or values that queries see, and the cache that is a result: in each
    the new ones come after the given cache, and zeros after them.
    """
    held, to = node.element(0), tensor_type(new).element_type
    if steps is not None:
        held, new = steps.element, steps.kept(new)
    batch, groups, _, depth = shape_of(new)
    parts = [new, expanded(number_like(0, new), [batch, groups, 1, depth])]
    if node.has(place):
        if node.element(place) != held:
            raise Unsupported(f"a cache {node.type(place)} of {node.type(0)}")
        wanted = (batch, groups, rows.past, depth)
        parts.insert(0, fitted(node, node.operand(place), wanted, "a cache"))
    every = ConcatOp(*parts, axis=2).result
    seen = _selected(every, _places(rows, batch, rows.seen, None))
    kept = seen
    if rows.dropped is not None:
        kept = _selected(every, _places(rows, batch, rows.present, rows.dropped))
    return (seen if steps is None else steps.seen(seen, to)), kept


def _places(rows: Rows, batch: Dim, size: Dim, dropped: SSAValue | None) -> SSAValue:
    """
    For each row and place of the result, its place in what the given cache, the new
    rows and a row of zeros are when joined; batch x size.

    A length that the caches do not have has places that no cache has.
    """
    before, lengths, starts = (
        reshaped(each, [batch, 1]) for each in (rows.before, rows.lengths, rows.starts)
    )
    places = counted(size, 1, 2)
    if dropped is not None:
        places = AddOp(places, reshaped(dropped, [batch, 1])).result
    new = SubOp(places, before).result
    zeros = number_like(rows.past + rows.count, places)
    is_new = LtOp(new, number_like(rows.count, new))
    after = WhereOp(is_new, plus(new, rows.past), zeros)
    found = WhereOp(LtOp(places, before), places, after)
    bounds = (
        GeOp(starts, number_like(0, before)),
        LeOp(before, number_like(rows.past, before)),
        GeOp(lengths, number_like(1, lengths)),
        LeOp(lengths, number_like(rows.seen, lengths)),
    )
    holds = bounds[0].result
    for each in bounds[1:]:
        holds = LogicalAndOp(holds, each).result
    return WhereOp(holds, found, number_like(_NOWHERE, places)).result


def _selected(every: SSAValue, places: SSAValue) -> SSAValue:
    """Builds what each row of the batch has at its places, for each group."""
    batch, groups, length, depth = shape_of(every)
    flat = reshaped(every, [batch * groups * length, depth])
    starts = times(counted(batch * groups, 0, 1), length)
    starts = reshaped(starts, [batch, groups, 1])
    apart = AddOp(starts, reshaped(places, [batch, 1, shape_of(places)[1]]))
    return IndexSelectOp(flat, apart, axis=0, wraps=False).result
