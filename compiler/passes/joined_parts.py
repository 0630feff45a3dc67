"""
Tell whether ops after a concatenation are computed with each of its parts.

    %1 = graph.concat %a, %b        for each element of %a: store gelu(it * scale)
    %2 = graph.mul %1, %scale       for each element of %b: store gelu(it * scale)
    %3 = graph.gelu %2

The kernel has a nest for each part, and reads what else it needs at the place of that
part in the whole: a rotary embedding, which multiplies by a tensor whose halves are
exchanged, is one kernel. It pays where lines of a part are as long as a vector, since
what is computed of the whole has long lines; and where no part is a reduction, whose
epilogue would grow. A padding is a concatenation of the borders and the middle.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set

from xdsl.ir import Block, Operation

from ...dialects import Dim, product, sizes, tensor_type, total
from ...dialects.graph import GraphOp, Nest, Read, axes, same
from ...dialects.graph.few_bits import makes_factor
from ...dialects.kernel import are_in_step, arrange, is_own, is_plain
from .candidates import LIMIT, Candidate, is_line, only_reads

_MOST_PARTS = 8
"""Parts of what is joined; the code of the ops after it is there for each of them."""


def can_join(
    user: Candidate,
    producer: Candidate,
    nests: Mapping[GraphOp, Sequence[Nest]],
    order: Mapping[GraphOp, int],
) -> bool:
    """
    Whether all ops of a candidate can be computed with each part of another, whose
    result only they read; `nests` are those of all ops, `order` is that in the block.
    """
    op, parts = producer.ops[-1], producer.joined_parts
    if not parts or len(parts) > _MOST_PARTS:
        return False
    if len(user.nests) != 1 or len(user.ops) + len(producer.ops) > LIMIT:
        return False
    if any(each.reducing or each.looks_up for each in (user, producer)):
        return False
    if user.parts and not are_in_step(user.parts, parts):
        return False
    if all(only_reads(each) or makes_factor(each) for each in user.ops):
        return False
    return _are_lines(parts, sizes(tensor_type(op.results[0]))) and (
        _reads_at_own_points(op, {*user.ops, *producer.ops}, user.ops[-1], nests, order)
    )


def _are_lines(parts: Sequence[Nest], shape: Sequence[Dim]) -> bool:
    """
    Whether nests write each element of a result of this shape once, and each of them in
    lines that are as long as a vector.
    """
    count = total(product(each.bounds) for each in parts)
    return count == product(shape) and all(
        is_plain(each) and is_line(_line(each.bounds, shape)) for each in parts
    )


def _line(bounds: Sequence[Dim], shape: Sequence[Dim]) -> int:
    """How many elements of a part lie side by side in the whole, as far as is known."""
    line = 1
    for bound, size in zip(reversed(bounds), reversed(shape), strict=True):
        line *= bound if isinstance(bound, int) else 1
        if bound != size:
            break
    return line


def _reads_at_own_points(
    op: GraphOp,
    ops: Set[GraphOp],
    root: GraphOp,
    nests: Mapping[GraphOp, Sequence[Nest]],
    order: Mapping[GraphOp, int],
) -> bool:
    """
    Whether a point of the last op reads one element, its own, of what ops among these
    join, and no part of that reads the result of `op`.
    """
    reached, joined = dict[GraphOp, Sequence[Nest]](), list[GraphOp]()
    waiting: list[Operation | Block] = [root]
    while waiting:
        each = waiting.pop()
        if not isinstance(each, GraphOp) or each not in ops or each in reached:
            continue
        reached[each] = nests[each]
        if len(nests[each]) == 1:
            waiting += [operand.owner for operand in each.operands]
        else:
            joined.append(each)
            own = axes(len(shape := sizes(tensor_type(each.results[0]))))
            reached[each] = [Nest(shape, (Read(0, own),), same, own)]
    after = reached.keys() - {*joined}
    if any(use.operation not in after for use in op.results[0].uses):
        return False
    stages = arrange({e: reached[e] for e in sorted(reached, key=order.__getitem__)})
    return stages is not None and all(
        shape == stages.bounds and is_own(stages.coordinates[value], shape)
        for value in (each.results[0] for each in joined)
        for shape in [sizes(tensor_type(value))]
    )
