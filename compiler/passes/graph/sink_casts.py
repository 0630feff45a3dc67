"""
Move a cast that only widens elements behind ops that only move them, and give each user
a cast of its own.

Before:

    %1 = graph.cast %0 {to = i32} : tensor<3x5xsi8> -> tensor<3x5xi32>
    %2 = graph.permute %1 {order = array<i64: 1, 0>} : … -> tensor<5x3xi32>
    %3 = graph.pad %1 {low = array<i64: 0, 1>, …} : … -> tensor<3x6xi32>

After:

    %1 = graph.permute %0 {order = array<i64: 1, 0>} : … -> tensor<5x3xsi8>
    %2 = graph.cast %1 {to = i32} : tensor<5x3xsi8> -> tensor<5x3xi32>
    %3 = graph.pad %0 {low = array<i64: 0, 1>, …} : … -> tensor<3x6xsi8>
    %4 = graph.cast %3 {to = i32} : tensor<3x6xsi8> -> tensor<3x6xi32>

Such a cast is what a load of the narrow element does anyway (`CastOp.only_widens`):
where its user loads it, it costs nothing, and the tensor takes a quarter of the memory.
So `fuse` moves it into its user, a contraction too, as long as it has no other. Numbers
stay the same: a moved element is widened to the same value, and what a padding adds
must be a value of the narrow type.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter
from xdsl.utils.exceptions import VerifyException

from ....dialects import tensor_type, with_element
from ....dialects.graph import CastOp, FusionOp, GraphOp
from ..narrow_reads import moves


@dataclass(frozen=True)
class SinkCasts(ModulePass):
    """Lets ops that only move elements move narrow ones."""

    name = "sink-casts"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        casts = [e for e in op.walk() if isinstance(e, CastOp) and e.only_widens]
        seen: list[CastOp] = []
        while casts:
            seen.append(found := casts.pop())
            if isinstance(found.parent_op(), FusionOp):
                continue
            for use in list(found.result.uses):
                user = use.operation
                if isinstance(user, GraphOp) and (last := _sink(user)) is not None:
                    casts.append(last)
            _split(found)
        for each in seen:
            if not list(each.result.uses):
                Rewriter.erase_op(each)


def _sink(op: GraphOp) -> CastOp | None:
    """Puts the casts of all operands of an op behind it, where they may be there."""
    if len(op.results) != 1 or op.regions or not (op.IS_VIEW or moves(op)):
        return None
    sources = _sources(op)
    if sources is None:
        return None
    result = op.results[0]
    narrow = tensor_type(sources[0]).element_type
    copy = op.clone(dict(zip(op.operands, sources, strict=True)))
    type = with_element(tensor_type(result), narrow)
    Rewriter.replace_value_with_new_type(copy.results[0], type)
    try:
        copy.verify()
    except VerifyException:
        # A padding has a value that the narrow type lacks.
        copy.erase()
        return None
    copy.location = op.location
    cast = CastOp(copy.results[0], to=tensor_type(result).element_type)
    cast.location = op.location
    Rewriter.insert_op([copy, cast], InsertPoint.before(op))
    Rewriter.replace_op(op, [], [cast.result])
    return cast


def _sources(op: GraphOp) -> Sequence[SSAValue] | None:
    """What the operands of an op are widened from, if all are, and from one type."""
    found: list[SSAValue] = []
    for each in op.operands:
        if not isinstance(each.owner, CastOp) or not each.owner.only_widens:
            return None
        found.append(each.owner.input)
    types = {tensor_type(each).element_type for each in found}
    return found if len(types) == 1 else None


def _split(cast: CastOp) -> None:
    """Gives each user of a cast one of its own."""
    for use in list(cast.result.uses)[1:]:
        copy = cast.clone()
        copy.location = cast.location
        Rewriter.insert_op(copy, InsertPoint.before(cast))
        use.operation.operands[use.index] = copy.result
