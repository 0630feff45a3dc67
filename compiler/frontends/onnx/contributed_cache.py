"""
The cache of keys and values of `com.microsoft`'s attention in groups.

A row of the batch has a past of its own length: new keys and values come after it, and
what is after these in the cache is zero. As in ONNX Runtime's kernel for CPUs, a call
with as many new positions as there are in total is a prompt, which starts at the first
position whatever is in the cache, and whose rows may be padded at their ends.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.dialects.builtin import i64
from xdsl.ir import SSAValue

from ....dialects import Dim, conditions, maximum, tensor_type
from ....dialects.graph import (
    AddOp,
    ConcatOp,
    GeOp,
    IndexSelectOp,
    LeOp,
    LogicalAndOp,
    LtOp,
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
from .node import Node

_NOWHERE = -(1 << 48)
"""A place that no cache has, so that its look-up is an error when the model runs."""


@dataclass(frozen=True)
class Rows:
    """Where the rows of a batch are in the cache."""

    before: SSAValue
    """How many positions each row has before the new ones; batch, i64."""

    lengths: SSAValue
    """How many positions each row has in total, without padding; batch, i64."""

    count: Dim
    """How many new positions there are."""

    past: Dim
    """How many positions the given cache has."""

    present: Dim
    """How many positions the cache has that is a result."""

    is_first: Dim
    """Whether the call is a prompt, as a condition on sizes."""


def fitted(node: Node, x: SSAValue, shape: Sequence[Dim], what: str) -> SSAValue:
    """
    Builds `x`, which is `what`, with sizes in the form of `shape`, which they must
    equal in every run; raises `CompileError` if they never do.
    """
    wanted = "x".join(map(str, shape))
    problem = f"expected {what} of sizes {wanted}, got {tensor_type(x)}"
    if len(shape_of(x)) != len(shape):
        raise node.error(problem)
    for each, size in zip(shape_of(x), shape, strict=True):
        node.agreed(each, size, problem)
    return reshaped(x, shape)


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
    before = times(plus(lengths, -1 * count), 1 - is_first)
    return Rows(before, lengths, count, past, maximum(total, past), is_first)


def places_of(rows: Rows, batch: Dim) -> SSAValue:
    """
    For each row and position of the result, its place in what the given cache, the new
    rows and a row of zeros are when joined; batch x present.

    A length that the caches do not have has places that no cache has.
    """
    before = reshaped(rows.before, [batch, 1])
    lengths = reshaped(rows.lengths, [batch, 1])
    positions = counted(rows.present, 1, 2)
    new = SubOp(positions, before).result
    zeros = number_like(rows.past + rows.count, positions)
    is_new = LtOp(new, number_like(rows.count, new))
    after = WhereOp(is_new, plus(new, rows.past), zeros)
    places = WhereOp(LtOp(positions, before), positions, after)
    bounds = (
        GeOp(before, number_like(0, before)),
        LeOp(before, number_like(rows.past, before)),
        GeOp(lengths, number_like(1, lengths)),
        LeOp(lengths, number_like(rows.present, lengths)),
    )
    holds = bounds[0].result
    for each in bounds[1:]:
        holds = LogicalAndOp(holds, each).result
    return WhereOp(holds, places, number_like(_NOWHERE, positions)).result


def with_past(
    node: Node, new: SSAValue, place: int, rows: Rows, places: SSAValue
) -> SSAValue:
    """Builds the new keys or values after those before, and zeros after them."""
    batch, groups, _, depth = shape_of(new)
    parts = [new, expanded(number_like(0, new), [batch, groups, 1, depth])]
    if node.has(place):
        if node.element(place) != node.element(0):
            raise Unsupported(f"a cache {node.type(place)} of {node.type(0)}")
        wanted = (batch, groups, rows.past, depth)
        parts.insert(0, fitted(node, node.operand(place), wanted, "a cache"))
    every = ConcatOp(*parts, axis=2).result
    length = shape_of(every)[2]
    flat = reshaped(every, [batch * groups * length, depth])
    starts = times(counted(batch * groups, 0, 1), length)
    starts = reshaped(starts, [batch, groups, 1])
    apart = AddOp(starts, reshaped(places, [batch, 1, rows.present]))
    return IndexSelectOp(flat, apart, axis=0, wraps=False).result
