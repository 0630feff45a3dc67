"""
Pack the large second factor of a product, which the run computes, by an op of its own.

Here the target has vectors of 256 bits.

Before:

    %1 = graph.matmul %x, %y : tensor<512x700xf32>, tensor<700x1000xf32> -> …

After:

    %0 = graph.pack %y {axis = 1, width = 16} : … -> tensor<63x700x16xf32>
    %1 = graph.unpack %0 {
        panels = #graph.panels<width = 16, rows = [700 by 1000], columns = 1000 by 1>,
        shape = ["700", "1000"]} : … -> tensor<700x1000xf32>
    %2 = graph.matmul %x, %1 : tensor<512x700xf32>, tensor<700x1000xf32> -> …

A product packs the blocks of B that it works on into memory on the stack, which is
small. Where B is large, blocks of it are, so each block of A is read often, and is not
worth packing. Panels in planned memory are read as those of a weight: in larger blocks,
with the next one prefetched, and threads share what is packed once. It takes memory for
another B while the product runs. Sums have the same order, so no bit changes. It is
for products whose sizes are known, whose B is larger than the second cache, and which
have many rows; not for models as data, whose kernels take any sizes.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter

from ....dialects import sizes, tensor_type
from ....dialects.graph import (
    FusionOp,
    GraphOp,
    PackOp,
    ReshapeOp,
    SingleResultOp,
    UnpackOp,
    to_names,
)
from ....dialects.graph.storage import PanelsAttr
from ....dialects.kernel import Group
from ....dialects.loop import KernelOp, TargetAttr, target_of
from ...cost import packed_whole

_MANY_ROWS = 192
"""
Rows, at least, that pay for it: with 256 products of 1024 and 768 columns took 0.86 and
0.99 of the time, with 128 of them 0.96 and 1.04 (`docs/performance.md`).
"""


@dataclass(frozen=True)
class PackOperands(ModulePass):
    """Packs the factors of products, but for weights, that are worth it."""

    name = "pack-operands"

    rows: int = _MANY_ROWS
    """Rows, at least, of products whose factors are packed; 0 for none."""

    @abstractmethod
    def build_kernel(self, group: Group) -> KernelOp:
        """The loops of a group, which the pipeline lets the lowering build."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        if not self.rows:
            return
        target, build = target_of(op), self.build_kernel
        limits = self.rows, _most_bytes(target)
        for each in list(op.walk()):
            if not isinstance(each, GraphOp) or isinstance(each.parent_op(), FusionOp):
                continue
            wanted = packed_whole(each, target, build, *limits)
            for number, panels in wanted.items():
                each.operands[number] = _packed(each, each.operands[number], panels)


def _most_bytes(target: TargetAttr) -> int:
    """The size in bytes of the second cache, where blocks that are packed stay."""
    return 1024 * target.l2.data


def _packed(op: Operation, value: SSAValue, panels: PanelsAttr) -> SSAValue:
    """Writes before an op what packs a value."""

    def add(made: SingleResultOp) -> SSAValue:
        made.location = op.location
        Rewriter.insert_op(made, InsertPoint.before(op))
        return made.result

    shape = to_names(sizes(tensor_type(value)))
    axes = sorted((*panels.rows, panels.columns), key=lambda axis: -axis[1])
    flat = to_names([size for size, _ in axes])
    if flat != shape:
        value = add(ReshapeOp(value, shape=flat))
    along, width = axes.index(panels.columns), panels.width.data
    value = add(PackOp(value, axis=along, width=width))
    return add(UnpackOp(value, panels=panels, shape=shape))
