"""
Let an op compute its result where an operand is that nothing needs any more.

Before:

    %0 = graph.matmul %x, %w : tensor<2x3xf32>, tensor<3x3xf32> -> tensor<2x3xf32>
    %1 = graph.softmax %0 {axis = 1 : i64} : tensor<2x3xf32> -> tensor<2x3xf32>

After:

    %0 = graph.matmul %x, %w : tensor<2x3xf32>, tensor<3x3xf32> -> tensor<2x3xf32>
    %1 = graph.softmax %0 {axis = 1 : i64, graph.in_place = 0 : i64} : …

The operand was computed by the same block, and no op after this one reads it or a view
of it. Inputs and constants are nobody's to overwrite, and what a region takes belongs
to its op. Both have as many elements of one type, and the loops of the op read each
element only before they store it (`lowering/graph_to_loop/in_place.py`). What a region
yields has its place already, and is left there.

From here the two are one memory: `analyze-aliases` gives them one group, and the kernel
gets one pointer for both. A contraction computes in the place of what its tail adds
only where totals are never stored before they are finished, so that it is as fast.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field

from xdsl.context import Context
from xdsl.dialects import func
from xdsl.dialects.builtin import FixedBitwidthType, IntegerAttr, ModuleOp, i64
from xdsl.ir import Block, SSAValue
from xdsl.passes import ModulePass

from ....dialects.dims import product
from ....dialects.graph.buffer import IN_PLACE, byte_size
from ....dialects.graph.memory import Homes, is_computed, ops_in
from ....dialects.graph.op import GraphOp
from ....dialects.graph.ops.fusion import FusionOp
from ....dialects.graph.ops.weight import WeightOp
from ....dialects.graph.region import ControlOp, block_of
from ....dialects.graph.shape import tensor_type
from ....dialects.loop.target import target_of
from ....lowering.graph_to_loop.collapse import collapse
from ....lowering.graph_to_loop.expression import make_group
from ....lowering.graph_to_loop.in_place import may_replace
from ....lowering.graph_to_loop.kernel import choose_rows_and_columns
from ....lowering.graph_to_loop.structure import structure
from ....lowering.graph_to_loop.tree import KernelNest, loads
from ...cost.panels import panel_width, steps_at_once
from .analyze_aliases import lives, places


@dataclass(frozen=True)
class ReuseOperands(ModulePass):
    """Notes at each op the operand in whose place it computes its result."""

    name = "reuse-operands"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        loops = Loops(op)
        for function in [each for each in op.walk() if isinstance(each, func.FuncOp)]:
            if not function.is_declaration:
                reuse(function.body.block, loops)


def reuse(block: Block, loops: Loops) -> None:
    """Notes what the ops of a function overwrite."""
    homes = Homes(block)
    ends = {owner: last for owner, (_, last) in lives(block, homes).items()}
    place_of = places(block)
    for op in ops_in(block):
        if not isinstance(op, GraphOp) or not has_loops(op):
            continue
        # What has its place already stays there.
        if homes.owner_of(op.results[0]) is not op.results[0]:
            continue
        for number, operand in enumerate(op.operands):
            dies = ends[homes.owner_of(operand)] == place_of[op][1]
            if dies and may_own(op, operand, homes) and loops.allow(op, number):
                op.attributes[IN_PLACE] = IntegerAttr(number, i64)
                break


def has_loops(op: GraphOp) -> bool:
    """Whether a kernel computes the only result of an op."""
    if op.IS_VIEW or isinstance(op, ControlOp) or len(op.results) != 1:
        return False
    return isinstance(op, FusionOp) or op.nests() is not None


def may_own(op: GraphOp, operand: SSAValue, homes: Homes) -> bool:
    """
    Whether the memory of an operand is as large as the result, was computed by the
    block of the op, and is read by it under no other name.
    """
    owner, type = homes.owner_of(operand), tensor_type(op.results[0])
    if not is_computed(owner) or block_of(owner) is not op.parent:
        return False
    if byte_size(tensor_type(owner)) != byte_size(type):
        return False
    names = {each for each in op.operands if homes.owner_of(each) is owner}
    return len(names) == 1 and tensor_type(operand).element_type == type.element_type


@dataclass
class Loops:
    """What the loops of the ops of a module allow."""

    module: ModuleOp
    known: dict[tuple[Hashable, int], bool] = field(
        default_factory=dict[tuple[Hashable, int], bool]
    )
    """For ops of one structure, by the number of the operand."""

    def allow(self, op: GraphOp, number: int) -> bool:
        """Whether the loops of an op may overwrite an operand, and are as fast then."""
        key = structure(op), number
        if key not in self.known:
            group = make_group(op)
            self.known[key] = may_replace(group, op.operands[number]) and all(
                not nest.is_contraction or self.finishes_at_once(collapse(nest))
                for nest in group.nests
            )
        return self.known[key]

    def finishes_at_once(self, nest: KernelNest) -> bool:
        """Whether no total of a contraction is stored before it is finished."""
        parallel = len(nest.bounds) - nest.reductions
        _, column = choose_rows_and_columns(nest, parallel)
        steps = product(nest.bounds[parallel:])
        packed = any(
            isinstance(weight := each.buffer.owner, WeightOp) and weight.panels
            for each in loads(nest.element)
        )
        if column is None or not packed or not isinstance(steps, int):
            return False
        assert isinstance(nest.type, FixedBitwidthType)
        bits, target = nest.type.bitwidth, target_of(self.module)
        width, _ = panel_width(nest.bounds[column], bits, target)
        return steps <= steps_at_once(width, bits // 8, target)
