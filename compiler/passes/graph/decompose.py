"""
Replace every op that has no loop nests of its own by simpler ops.

Before:

    %2 = graph.linear %0, %1 : tensor<2x3xf32>, tensor<5x3xf32> -> tensor<2x5xf32>

After:

    %t = graph.permute %1 {order = array<i64: 1, 0>}
        : tensor<5x3xf32> -> tensor<3x5xf32>
    %2 = graph.matmul %0, %t : tensor<2x3xf32>, tensor<3x5xf32> -> tensor<2x5xf32>

Each op's own `decompose` builds its parts, repeatedly until nothing decomposes. From
here every op has loop nests, is a view, or is a fallback that runs its reference. A
requirement on sizes that the parts do not repeat becomes a check of the function.
"""

from __future__ import annotations

from collections.abc import Container
from dataclasses import dataclass

from xdsl.builder import ImplicitBuilder
from xdsl.context import Context
from xdsl.dialects import func
from xdsl.dialects.builtin import ArrayAttr, ModuleOp, StringAttr
from xdsl.ir import Block, Operation
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import PatternRewriter, PatternRewriteWalker, RewritePattern
from xdsl.rewriter import InsertPoint
from xdsl.utils.hints import isa

from ....dialects import Dim
from ....dialects.graph import CHECKS, GraphOp, describe


class _DecomposeOp(RewritePattern):
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
        repeated = {
            each.value
            for part in built.ops
            if isinstance(part, GraphOp)
            for each in part.requirements()
        }
        keep_requirements(op, repeated)
        rewriter.inline_block(built, InsertPoint.before(op))
        rewriter.replace(op, [], list(results))


def keep_requirements(op: GraphOp, repeated: Container[Dim] = ()) -> None:
    """
    Turns the requirements of `op` that nothing in its place repeats into checks of the
    function.
    """
    new = [
        StringAttr(text)
        for each in op.requirements()
        if not isinstance(each.value, int) and each.value not in repeated
        for text in (str(each.value), f"{describe(op)}: {each.message}")
    ]
    function = op.parent_op()
    while function is not None and not isinstance(function, func.FuncOp):
        function = function.parent_op()
    if new and function is not None:
        known = function.attributes.get(CHECKS, ArrayAttr([]))
        assert isa(known, ArrayAttr[StringAttr])
        function.attributes[CHECKS] = ArrayAttr([*known.data, *new])


@dataclass(frozen=True)
class Decompose(ModulePass):
    """Replaces ops without loop nests by simpler ops."""

    name = "decompose"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        PatternRewriteWalker(_DecomposeOp()).rewrite_module(op)
