"""
Take fusions apart whose kernels a library does not have.

With `unfuse{numbers=0}`:

Before:

    %2 = graph.fusion %0, %1 : tensor<3xf32>, tensor<3xf32> -> tensor<3xf32> {
    ^bb0(%a: tensor<3xf32>, %b: tensor<3xf32>):
      %c = graph.add %a, %b : …
      %d = graph.relu %c : …
      graph.yield %d : tensor<3xf32>
    }

After:

    %c = graph.add %0, %1 : …
    %2 = graph.relu %c : …

Fusions are numbered from 0 as they stand; those that stay keep their number as an
attribute, by which a build finds the fusion of a kernel.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import IntegerAttr, ModuleOp, i64
from xdsl.ir import SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter

from ....dialects.graph import FUSION_NUMBER, FusionOp, YieldOp


@dataclass(frozen=True)
class Unfuse(ModulePass):
    """Numbers fusions, and takes some of them apart."""

    name = "unfuse"

    numbers: tuple[int, ...] = ()
    """Those that are taken apart."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        found = [each for each in op.walk() if isinstance(each, FusionOp)]
        for number, fusion in enumerate(found):
            if number in self.numbers:
                _take_apart(fusion)
            else:
                fusion.attributes[FUSION_NUMBER] = IntegerAttr(number, i64)


def _take_apart(fusion: FusionOp) -> None:
    """Puts the ops of a fusion in its place."""
    body = fusion.body.block
    known: dict[SSAValue, SSAValue] = dict(zip(body.args, fusion.operands, strict=True))
    last = body.last_op
    assert isinstance(last, YieldOp), "a fusion yields what it computes"
    for op in list(body.ops):
        if op is not last:
            Rewriter.insert_op(op.clone(known), InsertPoint.before(fusion))
    Rewriter.replace_op(fusion, [], [known.get(each, each) for each in last.values])
