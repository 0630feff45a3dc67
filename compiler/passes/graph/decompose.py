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
requirement on sizes that the parts do not repeat becomes a `graph.require`. Where
several parts would round floats of 16 bits, all are of f32, and one cast rounds.
"""

from __future__ import annotations

from collections.abc import Container, Sequence
from dataclasses import dataclass

from xdsl.builder import ImplicitBuilder
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import PatternRewriter, PatternRewriteWalker, RewritePattern
from xdsl.rewriter import InsertPoint

from ....dialects import Dim, is_nonnegative
from ....dialects.graph import GraphOp, RequireOp
from ....dialects.graph.compose import reshaped, rounding, shape_of


class _DecomposeOp(RewritePattern):
    """Replaces one op by its parts."""

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter, /) -> None:
        if not isinstance(op, GraphOp) or type(op).decompose is GraphOp.decompose:
            return
        if op.nests() is not None:
            return
        built = Block()
        results = _parts(op, built)
        if results is None:
            return
        with ImplicitBuilder(built):
            # Sizes that agree may have another form.
            results = [
                each if each.type == result.type else reshaped(each, shape_of(result))
                for each, result in zip(results, op.results, strict=True)
            ]
        for each in built.ops:
            each.location = op.location
        repeated = {
            each.value
            for part in built.ops
            if isinstance(part, GraphOp)
            for each in part.all_requirements()
        }
        keep_requirements(op, repeated, op)
        rewriter.inline_block(built, InsertPoint.before(op))
        rewriter.replace(op, [], results)


def _parts(op: GraphOp, built: Block) -> Sequence[SSAValue] | None:
    """
    Builds the parts of an op; what replaces its results, or None where it has no parts.
    """
    with ImplicitBuilder(built):
        results = op.decompose()
    count = sum(map(rounding.rounds, _graph_ops(built)))
    if count <= 1 or not any(map(rounding.is_half, op.results)):
        return results
    # Several of the parts would round: so they compute in f32, and one cast rounds.
    for each in reversed(list(built.ops)):
        built.erase_op(each, safe_erase=False)
    with ImplicitBuilder(built):
        operands = [rounding.widened(each) for each in op.operands]
    inside = rounding.remade(op, operands)
    with ImplicitBuilder(built):
        found = inside.decompose()
        assert found is not None, "an op has parts whatever its elements are"
        results = [
            rounding.narrowed(value, result.type)
            for value, result in zip(found, op.results, strict=True)
        ]
    inside.erase()
    return results


def _graph_ops(block: Block) -> list[GraphOp]:
    """The graph ops of a block."""
    return [each for each in block.ops if isinstance(each, GraphOp)]


def keep_requirements(op: GraphOp, repeated: Container[Dim], before: Operation) -> None:
    """
    Adds checks of what `op` requires, and nothing in its place repeats, before an op.
    """
    block = before.parent
    assert block is not None, "the op is part of a function"
    for each in op.all_requirements():
        if not is_nonnegative(each.value, {}) and each.value not in repeated:
            check = RequireOp.of(each, op.name)
            check.location = op.location
            block.insert_op_before(check, before)


@dataclass(frozen=True)
class Decompose(ModulePass):
    """Replaces ops without loop nests by simpler ops."""

    name = "decompose"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        PatternRewriteWalker(_DecomposeOp()).rewrite_module(op)
        rounding.narrow_casts(op.walk())
