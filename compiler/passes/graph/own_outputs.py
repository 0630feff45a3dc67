"""
Give every output of a function memory that nothing else shares, by a copy where needed.

Before:

    func.func @main(%x: tensor<2x3xf32>) -> (tensor<6xf32>, tensor<2x3xf32>) {
      %0 = graph.reshape %x {shape = ["6"]} : tensor<2x3xf32> -> tensor<6xf32>
      func.return %0, %x : tensor<6xf32>, tensor<2x3xf32>

After:

    func.func @main(%x: tensor<2x3xf32>) -> (tensor<6xf32>, tensor<2x3xf32>) {
      %0 = graph.reshape %x {shape = ["6"]} : tensor<2x3xf32> -> tensor<6xf32>
      %1 = graph.copy %0 : tensor<6xf32> -> tensor<6xf32>
      %2 = graph.copy %x : tensor<2x3xf32> -> tensor<2x3xf32>
      func.return %1, %2 : tensor<6xf32>, tensor<2x3xf32>

An output that is an input, a constant, a view of either, or memory that is an output
already, is copied; any other is computed in its place. From here an output never
aliases anything. (Static Runtime's `CreateOwnedRefsForSpecialValues` does it with
references.)
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter

from ....dialects.graph.op import GraphOp
from ....dialects.graph.ops.constant import ConstantOp
from ....dialects.graph.ops.copy import CopyOp


def root_of(value: SSAValue) -> SSAValue:
    """The value whose memory `value` is, seen through views."""
    while isinstance(owner := value.owner, GraphOp) and owner.IS_VIEW:
        value = owner.operands[0]
    return value


def is_computed(value: SSAValue) -> bool:
    """Whether `value` is the result of an op that runs."""
    return isinstance(value.owner, GraphOp) and not isinstance(value.owner, ConstantOp)


@dataclass(frozen=True)
class OwnOutputs(ModulePass):
    """Copies outputs that would share memory with something else."""

    name = "own-outputs"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for each in list(op.walk()):
            if isinstance(each, func.ReturnOp):
                own_operands(each)


def own_operands(end: func.ReturnOp) -> None:
    """Copies what the function may not return as it is."""
    owned = set[SSAValue]()
    for place, value in enumerate(end.operands):
        root = root_of(value)
        if root in owned or not is_computed(root):
            copy = CopyOp(value)
            copy.location = end.location
            Rewriter.insert_op(copy, InsertPoint.before(end))
            end.operands[place] = root = copy.result
        owned.add(root)
