"""Windows that slide over an image: where they end, and the means under them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.ir import SSAValue

from ...dims import Dim, floordiv, product
from ..literal import to_names
from ..ops.fold import FoldOp
from ..ops.pad import PadOp
from ..ops.permute import PermuteOp
from ..ops.pool import AvgPoolOp
from ..window import window_sizes
from .parts import Cut, cut
from .shaping import reshaped, shape_of

Sizes = tuple[int, ...]


@dataclass(frozen=True)
class Window:
    """A window, and how it moves; each tuple has a number for each spatial axis."""

    kernel: Sizes
    strides: Sizes
    dilation: Sizes
    low: Sizes
    """Paddings before the image."""
    high: Sizes
    """Paddings after the image."""
    beyond: Sizes
    """More paddings after it, so that a window that is partly outside has a place."""

    @property
    def padding(self) -> Sizes:
        """All paddings, in the order of the graph dialect."""
        high = (a + b for a, b in zip(self.high, self.beyond, strict=True))
        return (*self.low, *high)

    def properties(self) -> dict[str, Sizes]:
        """The window as properties of a pool."""
        return {
            "kernel": self.kernel,
            "strides": self.strides,
            "padding": self.padding,
            "dilation": self.dilation,
        }


def rounded_up(
    size: Dim, low: int, high: int, reach: int, stride: int
) -> tuple[int, int] | None:
    """
    The padding after an axis, and that beyond it, with the places rounded up; None
    where that differs with a size that varies.
    """
    if not isinstance(size, int):
        # The last window may begin in the padding, and is left out then.
        return None if stride > 1 and high + stride > reach else (high, stride - 1)
    places = -(-(size + low + high - reach) // stride) + 1
    # A window does not start in the padding after the image.
    if (places - 1) * stride >= size + low:
        places -= 1
    needed = (places - 1) * stride + reach - size - low
    return min(high, max(needed, 0)), max(needed - high, 0)


def mean_pool(x: SSAValue, window: Window, counts_padding: bool) -> SSAValue:
    """
    Builds the means under a window, of which padding is part where it counts; what
    lies beyond the padding never is.
    """
    padding = window.padding
    if counts_padding and any(window.beyond):
        outer = (0,) * (len(shape_of(x)) - len(window.low))
        low, high = (*outer, *window.low), (*outer, *window.high)
        x = PadOp(x, low=low, high=high, value=0.0).result
        padding, counts_padding = (*(0 for _ in window.low), *window.beyond), False
    places = window.properties() | {"padding": padding}
    return AvgPoolOp(x, **places, count_padding=counts_padding).result


def image_of_blocks(x: SSAValue, spatial: Sequence[Dim], window: Window) -> SSAValue:
    """Builds the sum of the columns NxDxL where their blocks lie in an image."""
    count, kernel = len(spatial), window.kernel
    n, depth, _ = shape_of(x)
    wide = [
        size + low + high
        for size, low, high in zip(spatial, window.low, window.high, strict=True)
    ]
    none = (0,) * (2 * count)
    places = window_sizes(wide, kernel, window.strides, none, window.dilation)
    parts = reshaped(x, [n, floordiv(depth, product(kernel)), *kernel, *places])
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
