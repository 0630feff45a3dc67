"""
Freeze a model for inference: attributes become weights, dropout is removed.

Before:

    %0 = graph.get_attr "fc.weight" : tensor<2x3xf32>
    %1 = graph.dropout %x {ratio = 0.5 : f64} : tensor<2x3xf32> -> tensor<2x3xf32>
    %2 = graph.add %1, %0 : tensor<2x3xf32>, tensor<2x3xf32> -> tensor<2x3xf32>

After:

    %0 = graph.weight "fc.weight" : tensor<2x3xf32>
    %2 = graph.add %x, %0 : tensor<2x3xf32>, tensor<2x3xf32> -> tensor<2x3xf32>

From here no state of the model changes between runs, so that ops that depend on weights
alone can be folded. Dropout is the identity outside training.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import (
    GreedyRewritePatternApplier,
    PatternRewriter,
    PatternRewriteWalker,
    RewritePattern,
    op_type_rewrite_pattern,
)

from ....dialects import tensor_type
from ....dialects.graph import DropoutOp, GetAttrOp, WeightOp


class _FreezeAttribute(RewritePattern):
    """Replaces an attribute of the model by the weight of the same key."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: GetAttrOp, rewriter: PatternRewriter, /) -> None:
        weight = WeightOp(op.key.data, tensor_type(op.result))
        weight.location = op.location
        rewriter.replace(op, weight)


class _RemoveDropout(RewritePattern):
    """Replaces dropout by its input."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: DropoutOp, rewriter: PatternRewriter, /) -> None:
        rewriter.replace(op, [], [op.input])


@dataclass(frozen=True)
class Freeze(ModulePass):
    """
    Makes attributes of the model constant, and removes ops that only training needs.
    """

    name = "freeze"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        patterns = GreedyRewritePatternApplier([_FreezeAttribute(), _RemoveDropout()])
        PatternRewriteWalker(patterns, apply_recursively=False).rewrite_module(op)
