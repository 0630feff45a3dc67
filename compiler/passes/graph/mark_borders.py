"""
Note which convolutions read an image with a border of zeros.

Before:

    %1 = graph.pad %0 {low = array<i64: 0, 0, 1, 1>, …, value = 0.0 : f64}
    %2 = graph.conv %1, %w {padding = array<i64: 0, 0, 0, 0>, …}

After:

    %1 = graph.pad %0 {low = array<i64: 0, 0, 1, 1>, …, value = 0.0 : f64}
    %2 = graph.conv %1, %w {…, border = array<i64: 1, 1, 1, 1>}

What a window sees of the border adds zeros to a sum, which kernels may then leave out:
of an image of 7x7 under a window of 3x3 that is a fifth of all products. Bits stay: a
sum that begins with zero is never -0.0.

It fires for constant weights that are finite, since a zero by an infinity is NaN, and
for windows over more than one channel.
"""

from __future__ import annotations

from xdsl.context import Context
from xdsl.dialects.builtin import DenseArrayBase, ModuleOp, i64
from xdsl.passes import ModulePass

from ....dialects.graph import ConvOp, PadOp
from ...ir import WeightStore, weights_of
from ..known_values import is_finite


class MarkBorders(ModulePass):
    """Notes which convolutions read an image with a border of zeros."""

    name = "mark-borders"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        weights = weights_of(ctx)
        for each in op.walk():
            if isinstance(each, ConvOp) and each.border is None:
                _mark(each, weights)


def _mark(op: ConvOp, weights: WeightStore) -> None:
    """Notes the border of a convolution's image, if it has one."""
    pad, (_, filters, _) = op.input.owner, op.image_filter_result
    if not isinstance(pad, PadOp) or pad.value.value.data != 0 or filters[1] == 1:
        return
    first = 2 if op.channels_last is None else 1
    count = len(filters[2])
    ends = (each.get_values()[first:][:count] for each in (pad.low, pad.high))
    border = [zeros for each in ends for zeros in each]
    if any(border) and is_finite(op.weight, weights):
        op.border = DenseArrayBase.from_list(i64, border)
