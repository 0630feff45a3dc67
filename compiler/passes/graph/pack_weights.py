"""
Pack weights into panels of NR columns, in the order in which contractions read them.

Here the target has vectors of 256 bits.

Before:

    %w = graph.weight "fc" : tensor<64x120xf32>
    %1 = graph.matmul %x, %w : tensor<7x64xf32>, tensor<64x120xf32> -> tensor<7x120xf32>

After:

    %w = graph.weight "fc.panels" {
        panels = #graph.panels<width = 16, rows = [64 by 120], columns = 120 by 1>
    } : tensor<64x120xf32>
    %1 = graph.matmul %x, %w : tensor<7x64xf32>, tensor<64x120xf32> -> tensor<7x120xf32>

Contractions, and which of their axes are columns, are recognised by their nests: so a
convolution is packed as a product of matrices is, and a weight of bf16 that is widened
before the product as one of f32 is. The type of the tensor stays the same; only its
layout in the store changes. A weight that another op reads too is stored twice. The
cost model chooses NR, unless the op has a `preference`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation, Use
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter

from ....dialects import tensor_type
from ....dialects.graph import GraphOp, PanelsAttr, WeightOp
from ....dialects.loop import TargetAttr, preference_of, target_of
from ...context import weights_of
from ...cost import contractions_of, panels_in
from ...weights import WeightStore


@dataclass(frozen=True)
class PackWeights(ModulePass):
    """Packs every weight that a contraction reads as its factor B."""

    name = "pack-weights"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        weights = weights_of(ctx)
        found = [each for each in op.walk() if isinstance(each, WeightOp)]
        if found:
            target = target_of(op)
            packer = _Packer(weights, target)
            for each in found:
                packer.pack(each)
            packer.forget([each for each in op.walk() if isinstance(each, WeightOp)])


@dataclass
class _Packer:
    """Packs weights of one store for one target."""

    weights: WeightStore
    target: TargetAttr

    def __post_init__(self) -> None:
        self.wishes: dict[Operation, dict[int, PanelsAttr]] = {}
        """The panels of operands, for each op: it is asked for each of its weights."""
        self.packed: dict[tuple[str, PanelsAttr], str] = {}
        self.replaced: set[str] = set()

    def pack(self, op: WeightOp) -> None:
        """
        Replaces a weight by packed ones, one for each layout that its readers want.
        """
        wanted: dict[PanelsAttr, list[Use]] = {}
        for use in list(op.result.uses):
            panels = self.wish(use)
            if panels is not None:
                wanted.setdefault(panels, []).append(use)
        for panels, uses in wanted.items():
            copy = WeightOp(self.entry(op.key.data, panels), tensor_type(op.result))
            copy.attributes["panels"] = panels
            copy.location = op.location
            Rewriter.insert_op(copy, InsertPoint.after(op))
            for use in uses:
                use.operation.operands[use.index] = copy.result
        if wanted:
            self.replaced.add(op.key.data)
            if not list(op.result.uses):
                Rewriter.erase_op(op)

    def wish(self, use: Use) -> PanelsAttr | None:
        """The panels that an op wants of a weight."""
        if not isinstance(use.operation, GraphOp):
            return None
        op = use.operation
        if op not in self.wishes:
            self.wishes[op] = _panels_of(op, self.target)
        return self.wishes[op].get(use.index)

    def entry(self, key: str, panels: PanelsAttr) -> str:
        """The key in the store of a weight in panels."""
        if (key, panels) not in self.packed:
            array = panels.pack(self.weights[key])
            self.packed[key, panels] = self.weights.put(f"{key}.panels", array)
        return self.packed[key, panels]

    def forget(self, ops: Sequence[WeightOp]) -> None:
        """Drops weights from the store that nothing reads but in panels."""
        used = {op.key.data for op in ops}
        for key in self.replaced - used:
            self.weights.drop(key)


def _panels_of(op: GraphOp, target: TargetAttr) -> dict[int, PanelsAttr]:
    """The panels in which an op wants weights, by the number of the operand."""
    wanted: dict[int, PanelsAttr] = {}
    for number, nest in contractions_of(op).items():
        weight = op.operands[number].owner
        assert isinstance(weight, WeightOp)
        panels = panels_in(nest, weight, target, preference_of(op))
        if panels is not None:
            wanted[number] = panels
    return wanted
