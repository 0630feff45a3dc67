"""
Take away the taps of convolutions that see nothing but padding.

Before:

    %1 = graph.conv %x, %w {padding = array<i64: 6, 6>, dilation = array<i64: 6>, …}
        : tensor<1x8x5xf32>, tensor<4x8x3xf32> -> tensor<1x4x5xf32>

After:

    %1 = graph.conv %x, (the tap of %w in the middle) {padding = array<i64: 0, 0>, …}
        : tensor<1x8x5xf32>, tensor<4x8x1xf32> -> tensor<1x4x5xf32>

So it is where a window is spread farther than the image is wide, as in the pyramids of
DeepLab over small images, and where an axis has one element, as time has in the last
layers of networks for videos. Zeros add nothing to a sum, so bits are those of an image
of open sizes, whose taps all stay.

It fires for known sizes and constant weights that are finite. Where Winograd's
algorithm is allowed, `dilated` keeps windows without gaps whole: the choice of the
algorithm depends on the window, and must not depend on the sizes of an image.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.builder import ImplicitBuilder
from xdsl.context import Context
from xdsl.dialects.builtin import DenseArrayBase, ModuleOp, UnitAttr, i64
from xdsl.ir import Block
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter

from ....dialects import Dim
from ....dialects.graph import ConvOp, SliceOp
from ....dialects.graph.compose import cut
from ...ir import WeightStore, weights_of
from ..known_values import constant_value, fold, is_finite


@dataclass(frozen=True)
class _Axis:
    """A spatial axis of a convolution."""

    size: Dim
    taps: int
    stride: int
    dilation: int
    low: int
    high: int
    positions: Dim

    def seen(self) -> tuple[int, int]:
        """
        The first tap and the last one that stay, where the padding that is left is not
        below zero; all of them where a size is open.
        """
        everything = 0, self.taps - 1
        if not isinstance(self.size, int) or not isinstance(self.positions, int):
            return everything
        reach = (self.positions - 1) * self.stride
        starts = [tap * self.dilation - self.low for tap in range(self.taps)]
        seen = [
            tap for tap, at in enumerate(starts) if at < self.size and at + reach >= 0
        ]
        if not seen:
            return everything
        first = min(seen[0], self.low // self.dilation)
        after = min(self.taps - 1 - seen[-1], self.high // self.dilation)
        return first, self.taps - 1 - after


@dataclass(frozen=True)
class TrimWindows(ModulePass):
    """Takes away the taps of convolutions that see nothing but padding."""

    name = "trim-windows"

    dilated: bool = False
    """Whether only axes with a dilation above one lose taps."""

    even: bool = False
    """
    Whether only groups with an even number of channels lose taps: bf16 is added up in
    pairs of k, and of an odd number pairs would be others.
    """

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        weights = weights_of(ctx)
        for each in [*op.walk()]:
            if isinstance(each, ConvOp) and each.channels_last is None:
                self._trim(each, weights)

    def _trim(self, op: ConvOp, weights: WeightStore) -> None:
        """Replaces a convolution by one of fewer taps, if some see only padding."""
        array = constant_value(op.weight, weights)
        if array is None or (self.even and array.shape[1] % 2):
            return
        axes = _axes(op, array.shape[2:])
        kept = [
            (0, each.taps - 1) if self.dilated and each.dilation == 1 else each.seen()
            for each in axes
        ]
        cuts = {
            2 + at: (first, last - first + 1, 1)
            for at, (first, last) in enumerate(kept)
        }
        if all(count == axis.taps for (_, count, _), axis in zip(cuts.values(), axes)):
            return
        if not is_finite(op.weight, weights):
            return
        with ImplicitBuilder(built := Block()):
            taps = cut(op.weight, cuts)
            padding = _padding(axes, kept)
            known = {**op.properties, "padding": DenseArrayBase.from_list(i64, padding)}
            if op.preferred is not None:
                # Sums go tap by tap, also where fewer taps do not pay for an order.
                known["taps_first"] = UnitAttr()
            result = ConvOp(op.input, taps, **known).result
        for each in built.ops:
            each.location = op.location
        Rewriter.inline_block(built, InsertPoint.before(op))
        Rewriter.replace_op(op, [], [result])
        assert isinstance(taps.owner, SliceOp), "a part of the taps is a slice"
        fold(taps.owner, weights)


def _axes(op: ConvOp, window: Sequence[int]) -> list[_Axis]:
    """The spatial axes of a convolution with a window of these taps."""
    (_, _, image), _, (_, _, result) = op.image_filter_result
    known, count = op.values(), len(window)
    padding: Sequence[int] = known["padding"]
    ends = padding[:count], padding[count:]
    columns = (image, window, known["strides"], known["dilation"], *ends, result)
    return [_Axis(*each) for each in zip(*columns, strict=True)]


def _padding(axes: Sequence[_Axis], kept: Sequence[tuple[int, int]]) -> list[int]:
    """The padding before and after each axis, without that of taps that go."""
    pairs = [*zip(axes, kept, strict=True)]
    low = [axis.low - first * axis.dilation for axis, (first, _) in pairs]
    high = [
        axis.high - (axis.taps - 1 - last) * axis.dilation for axis, (_, last) in pairs
    ]
    return [*low, *high]
