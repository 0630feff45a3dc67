"""
Remove ops whose result equals their operand: a cast to the same type, a full slice.

Before:

    %1 = graph.reshape %0 {shape = ["2", "3"]} : tensor<2x3xf32> -> tensor<2x3xf32>
    %2 = graph.concat %1 {axis = 0 : i64} : tensor<2x3xf32> -> tensor<2x3xf32>
    %3 = graph.relu %2 : tensor<2x3xf32> -> tensor<2x3xf32>

After:

    %3 = graph.relu %0 : tensor<2x3xf32> -> tensor<2x3xf32>

The nest of such an op reads its operand at the position that it writes, and its body is
the identity. So no op is named here, and every kind of op is covered. (PyTorch's Static
Runtime has `EliminateNoOps` and `EliminateNoOpSlice`, for listed ops.)
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, TensorType
from xdsl.passes import ModulePass
from xdsl.rewriter import Rewriter

from ....dialects import sizes, tensor_type
from ....dialects.graph import CopyOp, GraphOp, Read, axes, same


def _does_nothing(op: GraphOp) -> bool:
    """Whether the only result equals the first operand, element for element."""
    if len(op.operands) != 1 or op.result_types != op.operand_types:
        return False
    if not isinstance(op.result_types[0], TensorType) or isinstance(op, CopyOp):
        return False
    if op.IS_VIEW:
        return True
    nests = op.nests()
    if nests is None:
        return False
    shape = sizes(tensor_type(op.results[0]))
    whole = nests[-1]
    stays = all(
        read == written or shape[axis] == 1
        for source in whole.sources
        if isinstance(source, Read)
        for axis, (read, written) in enumerate(
            zip(source.at, axes(len(shape)), strict=True)
        )
    )
    return whole.body is same and whole.bounds == shape and whole.is_pointwise and stays


@dataclass(frozen=True)
class EliminateNoOps(ModulePass):
    """Removes ops whose result equals their operand."""

    name = "eliminate-no-ops"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for each in list(op.walk()):
            if isinstance(each, GraphOp) and _does_nothing(each):
                Rewriter.replace_op(each, [], [each.operands[0]])
