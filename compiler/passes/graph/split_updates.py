"""
Copy an input that an op updates by an op of its own.

Before:

    %0 = graph.scatter %cache, %at, %row {…} : … -> tensor<512x64xf32>
    func.return %0

After:

    %0 = graph.copy %cache : tensor<512x64xf32> -> tensor<512x64xf32>
    %1 = graph.scatter %0, %at, %row {…} : … -> tensor<512x64xf32>
    func.return %1

The kernel of such an op copies its operand whole, and then updates some elements. Once
the copy is a call of its own, `reuse-operands` lets the op update it in place, and the
copy is left out when the caller gives the input's memory for the output
(`analyze-donations`). Only inputs that become outputs are split: elsewhere one kernel
is as good.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import BlockArgument, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter

from ....dialects.graph import CopyOp, GraphOp, root_of
from ....dialects.kernel import group_of, updated_operand
from ..defined_functions import defined_functions


@dataclass(frozen=True)
class SplitUpdates(ModulePass):
    """Lets inputs that are updated and returned be copied by an op of its own."""

    name = "split-updates"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for function in defined_functions(op):
            _split(function)


def _split(function: func.FuncOp) -> None:
    """Splits the updates of the inputs of one function."""
    block = function.body.block
    end = block.last_op
    assert end is not None
    returned = {root_of(each) for each in end.operands}
    for op in list(block.ops):
        if not isinstance(op, GraphOp) or returned.isdisjoint(op.results):
            continue
        inputs = [each for each in op.operands if _is_input(each, function)]
        if not inputs or len(op.results) != 1 or (group := group_of(op)) is None:
            continue
        updated = updated_operand(group)
        if updated is None or updated not in inputs:
            continue
        if list(op.operands).count(updated) > 1:
            continue
        copy = CopyOp(updated)
        copy.location = op.location
        Rewriter.insert_op(copy, InsertPoint.before(op))
        op.operands[list(op.operands).index(updated)] = copy.result


def _is_input(value: SSAValue, function: func.FuncOp) -> bool:
    """Whether a value is an input of the function, or a view of one."""
    root = root_of(value)
    return isinstance(root, BlockArgument) and root.owner is function.body.block
