"""ONNX ops with sliding windows other than pools: convolutions and `Col2Im`."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from ....dialects import Dim, ceildiv
from ....dialects.graph.compose import (
    Sizes,
    Window,
    convolved,
    convolved_back,
    image_of_blocks,
    rounded_up,
    with_bias,
)
from ..unsupported import Varies
from .node import Handler, Node, Result


def window_of(node: Node, spatial: Sequence[Dim], kernel: Sequence[int]) -> Window:
    """The window of a node over an image with these spatial dimensions."""
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
    window = Window(kernel, strides, dilation, low, high, beyond=(0,) * count)
    if "ceil_mode" in node.signature.attributes and node.flag("ceil_mode"):
        if (rounded := rounded_up(window, spatial)) is None:
            raise Varies(f"ceil_mode over a size that varies: {node.type(0)}", *spatial)
        return rounded
    return window


def _attribute(node: Node, name: str, count: int, otherwise: int) -> Sizes:
    """An optional attribute with `count` numbers."""
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
    has_kind = "auto_pad" in node.signature.attributes
    match kind := node.text("auto_pad") if has_kind else "NOTSET":
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
    """The `SAME` padding: one window position for every `stride` elements."""
    if isinstance(size, int):
        places = ceildiv(size, stride)
        assert isinstance(places, int)
        return max((places - 1) * stride + reach - size, 0)
    if stride == 1:
        return reach - 1
    why = f"auto_pad with stride {stride} over a size that varies: {size}"
    raise Varies(why, size)


def conv(node: Node) -> Result:
    """The convolution with an optional bias."""
    window = window_of(node, node.shape(0)[2:], _conv_kernel(node))
    result = convolved(node.operand(0), node.operand(1), node.integer("group"), window)
    return with_bias(result, node.operand(2) if node.has(2) else None)


def conv_transpose(node: Node) -> Result:
    """The transposed convolution with an optional bias."""
    kernel = _conv_kernel(node)
    count = len(kernel)
    strides = _attribute(node, "strides", count, 1)
    dilation = _attribute(node, "dilations", count, 1)
    more = _attribute(node, "output_padding", count, 0)
    reach = [(k - 1) * d + 1 for k, d in zip(kernel, dilation, strict=True)]
    kind = node.text("auto_pad")
    if shape := node.integers("output_shape"):
        if len(shape) not in (count, count + 2):
            raise node.error(f"expected {count} sizes as output_shape, got {shape}")
        spare = [
            _spare(*each)
            for each in zip(
                node.shape(0)[2:], strides, reach, more, shape[-count:], strict=True
            )
        ]
    elif kind in ("SAME_UPPER", "SAME_LOWER"):
        spare = [r - s + m for r, s, m in zip(reach, strides, more, strict=True)]
    else:
        spare = []
    if spare:
        less = tuple(max(each, 0) // 2 for each in spare)
        rest = tuple(max(each, 0) - max(each, 0) // 2 for each in spare)
        low, high = (less, rest) if kind == "SAME_UPPER" else (rest, less)
        more = tuple(m - min(each, 0) for m, each in zip(more, spare, strict=True))
    else:
        low, high = _paddings(node, kernel, (), ())
    window = Window(kernel, strides, dilation, low, high, (0,) * count)
    result = convolved_back(
        node.operand(0), node.operand(1), node.integer("group"), window, more
    )
    return with_bias(result, node.operand(2) if node.has(2) else None)


def _spare(size: Dim, stride: int, reach: int, more: int, wanted: int) -> int:
    """
    The surplus of an axis over the requested size; raises `Unsupported` if it is
    symbolic.
    """
    spare = (size - 1) * stride + reach + more - wanted
    if not isinstance(spare, int):
        why = f"output_shape {wanted} from a size that varies: {size}"
        raise Varies(why, size)
    return spare


def _conv_kernel(node: Node) -> Sizes:
    """The spatial sizes of the weights of a convolution."""
    if node.rank(0) < 3 or node.rank(1) != node.rank(0):
        raise node.error(
            f"expected NxCx... and weights of as many axes, got {node.type(0)} and "
            f"{node.type(1)}"
        )
    kernel = tuple(each for each in node.shape(1)[2:] if isinstance(each, int))
    if len(kernel) < node.rank(1) - 2:
        why = f"weights of a size that varies: {node.type(1)}"
        raise Varies(why, *node.shape(1)[2:])
    given = node.integers("kernel_shape")
    if given is not None and given != kernel:
        raise node.error(f"expected kernel_shape {kernel}, got {given}")
    return kernel


def _col_to_image(node: Node) -> Result:
    """An image from its blocks, which add up where they overlap."""
    image, kernel = node.whole_numbers(1), node.whole_numbers(2)
    count = len(image)
    window = Window(
        tuple(kernel),
        _attribute(node, "strides", count, 1),
        _attribute(node, "dilations", count, 1),
        *_halves(_attribute(node, "pads", 2 * count, 0)),
        (0,) * count,
    )
    if node.rank(0) != 3 or len(kernel) != count or prod(kernel) < 1:
        raise node.error(
            f"expected columns NxCxL and a block of {count} axes, got {node.type(0)} "
            f"and {kernel}"
        )
    return image_of_blocks(node.operand(0), image, window)


def _halves(padding: Sizes) -> tuple[Sizes, Sizes]:
    """The paddings before and the paddings after each axis."""
    half = len(padding) // 2
    return padding[:half], padding[half:]


HANDLERS: dict[str, Handler] = {
    "Col2Im": _col_to_image,
    "Conv": conv,
    "ConvTranspose": conv_transpose,
}
