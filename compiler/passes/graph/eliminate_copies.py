"""
Remove copies of loop-carried values where the old value is no longer needed.

Before:

    %2 = graph.loop %0, %x {trips = "5", carried = 1 : i64, ...} : ... {
    ^bb0(%h: tensor<3xf32>, %w: tensor<3xf32>):
      %a = graph.exp %h : tensor<3xf32> -> tensor<3xf32>
      %b = graph.matmul %a, %w : ...
      %c = graph.copy %b : tensor<3xf32> -> tensor<3xf32>
      graph.yield %c : tensor<3xf32>
    }

After:

      %a = graph.exp %h : tensor<3xf32> -> tensor<3xf32>
      %b = graph.matmul %a, %w : ...
      graph.yield %b : tensor<3xf32>

`own-outputs` adds a copy at the end of each trip. It is removed when the new value is
computed after the last read of the old one, and has no other use. This runs after
`fuse`, which decides which kernel reads a value.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import Rewriter

from ....dialects.graph import CopyOp, LoopOp, is_computed, root_of


@dataclass(frozen=True)
class EliminateCopies(ModulePass):
    """Removes unneeded copies at the end of a loop."""

    name = "eliminate-copies"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for each in list(op.walk()):
            if isinstance(each, LoopOp):
                _eliminate(each)


def _eliminate(loop: LoopOp) -> None:
    """Removes the unneeded copies of one loop."""
    block = loop.body.block
    end = block.last_op
    assert end is not None
    position = {op: at for at, op in enumerate(block.ops)}
    reads: dict[SSAValue, list[int]] = {}
    for op, at in position.items():
        for operand in op.operands:
            reads.setdefault(root_of(operand), []).append(at)
    for number in range(loop.first, loop.first + loop.carried_count):
        copy = end.operands[number].owner
        if not isinstance(copy, CopyOp):
            continue
        value, old = copy.operands[0], loop.results[number - loop.first]
        producer = value.owner
        if (
            isinstance(producer, Operation)
            and producer.parent is block
            and is_computed(value)
            and root_of(value) is value
            and value.has_one_use()
            and not any(
                position[producer] <= at < position[copy] for at in reads.get(old, ())
            )
        ):
            Rewriter.replace_op(copy, [], [value])
