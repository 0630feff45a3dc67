"""
Write beside each result which values share its memory, and while which ops it lives.

Before:

    %0 = graph.relu %x : tensor<2x3xf32> -> tensor<2x3xf32>
    %1 = graph.reshape %0 {shape = ["6"]} : tensor<2x3xf32> -> tensor<6xf32>
    %2 = graph.neg %1 : tensor<6xf32> -> tensor<6xf32>

After:

    %0 = graph.relu %x {
        graph.lifetimes = [#graph.lifetime<group = 0, first = 0, last = 2>]} : …
    %1 = graph.reshape %0 {shape = ["6"],
        graph.lifetimes = [#graph.lifetime<group = 0, first = 0, last = 2>]} : …
    %2 = graph.neg %1 {
        graph.lifetimes = [#graph.lifetime<group = 1, first = 2, last = 3>]} : …

A group is a value and the views of it; it lives from the op that computes it to the
last op that uses any of them, both included, so that no op writes where it reads.
Returning counts as a use. The groups are Static Runtime's `ValueGroup`s and
`ManagedTensorRanges`.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import func
from xdsl.dialects.builtin import ArrayAttr, ModuleOp
from xdsl.ir import Block, SSAValue
from xdsl.passes import ModulePass

from ....dialects.graph.buffer import LIFETIMES, LifetimeAttr
from .own_outputs import root_of


@dataclass(frozen=True)
class AnalyzeAliases(ModulePass):
    """Finds the groups of values that share memory, and how long each lives."""

    name = "analyze-aliases"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for function in [each for each in op.walk() if isinstance(each, func.FuncOp)]:
            if not function.is_declaration:
                analyze(function.body.block)


def analyze(block: Block) -> None:
    """Writes the lifetimes of the results of every op of a block."""
    ops = list(block.ops)
    last: dict[SSAValue, int] = {}
    for place, op in enumerate(ops):
        for value in (*op.operands, *op.results):
            last[root_of(value)] = place
    place_of = {op: place for place, op in enumerate(ops)}
    groups: dict[SSAValue, int] = {}
    for op in ops:
        lifetimes: list[LifetimeAttr] = []
        for result in op.results:
            root = root_of(result)
            group = groups.setdefault(root, len(groups))
            # An argument lives before the first op, and is nobody's to plan.
            owner = root.owner
            first = 0 if isinstance(owner, Block) else place_of[owner]
            lifetimes.append(LifetimeAttr.of(group, first, last[root]))
        if lifetimes:
            op.attributes[LIFETIMES] = ArrayAttr(lifetimes)
