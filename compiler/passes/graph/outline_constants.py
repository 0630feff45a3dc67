"""
Move constants that need memory of their own to the weight store.

Before:

    %0 = graph.constant dense<[1.0, 2.0]> : tensor<2xf32>
    %1 = graph.constant dense<3.0> : tensor<f32>

After:

    %0 = graph.weight "constant" : tensor<2xf32>
    %1 = graph.constant dense<3.0> : tensor<f32>

A number that only kernels use becomes part of their code, and stays where it is. All
else is read from memory: from here each has a name in the store, and gets a place among
the constants of the program.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation
from xdsl.passes import ModulePass
from xdsl.rewriter import Rewriter

from ....dialects.graph.literal import to_array
from ....dialects.graph.op import GraphOp
from ....dialects.graph.ops.constant import ConstantOp
from ....dialects.graph.ops.fusion import FusionOp
from ....dialects.graph.ops.weight import WeightOp
from ....dialects.graph.shape import tensor_type
from ...context import weights_of


def is_kernel(op: Operation) -> bool:
    """Whether the op becomes loops, which may hold a number."""
    return isinstance(op, FusionOp) or (
        isinstance(op, GraphOp) and op.nests() is not None
    )


@dataclass(frozen=True)
class OutlineConstants(ModulePass):
    """Makes constants weights, unless they are single numbers inside of kernels."""

    name = "outline-constants"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        weights = weights_of(ctx)
        for each in list(op.walk()):
            if not isinstance(each, ConstantOp):
                continue
            array = to_array(each.value)
            users = [use.operation for use in each.result.uses]
            if array.size == 1 and all(is_kernel(user) for user in users):
                continue
            weight = WeightOp(weights.put("constant", array), tensor_type(each.result))
            weight.location = each.location
            Rewriter.replace_op(each, weight)
