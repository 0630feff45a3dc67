"""ONNX ops with a window that slides over an image: `Conv` and the pools."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil

from ....dialects.dims import Dim
from ....dialects.graph.literal import to_names
from ....dialects.graph.ops.arithmetic import AbsOp, SqrtOp
from ....dialects.graph.ops.binary import AddOp, MulOp
from ....dialects.graph.ops.conv import ConvOp
from ....dialects.graph.ops.pad import PadOp
from ....dialects.graph.ops.pool import AvgPoolOp, MaxPoolOp, SumPoolOp
from ....dialects.graph.ops.reduce import MeanOp, ReduceMaxOp
from ....dialects.graph.ops.reshape import ReshapeOp
from .element import Unsupported
from .node import Handler, Node, Result

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


def window_of(node: Node, spatial: Sequence[Dim], kernel: Sequence[int]) -> Window:
    """The window of a node that moves over an image with these spatial dimensions."""
    count = len(spatial)
    kernel = tuple(kernel)
    strides = _attribute(node, "strides", count, 1)
    dilation = _attribute(node, "dilations", count, 1)
    if len(kernel) != count or min(*kernel, *strides, *dilation, 1) < 1:
        raise node.error(
            f"expected a kernel, strides and dilations of one or more along {count} "
            f"axes, got {kernel}, {strides} and {dilation}"
        )
    reach = tuple((k - 1) * d + 1 for k, d in zip(kernel, dilation, strict=True))
    low, high = _paddings(node, spatial, reach, strides)
    beyond = (0,) * count
    if "ceil_mode" in node.signature.attributes and node.flag("ceil_mode"):
        ends = [
            _rounded_up(*axis)
            for axis in zip(spatial, low, high, reach, strides, strict=True)
        ]
        high, beyond = (tuple(each) for each in zip(*ends, strict=True))
    return Window(kernel, strides, dilation, low, high, beyond)


def _attribute(node: Node, name: str, count: int, otherwise: int) -> Sizes:
    """An attribute with `count` numbers, which may be left out."""
    if name not in node.signature.attributes:
        return (otherwise,) * count
    values = node.integers(name)
    if values is None:
        return (otherwise,) * count
    if len(values) != count:
        raise node.error(f"expected {count} {name}, got {values}")
    return values


def _paddings(
    node: Node, spatial: Sequence[Dim], reach: Sizes, strides: Sizes
) -> tuple[Sizes, Sizes]:
    """The paddings before and after the image along each spatial axis."""
    count = len(spatial)
    match kind := node.text("auto_pad"):
        case "NOTSET":
            pads = _attribute(node, "pads", 2 * count, 0)
            return pads[:count], pads[count:]
        case "VALID":
            return (0,) * count, (0,) * count
        case "SAME_UPPER" | "SAME_LOWER":
            totals = [
                _same(*each) for each in zip(spatial, reach, strides, strict=True)
            ]
            less = tuple(total // 2 for total in totals)
            more = tuple(total - total // 2 for total in totals)
            return (less, more) if kind == "SAME_UPPER" else (more, less)
        case _:
            raise node.error(
                "expected auto_pad NOTSET, VALID, SAME_UPPER or SAME_LOWER, got "
                f"{kind!r}"
            )


def _same(size: Dim, reach: int, stride: int) -> int:
    """The paddings with which a window has a place for each `stride` elements."""
    if isinstance(size, int):
        return max((ceil(size / stride) - 1) * stride + reach - size, 0)
    if stride == 1:
        return reach - 1
    raise Unsupported(f"auto_pad with stride {stride} over a size that varies: {size}")


def _rounded_up(
    size: Dim, low: int, high: int, reach: int, stride: int
) -> tuple[int, int]:
    """The padding after an axis, and that beyond it, with the places rounded up."""
    if not isinstance(size, int):
        if stride > 1 and high + stride > reach:
            raise Unsupported(f"ceil_mode over a size that varies: {size}")
        return high, stride - 1
    places = -(-(size + low + high - reach) // stride) + 1
    # A window does not start in the padding after the image.
    if (places - 1) * stride >= size + low:
        places -= 1
    needed = (places - 1) * stride + reach - size - low
    return min(high, max(needed, 0)), max(needed - high, 0)


def conv(node: Node) -> Result:
    """The convolution, and a number for each channel added to it."""
    if node.rank(0) < 3 or node.rank(1) != node.rank(0):
        raise node.error(
            f"expected NxCx... and weights of as many axes, got {node.type(0)} and "
            f"{node.type(1)}"
        )
    kernel = [each for each in node.shape(1)[2:] if isinstance(each, int)]
    if len(kernel) < node.rank(1) - 2:
        raise Unsupported(f"weights of a size that varies: {node.type(1)}")
    given = node.integers("kernel_shape")
    if given is not None and given != tuple(kernel):
        raise node.error(f"expected kernel_shape {tuple(kernel)}, got {given}")
    window = window_of(node, node.shape(0)[2:], kernel)
    result = ConvOp(
        node.operand(0),
        node.operand(1),
        strides=window.strides,
        padding=window.padding,
        dilation=window.dilation,
        groups=node.integer("group"),
    ).result
    if not node.has(2):
        return result
    shape = [node.shape(1)[0], *(1 for _ in kernel)]
    return AddOp(result, ReshapeOp(node.operand(2), shape=to_names(shape)))


def pool_window(node: Node) -> Window:
    """The window of a pool."""
    if node.rank(0) < 3:
        raise node.error(f"expected NxCx..., got {node.type(0)}")
    kernel = node.integers("kernel_shape")
    assert kernel is not None, "the signature of every pool requires its kernel"
    return window_of(node, node.shape(0)[2:], kernel)


def max_pool(node: Node) -> Result:
    """The greatest element under each place of a window."""
    window = pool_window(node)
    return MaxPoolOp(
        node.operand(0),
        kernel=window.kernel,
        strides=window.strides,
        padding=window.padding,
        dilation=window.dilation,
    )


def average_pool(node: Node) -> Result:
    """The mean of the elements under each place of a window."""
    window = pool_window(node)
    x, padding = node.operand(0), window.padding
    is_told = "count_include_pad" in node.signature.attributes
    counts = is_told and node.flag("count_include_pad")
    if counts and any(window.beyond):
        # The padding counts, but not what lies beyond it.
        x = PadOp(
            x, low=(0, 0, *window.low), high=(0, 0, *window.high), value=0.0
        ).result
        padding, counts = (*(0 for _ in window.low), *window.beyond), False
    return AvgPoolOp(
        x,
        kernel=window.kernel,
        strides=window.strides,
        padding=padding,
        dilation=window.dilation,
        count_padding=counts,
    )


def length_pool(node: Node) -> Result:
    """The sum of magnitudes, or the length, of the elements under a window."""
    window = pool_window(node)
    power = node.integer("p")
    if power not in (1, 2):
        raise Unsupported(f"the power {power}")
    x = node.operand(0)
    total = SumPoolOp(
        AbsOp(x) if power == 1 else MulOp(x, x),
        kernel=window.kernel,
        strides=window.strides,
        padding=window.padding,
        dilation=window.dilation,
    )
    return total if power == 1 else SqrtOp(total)


def spatial_axes(node: Node) -> Sizes:
    """The axes of an image, after those of the batch and the channels."""
    if node.rank(0) < 3:
        raise node.error(f"expected NxCx..., got {node.type(0)}")
    return tuple(range(2, node.rank(0)))


def global_average_pool(node: Node) -> Result:
    """The mean of each channel."""
    return MeanOp(node.operand(0), axes=spatial_axes(node), keepdims=True)


def global_max_pool(node: Node) -> Result:
    """The greatest element of each channel."""
    return ReduceMaxOp(node.operand(0), axes=spatial_axes(node), keepdims=True)


HANDLERS: dict[str, Handler] = {
    "AveragePool": average_pool,
    "Conv": conv,
    "GlobalAveragePool": global_average_pool,
    "GlobalMaxPool": global_max_pool,
    "LpPool": length_pool,
    "MaxPool": max_pool,
}
