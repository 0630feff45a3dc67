"""
Move constants that need memory of their own to the weight store.

Before:

    %0 = graph.constant dense<[1.0, 2.0]> : tensor<2xf32>
    %1 = graph.constant dense<3.0> : tensor<f32>

After:

    %0 = graph.weight "constant" : tensor<2xf32>
    %1 = graph.constant dense<3.0> : tensor<f32>

A scalar that only kernels use stays, and becomes an immediate in their code, unless a
kernel uses it as an index or indexes into it. Every other constant is read from memory:
from here it has a name in the store, and gets an offset among the constants of the
program.
"""

from __future__ import annotations

from collections.abc import Container
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation, Use
from xdsl.passes import ModulePass
from xdsl.rewriter import Rewriter

from ....dialects import tensor_type
from ....dialects.graph import (
    ConstantOp,
    FusionOp,
    GraphOp,
    Lookup,
    Read,
    WeightOp,
    to_array,
)
from ...ir import weights_of


class _Readers:
    """Which operands ops read from memory, instead of as immediates in the code."""

    def __init__(self) -> None:
        """Starts without known kernels."""
        self.known: dict[Operation, Container[int]] = {}

    def need_memory(self, use: Use) -> bool:
        """Whether an operand is read from memory."""
        op, number = use.operation, use.index
        if isinstance(op, FusionOp):
            return any(map(self.need_memory, op.body.block.args[number].uses))
        if op not in self.known:
            self.known[op] = _in_memory(op)
        return number in self.known[op]


def _in_memory(op: Operation) -> Container[int]:
    """The operands that an op reads from memory."""
    nests = op.nests() if isinstance(op, GraphOp) else None
    if nests is None:
        return range(len(op.operands))
    # Indices, and the tensors that they index.
    looked_up = {each.operand for nest in nests for each in nest.lookups}
    looked_in = {
        source.operand
        for nest in nests
        for source in nest.sources
        if isinstance(source, Read)
        and any(isinstance(each, Lookup) for each in source.at)
    }
    return looked_up | looked_in


@dataclass(frozen=True)
class OutlineConstants(ModulePass):
    """Turns constants into weights, except scalars inside kernels."""

    name = "outline-constants"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        weights, readers = weights_of(ctx), _Readers()
        for each in list(op.walk()):
            if not isinstance(each, ConstantOp):
                continue
            array = to_array(each.value)
            if array.size == 1 and not any(map(readers.need_memory, each.result.uses)):
                continue
            weight = WeightOp(weights.put("constant", array), tensor_type(each.result))
            weight.location = each.location
            Rewriter.replace_op(each, weight)
