"""
Decide how each contraction is computed, and pack its weights for it: into panels of NR
columns, in the order in which it reads them.

Here the target has vectors of 256 bits.

Before:

    %w = graph.weight "fc" : tensor<64x120xf32>
    %1 = graph.matmul %x, %w : tensor<7x64xf32>, tensor<64x120xf32> -> tensor<7x120xf32>

After:

    %w = graph.weight "fc.panels" {
        panels = #graph.panels<width = 16, rows = [64 by 120], columns = 120 by 1>
    } : tensor<64x120xf32>
    %1 = graph.matmul %x, %w {strategies = [#loop.strategy<direct, nr = 16, kc = 768>]}
        : tensor<7x64xf32>, tensor<64x120xf32> -> tensor<7x120xf32>

Contractions, and which of their axes are columns, are recognised by their nests: so a
convolution is packed as a product of matrices is, and a weight of bf16 that is widened
before the product as one of f32 is. The type of the tensor stays the same; only its
layout in the store changes. A weight that another op reads too is stored twice. The
strategy is chosen here and followed by all later passes (`compiler/cost/strategy.py`),
NR by the cost model, unless the op has a `preference`. It is chosen on loops, so the
pipeline hands the pass what builds them. Where the target adds up pairs of products of
bytes in 16 bits, the strategy says whether those with the weight fit.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Hashable, Sequence
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ArrayAttr, ModuleOp
from xdsl.ir import Operation, Use
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter

from ....dialects import tensor_type
from ....dialects.graph import FusionOp, GraphOp, WeightOp
from ....dialects.graph.storage import PANELS, PanelsAttr
from ....dialects.kernel import Group, structure
from ....dialects.loop import STRATEGIES, KernelOp, StrategyAttr, target_of
from ...cost import Plan, choose_strategies, pairs_fit
from ...ir import WeightStore, weights_of


@dataclass(frozen=True)
class PackWeights(ModulePass):
    """Packs every weight that a contraction reads as its factor B."""

    name = "pack-weights"

    @abstractmethod
    def build_kernel(self, group: Group) -> KernelOp:
        """The loops of a group, which the pipeline lets the lowering build."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        weights = weights_of(ctx)
        packer, found = _Packer(weights), list[WeightOp]()
        plans: dict[Hashable, Plan] = {}
        for each in op.walk():
            if isinstance(each, WeightOp):
                found.append(each)
            elif isinstance(each, GraphOp) and not isinstance(
                each.parent_op(), FusionOp
            ):
                key = structure(each)
                if key not in plans:
                    plans[key] = choose_strategies(
                        each, target_of(op), self.build_kernel
                    )
                if plans[key].strategies:
                    strategies = packer.paired(each, plans[key])
                    each.attributes[STRATEGIES] = ArrayAttr(strategies)
                packer.wishes[each] = plans[key].panels
        for each in found:
            packer.pack(each)
        packer.forget([each for each in op.walk() if isinstance(each, WeightOp)])


@dataclass
class _Packer:
    """Packs weights of one store."""

    weights: WeightStore

    def __post_init__(self) -> None:
        self.wishes: dict[Operation, dict[int, PanelsAttr]] = {}
        """The panels of the operands of each op."""
        self.packed: dict[tuple[str, PanelsAttr], str] = {}
        self.replaced: set[str] = set()
        self.fits: dict[tuple[str, PanelsAttr], bool] = {}
        """Whether pairs of products with a weight fit into 16 bits."""

    def paired(self, op: Operation, plan: Plan) -> list[StrategyAttr]:
        """The strategies of an op, which say whether pairs of its products fit."""
        if not plan.asks:
            return plan.strategies
        for number, panels in plan.panels.items():
            weight = op.operands[number].owner
            assert isinstance(weight, WeightOp)
            known = weight.key.data, panels
            if known not in self.fits:
                self.fits[known] = pairs_fit(self.weights[weight.key.data], panels)
            if not self.fits[known]:
                return plan.strategies
        return [each.with_pairs() for each in plan.strategies]

    def pack(self, op: WeightOp) -> None:
        """
        Replaces a weight by packed ones, one for each layout that its readers want.
        """
        wanted: dict[PanelsAttr, list[Use]] = {}
        for use in list(op.result.uses):
            panels = self.wishes.get(use.operation, {}).get(use.index)
            if panels is not None:
                wanted.setdefault(panels, []).append(use)
        for panels, uses in wanted.items():
            copy = WeightOp(self.entry(op.key.data, panels), tensor_type(op.result))
            copy.attributes[PANELS] = panels
            copy.location = op.location
            Rewriter.insert_op(copy, InsertPoint.after(op))
            for use in uses:
                use.operation.operands[use.index] = copy.result
        if wanted:
            self.replaced.add(op.key.data)
            if not list(op.result.uses):
                Rewriter.erase_op(op)

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
