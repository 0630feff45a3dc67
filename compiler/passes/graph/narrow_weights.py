"""
Round the weights of contractions to bf16, which takes half the memory.

Before:

    %w = graph.weight "fc" : tensor<64x120xf32>
    %1 = graph.matmul %x, %w : tensor<7x64xf32>, tensor<64x120xf32> -> tensor<7x120xf32>

After:

    %w = graph.weight "fc.bf16" : tensor<64x120xbf16>
    %1 = graph.fusion %x, %w : tensor<7x64xf32>, tensor<64x120xbf16> -> … {
    ^bb0(%a: tensor<7x64xf32>, %b: tensor<64x120xbf16>):
      %2 = graph.cast %b {to = f32} : tensor<64x120xbf16> -> tensor<64x120xf32>
      %3 = graph.matmul %a, %2 : …
      graph.yield %3 : tensor<7x120xf32>
    }

It is the only step that changes numbers, and runs only where a user asks for it
(`Options(precision="bf16")`): each weight becomes the nearest bf16, with 8 significant
bits of its 24, NaN and infinities as they are. What is computed with it is the f32 that
it stands for, in the order in which it was before. Where the target has instructions
for products of bf16 (`dialects/loop/isa.py`), and a weight can lie in their layout, the
other factor is rounded as well:

      %2 = graph.cast %a {to = bf16} : tensor<7x64xf32> -> tensor<7x64xbf16>
      %3 = graph.cast %2 {to = f32} : tensor<7x64xbf16> -> tensor<7x64xf32>

Contractions are recognised by their nests, and weights that they would read in panels
(`pack_weights.py`) are narrowed. Filters of depthwise convolutions stay: they are
small, and each element is used once for a point of the image. A weight that another op
reads too is stored twice.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, bf16, f32
from xdsl.ir import SSAValue, Use
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter

from ....dialects import tensor_type, with_element
from ....dialects.graph import GraphOp, WeightOp, to_elements
from ....dialects.graph.compose import rounding
from ....dialects.kernel import KernelNest, choose_rows_and_columns, elements, structure
from ....dialects.loop import TargetAttr, target_of
from ...cost import contractions_of, panels_in, reads_alone, suits
from ...ir import WeightStore, weights_of
from ..narrow_reads import as_fusion, read_narrow


@dataclass(frozen=True)
class NarrowWeights(ModulePass):
    """Makes bf16 of the f32 weights that contractions read in panels."""

    name = "narrow-weights"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        found = [each for each in op.walk() if isinstance(each, WeightOp)]
        if found:
            narrower = _Narrower(weights_of(ctx), target_of(op))
            for each in found:
                if tensor_type(each.result).element_type == f32:
                    narrower.narrow(each)
            used = {each.key.data for each in op.walk() if isinstance(each, WeightOp)}
            for key in narrower.narrowed.keys() - used:
                narrower.weights.drop(key)


@dataclass(frozen=True)
class _Wish:
    """Whether a weight is narrowed for an op, and whether the other factor is too."""

    narrow: bool = False
    both: bool = False


@dataclass
class _Narrower:
    """Narrows weights of one store for one target."""

    weights: WeightStore
    target: TargetAttr

    def __post_init__(self) -> None:
        self.wishes: dict[Hashable, _Wish] = {}
        self.narrowed: dict[str, str] = {}
        """The key in bf16 of each key in f32, in the store."""

    def narrow(self, op: WeightOp) -> None:
        """Lets each contraction that reads a weight read it in bf16."""
        wishes = {each: self.wish(each, op) for each in op.result.uses}
        uses = [each for each, wish in wishes.items() if wish.narrow]
        if not uses:
            return
        type = with_element(tensor_type(op.result), bf16)
        copy = WeightOp(self.entry(op.key.data), type)
        copy.location = op.location
        Rewriter.insert_op(copy, InsertPoint.after(op))
        # An op that reads it twice is there as two uses, and is rebuilt once.
        for each, rounds in {use.operation: wishes[use].both for use in uses}.items():
            assert isinstance(each, GraphOp)
            cast = read_narrow(as_fusion(each), op.result, copy.result)
            if rounds and cast is not None:
                _round_beside(cast)
        if not list(op.result.uses):
            Rewriter.erase_op(op)

    def wish(self, use: Use, weight: WeightOp) -> _Wish:
        """How an op reads a weight, found once for ops of one structure."""
        op = use.operation
        if not isinstance(op, GraphOp):
            return _Wish()
        key = structure(op), use.index
        if key not in self.wishes:
            nest = contractions_of(op).get(use.index)
            panels = (
                None if nest is None else panels_in(nest, weight.result, self.target)
            )
            isa = self.target.isa(bf16)
            is_kept = nest is None or panels is None or not _reuses(nest)
            if nest is None or is_kept or not reads_alone(nest, weight.result):
                self.wishes[key] = _Wish()
            else:
                self.wishes[key] = _Wish(
                    True, isa is not None and suits(isa, nest, weight.result)
                )
        return self.wishes[key]

    def entry(self, key: str) -> str:
        """The key in the store of a weight in bf16."""
        if key not in self.narrowed:
            array = to_elements(self.weights[key], bf16)
            self.narrowed[key] = self.weights.put(f"{key}.bf16", array)
        return self.narrowed[key]


def _reuses(nest: KernelNest) -> bool:
    """Whether an element of a factor is used for all columns, and not for its own."""
    _, column = choose_rows_and_columns(nest, len(nest.bounds) - nest.reductions)
    found = [dict(load.at.factors) for load in elements(nest.element)]
    return any(column not in each for each in found)


def _round_beside(weight: SSAValue) -> None:
    """Rounds to bf16 what a converted weight is multiplied with, and converts that."""
    uses = list(weight.uses)
    if len(uses) != 1:
        return
    (use,) = uses
    (other,) = {0, 1} - {use.index}
    rounding.round_operand(use.operation, other, bf16)
