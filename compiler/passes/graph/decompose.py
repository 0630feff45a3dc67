"""
Replace every op that has no loops of its own by the simpler ops that it is made of.

Before:

    %2 = graph.linear %0, %1 : tensor<2x3xf32>, tensor<5x3xf32> -> tensor<2x5xf32>

After:

    %t = graph.permute %1 {order = array<i64: 1, 0>}
        : tensor<5x3xf32> -> tensor<3x5xf32>
    %2 = graph.matmul %0, %t : tensor<2x3xf32>, tensor<3x5xf32> -> tensor<2x5xf32>

The parts are what the op's own `decompose` builds, again until nothing decomposes. From
here every op has loops, is a view, or is a fallback that runs its reference.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.builder import ImplicitBuilder
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, Operation
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import PatternRewriter, PatternRewriteWalker, RewritePattern
from xdsl.rewriter import InsertPoint

from ....dialects.graph.op import GraphOp


class DecomposeOp(RewritePattern):
    """Replaces one op by its parts."""

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter, /) -> None:
        if not isinstance(op, GraphOp) or op.nests() is not None:
            return
        with ImplicitBuilder(built := Block()):
            results = op.decompose()
        if results is None:
            return
        for each in built.ops:
            each.location = op.location
        rewriter.inline_block(built, InsertPoint.before(op))
        rewriter.replace(op, [], list(results))


@dataclass(frozen=True)
class Decompose(ModulePass):
    """Replaces ops by the simpler ops that they are made of."""

    name = "decompose"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        PatternRewriteWalker(DecomposeOp()).rewrite_module(op)
