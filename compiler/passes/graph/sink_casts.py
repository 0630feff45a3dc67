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

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter

from ....dialects.graph import CastOp, FusionOp, GraphOp
from ..narrow_reads import sink


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
                if isinstance(user, GraphOp) and (last := sink(user)) is not None:
                    casts.append(last)
            _split(found)
        for each in seen:
            if not list(each.result.uses):
                Rewriter.erase_op(each)


def _split(cast: CastOp) -> None:
    """Gives each user of a cast one of its own."""
    for use in list(cast.result.uses)[1:]:
        copy = cast.clone()
        copy.location = cast.location
        Rewriter.insert_op(copy, InsertPoint.before(cast))
        use.operation.operands[use.index] = copy.result
