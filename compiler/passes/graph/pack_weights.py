"""
Put constants that a contraction reads into panels, in the order in which it reads them.

Here the target has vectors of 256 bits.

Before:

    %w = graph.weight "fc" : tensor<64x120xf32>
    %1 = graph.matmul %x, %w : tensor<7x64xf32>, tensor<64x120xf32> -> tensor<7x120xf32>

After:

    %w = graph.weight "fc.panels" {
        panels = #graph.panels<width = 16, rows = [64 by 120], columns = 120 by 1>
    } : tensor<64x120xf32>
    %1 = graph.matmul %x, %w : tensor<7x64xf32>, tensor<64x120xf32> -> tensor<7x120xf32>

A contraction is known by its nest, and so is what of it are columns: a convolution is
packed as a product of matrices is, and a weight that is converted before the product,
as one of bf16, as another is. The tensor stays the same, to all that ask; only how
it lies in the store is another. A weight that something else reads as well is there
twice. Panels are as wide as the registers like it, or as an op has it under
`preference`.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import FixedBitwidthType, ModuleOp, bf16, f32
from xdsl.ir import Attribute, Operation, SSAValue, Use
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter

from ....dialects.dims import product
from ....dialects.graph.op import GraphOp
from ....dialects.graph.ops.fusion import FusionOp
from ....dialects.graph.ops.weight import WeightOp
from ....dialects.graph.panels import Axis, PanelsAttr
from ....dialects.graph.shape import sizes, tensor_type
from ....dialects.loop.preference import OWN, PreferenceAttr, preference_of
from ....dialects.loop.target import SIDE, TargetAttr, target_of
from ....lowering.graph_to_loop.collapse import collapse
from ....lowering.graph_to_loop.expression import (
    Apply,
    Expression,
    KernelNest,
    Load,
    loads,
    make_group,
)
from ....lowering.graph_to_loop.kernel import choose_rows_and_columns
from ....lowering.graph_to_loop.structure import structure
from ...context import weights_of
from ...cost.panels import panel_width
from ...weights import WeightStore


@dataclass(frozen=True)
class PackWeights(ModulePass):
    """Packs every weight that a contraction reads."""

    name = "pack-weights"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        weights = weights_of(ctx)
        found = [each for each in op.walk() if isinstance(each, WeightOp)]
        if found:
            target = target_of(op)
            packer = Packer(weights, target)
            for each in found:
                packer.pack(each)
            packer.forget([each for each in op.walk() if isinstance(each, WeightOp)])


@dataclass
class Packer:
    """Packs weights of one store for one target."""

    weights: WeightStore
    target: TargetAttr

    def __post_init__(self) -> None:
        self.keys: dict[Operation, Hashable] = {}
        """The structures of ops, which each are asked of for every weight of theirs."""
        self.wishes: dict[Hashable, dict[int, PanelsAttr]] = {}
        """What ops of one structure want of their operands."""
        self.packed: dict[tuple[str, PanelsAttr], str] = {}
        self.replaced: set[str] = set()

    def pack(self, op: WeightOp) -> None:
        """Gives each contraction that reads a weight the panels that it wants."""
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
        """The panels that an op wants of a weight, found once for equal ops."""
        if not isinstance(use.operation, GraphOp):
            return None
        op = use.operation
        key = self.keys.get(op)
        if key is None:
            key = self.keys[op] = structure(op)
        if key not in self.wishes:
            self.wishes[key] = panels_of(op, self.target)
        return self.wishes[key].get(use.index)

    def entry(self, key: str, panels: PanelsAttr) -> str:
        """The entry of the store that has a weight in panels."""
        if (key, panels) not in self.packed:
            array = panels.pack(self.weights[key])
            self.packed[key, panels] = self.weights.put(f"{key}.panels", array)
        return self.packed[key, panels]

    def forget(self, ops: Sequence[WeightOp]) -> None:
        """Drops from the store what was packed and is read by nothing else."""
        used = {op.key.data for op in ops}
        for key in self.replaced - used:
            self.weights.drop(key)


def panels_of(op: GraphOp, target: TargetAttr) -> dict[int, PanelsAttr]:
    """The panels in which an op wants weights, by the number of the operand."""
    wanted: dict[int, PanelsAttr] = {}
    for number, nest in contractions_of(op).items():
        weight = op.operands[number].owner
        assert isinstance(weight, WeightOp)
        panels = panels_in(nest, weight, target, preference_of(op))
        if panels is not None:
            wanted[number] = panels
    return wanted


def contractions_of(op: Operation) -> dict[int, KernelNest]:
    """
    The nests of an op by the number of the operand, where that is a weight which one
    nest reads that is a contraction.
    """
    if not isinstance(op, GraphOp) or (not isinstance(op, FusionOp) and not op.nests()):
        return {}
    reading: dict[SSAValue, list[KernelNest]] = {}
    for nest in make_group(op).nests:
        for value in {each.buffer for each in loads(nest.element, nest.finish)}:
            reading.setdefault(value, []).append(nest)
    return {
        number: collapse(nests[0])
        for number, value in enumerate(op.operands)
        if isinstance(value.owner, WeightOp)
        and len(nests := reading.get(value, [])) == 1
        and nests[0].is_contraction
    }


def panels_in(
    nest: KernelNest,
    weight: WeightOp,
    target: TargetAttr,
    preference: PreferenceAttr = OWN,
) -> PanelsAttr | None:
    """The panels of a weight that a contraction reads across its columns."""
    assert isinstance(nest.element, Apply)
    mine = [load_of(each, weight) for each in nest.element.operands]
    # Its tail may read the weight too, element by element.
    count = sum(load.buffer is weight.result for load in loads(nest.finish))
    if len(mine) != 2 or count:
        return None
    load, *another = [each for each in mine if each is not None] or [None]
    if load is None or another:
        return None
    row, column = choose_rows_and_columns(nest, len(nest.bounds) - nest.reductions)
    steps: dict[int, Axis] = {}
    for axis, stride in load.at.factors:
        bound = nest.bounds[axis]
        if not isinstance(stride, int) or not isinstance(bound, int) or stride < 1:
            return None
        steps[axis] = (bound, stride)
    size = product(sizes(tensor_type(weight.result)))
    if column is None or column not in steps or row in steps:
        return None
    if load.at.offset != 0 or product(each for each, _ in steps.values()) != size:
        return None
    if len({stride for _, stride in steps.values()}) < len(steps) or size == 0:
        return None
    rows = [steps[axis] for axis in sorted(steps) if axis != column]
    is_bf16 = tensor_type(weight.result).element_type == bf16
    pairs = is_bf16 and has_pairs(nest, weight, target)
    if pairs and target.has_matrices:
        return PanelsAttr.of(SIDE, rows, steps[column], pairs)
    wanted = preference.panels.data
    width, _ = panel_width(steps[column][0], bits_of(nest.type), target, wanted)
    return PanelsAttr.of(width, rows, steps[column], pairs)


def has_pairs(nest: KernelNest, weight: WeightOp, target: TargetAttr) -> bool:
    """Whether a weight of bf16 is read in pairs of steps, as the target takes them."""
    last = len(nest.bounds) - 1
    size = nest.bounds[last]
    read = (each for each in loads(nest.element) if each.buffer is weight.result)
    known = isinstance(size, int) and size > 0 and size % 2 == 0
    if not target.dots.data or not known or nest.type != f32:
        return False
    return all(last in dict(each.at.factors) for each in read)


def load_of(value: Expression, weight: WeightOp) -> Load | None:
    """The element of the weight that an operand is, or is computed from alone."""
    match list(loads(value)):
        case [Load() as load] if load.buffer is weight.result and not load.lookups:
            return load
        case _:
            return None


def bits_of(type: Attribute) -> int:
    """The bits of an element."""
    assert isinstance(type, FixedBitwidthType)
    return type.bitwidth
