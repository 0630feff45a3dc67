"""Pooling windows: sizes rounded up, means, and the sum of blocks into an image."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import prod

from xdsl.ir import SSAValue

from ...dims import Dim, floordiv, product
from ...shape import is_float, tensor_type
from ..families.window import padded, window_sizes
from ..literal import to_names
from ..ops.binary import DivOp, MaximumOp
from ..ops.fold import FoldOp
from ..ops.pad import PadOp
from ..ops.permute import PermuteOp
from ..ops.pool import AvgPoolOp, SumPoolOp
from ..ops.unfold import UnfoldOp
from .number import number_like
from .parts import Cut, cut
from .shaping import expanded, permuted, reshaped, shape_of

Sizes = tuple[int, ...]


@dataclass(frozen=True)
class Window:
    """The geometry of a window; each tuple has a number for each spatial axis."""

    kernel: Sizes
    strides: Sizes
    dilation: Sizes
    low: Sizes
    """Paddings before the image."""
    high: Sizes
    """Paddings after the image."""
    beyond: Sizes
    """Further padding after the image, for a last window that is partly outside."""

    @property
    def reach(self) -> Sizes:
        """How many elements of the image each axis spans."""
        pairs = zip(self.kernel, self.dilation, strict=True)
        return tuple((kernel - 1) * step + 1 for kernel, step in pairs)

    @property
    def padding(self) -> Sizes:
        """All paddings, in the order of the graph dialect."""
        high = (a + b for a, b in zip(self.high, self.beyond, strict=True))
        return (*self.low, *high)

    @property
    def padded_beyond(self) -> Window:
        """The window where what is beyond the padding is padding too."""
        none = (0,) * len(self.beyond)
        return replace(self, high=self.padding[len(self.low) :], beyond=none)

    def properties(self) -> dict[str, Sizes]:
        """The window as properties of a pool."""
        return {
            "kernel": self.kernel,
            "strides": self.strides,
            "padding": self.padding,
            "dilation": self.dilation,
        }


def rounded_up(window: Window, spatial: Sequence[Dim]) -> Window | None:
    """
    The window with the number of positions along every axis rounded up; None when that
    number has no single formula for all values of a symbolic size.
    """
    ends: list[tuple[int, int]] = []
    axes = zip(window.kernel, window.dilation, window.strides, window.low, window.high)
    for size, (kernel, step, stride, low, high) in zip(spatial, axes, strict=True):
        end = _end(size, low, high, (kernel - 1) * step + 1, stride)
        if end is None:
            return None
        ends.append(end)
    high, beyond = (tuple(each) for each in zip(*ends, strict=True))
    return replace(window, high=high, beyond=beyond)


def missing(size: int, least: int, stride: int) -> int:
    """
    How far a window is beyond the padded image along an axis, which has a position from
    `least` elements on, where numbers of positions are rounded towards zero: longer by
    less than a stride, it has one position. None is beyond an axis without elements.
    """
    lacking = max(least - size, 0)
    return min(lacking, stride - 1) if size and lacking < 2 * stride else 0


def _end(
    size: Dim, low: int, high: int, reach: int, stride: int
) -> tuple[int, int] | None:
    """The padding after an axis, and beyond it, when positions are rounded up."""
    if not isinstance(size, int):
        # For some sizes the last window begins in the padding, and is left out.
        return None if stride > 1 and high + stride > reach else (high, stride - 1)
    return _known_end(size, low, high, reach, stride)


def _known_end(
    size: int, low: int, high: int, reach: int, stride: int
) -> tuple[int, int]:
    """The padding after an axis of a known size, and beyond it."""
    positions = -(-(size + low + high - reach) // stride) + 1
    # A window does not start in the padding after the image.
    if (positions - 1) * stride >= size + low:
        positions -= 1
    needed = (positions - 1) * stride + reach - size - low
    return min(high, max(needed, 0)), max(needed - high, 0)


def mean_pool(x: SSAValue, window: Window, counts_padding: bool) -> SSAValue:
    """
    Builds the means under a window; means of integers are rounded towards zero. The
    mean of no elements is zero.

    Padding counts if `counts_padding`; elements beyond the padding never count.
    """
    if counts_padding and any(window.beyond):
        outer, none = (
            (0,) * (len(shape_of(x)) - len(window.low)),
            (0,) * len(window.low),
        )
        low, high = (*outer, *window.low), (*outer, *window.high)
        x = PadOp(x, low=low, high=high, value=0.0).result
        window, counts_padding = replace(window, low=none, high=none), False
    properties = window.properties()
    # With holes, a window may have all its elements in the padding.
    may_be_empty = any(window.padding) and any(step > 1 for step in window.dilation)
    if is_float(tensor_type(x)) and (counts_padding or not may_be_empty):
        return AvgPoolOp(x, **properties, count_padding=counts_padding).result
    total = SumPoolOp(x, **properties).result
    if counts_padding or not any(window.padding):
        return DivOp(total, number_like(prod(window.kernel), total)).result
    ones = expanded(number_like(1, x), [1, 1, *shape_of(x)[2:]])
    count = SumPoolOp(ones, **properties).result
    return DivOp(total, MaximumOp(count, number_like(1, count))).result


def blocks_of_image(x: SSAValue, window: Window) -> SSAValue:
    """Builds the columns NxDxL of the blocks of an image."""
    count = len(window.kernel)
    if any(window.padding):
        low, high = padded(window.padding)
        x = PadOp(x, low=low, high=high, value=0.0).result
    blocks = UnfoldOp(
        x, kernel=window.kernel, strides=window.strides, dilation=window.dilation
    ).result
    n, channels, *there = shape_of(blocks)[: 2 + count]
    places, taps = range(2, 2 + count), range(2 + count, 2 + 2 * count)
    turned = permuted(blocks, (0, 1, *taps, *places))
    depth = channels * product(window.kernel)
    return reshaped(turned, [n, depth, product(there)])


def image_of_blocks(x: SSAValue, spatial: Sequence[Dim], window: Window) -> SSAValue:
    """
    Builds an image from the columns NxDxL of its blocks, which add up where they
    overlap.
    """
    count, kernel = len(spatial), window.kernel
    n, depth, _ = shape_of(x)
    wide = [
        size + low + high
        for size, low, high in zip(spatial, window.low, window.high, strict=True)
    ]
    none = (0,) * (2 * count)
    positions = window_sizes(wide, kernel, window.strides, none, window.dilation)
    parts = reshaped(x, [n, floordiv(depth, product(kernel)), *kernel, *positions])
    taps, there = range(2, 2 + count), range(2 + count, 2 + 2 * count)
    total = FoldOp(
        PermuteOp(parts, order=(0, 1, *there, *taps)),
        spatial=to_names(wide),
        strides=window.strides,
        dilation=window.dilation,
    ).result
    inside = zip(window.low, spatial, strict=True)
    cuts: dict[int, Cut] = {
        2 + axis: (low, size, 1) for axis, (low, size) in enumerate(inside)
    }
    return cut(total, cuts)


def windows_added_up(
    x: SSAValue, shape: Sequence[Dim], axis: int, size: int, step: int
) -> SSAValue:
    """
    Builds a tensor of windows along an axis, which add up where they overlap: the
    elements of each window are the last axis of `x`, which is broadcast.
    """
    rank = len(shape)
    before, after = product(shape[:axis]), product(shape[axis + 1 :])
    count = window_sizes([shape[axis]], (size,), (step,), (0, 0), (1,))
    whole = expanded(x, [*shape[:axis], *count, *shape[axis + 1 :], size])
    others = (each for each in range(rank) if each != axis)
    rows = reshaped(
        permuted(whole, [*others, axis, rank]), [before, after, *count, size]
    )
    total = FoldOp(
        rows, spatial=to_names([shape[axis]]), strides=(step,), dilation=(1,)
    ).result
    return reshaped(permuted(total, [0, 2, 1]), shape)
