"""ONNX ops with sliding windows other than pools: convolutions and `Col2Im`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import prod

from xdsl.ir import SSAValue

from ....dialects import Dim, ceildiv, floordiv, greater
from ....dialects.graph.compose import (
    OpenWindow,
    Window,
    convolved,
    convolved_back,
    open_kernel,
    pooling,
    reshaped,
    with_bias,
)
from ..unsupported import Varies
from .node import Handler, Node, Result


def open_window(node: Node, kernel: Sequence[int]) -> OpenWindow | None:
    """
    The window of a node whose padding follows from sizes that vary; None where it is a
    number for each axis.
    """
    spatial = node.shape(0)[2:]
    strides = _attribute(node, "strides", len(spatial), 1)
    is_open = any(
        not isinstance(size, int) and stride > 1
        for size, stride in zip(spatial, strides, strict=True)
    )
    kind = _auto_pad(node)
    if not is_open or not (kind.startswith("SAME") or rounds_up(node)):
        return None
    plain = _geometry(node, len(spatial), kernel)
    if not kind.startswith("SAME"):
        window = _padded_window(node, plain, spatial)
        is_known = pooling.rounded_up(window, spatial) is not None
        return None if is_known else OpenWindow.rounded_up(window, spatial)
    totals = [
        _same(*each) for each in zip(spatial, plain.reach, plain.strides, strict=True)
    ]
    less = [floordiv(each, 2) for each in totals]
    more = [total - part for total, part in zip(totals, less, strict=True)]
    low, high = (less, more) if kind == "SAME_UPPER" else (more, less)
    return OpenWindow(plain, low, high, [0] * len(spatial))


def window_of(node: Node, spatial: Sequence[Dim], kernel: Sequence[int]) -> Window:
    """The window of a node over an image with these spatial dimensions."""
    window = _padded_window(node, _geometry(node, len(spatial), kernel), spatial)
    if rounds_up(node):
        if (rounded := pooling.rounded_up(window, spatial)) is None:
            raise Varies(f"ceil_mode over a size that varies: {node.type(0)}", *spatial)
        return rounded
    return window


def rounds_up(node: Node) -> bool:
    """Whether numbers of positions are rounded up."""
    return "ceil_mode" in node.signature.attributes and node.flag("ceil_mode")


def _geometry(node: Node, count: int, kernel: Sequence[int]) -> Window:
    """The window of a node without its padding."""
    kernel, none = tuple(kernel), (0,) * count
    strides = _attribute(node, "strides", count, 1)
    dilation = _attribute(node, "dilations", count, 1)
    if len(kernel) != count or min(*kernel, *strides, *dilation, 1) < 1:
        raise node.error(
            f"expected a kernel, strides and dilations of one or more along {count} "
            f"axes, got {kernel}, {strides} and {dilation}"
        )
    return Window(kernel, strides, dilation, none, none, beyond=none)


def _padded_window(node: Node, window: Window, spatial: Sequence[Dim]) -> Window:
    """The window with the padding of a node."""
    low, high = _paddings(node, spatial, window.reach, window.strides)
    return replace(window, low=low, high=high)


def _auto_pad(node: Node) -> str:
    """How a node is padded."""
    has_kind = "auto_pad" in node.signature.attributes
    return node.text("auto_pad") if has_kind else "NOTSET"


def _attribute(node: Node, name: str, count: int, otherwise: int) -> pooling.Sizes:
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
    node: Node, spatial: Sequence[Dim], reach: pooling.Sizes, strides: pooling.Sizes
) -> tuple[pooling.Sizes, pooling.Sizes]:
    """The paddings before and after the image along each spatial axis."""
    count = len(spatial)
    match kind := _auto_pad(node):
        case "NOTSET":
            pads = _attribute(node, "pads", 2 * count, 0)
            return pads[:count], pads[count:]
        case "VALID":
            return (0,) * count, (0,) * count
        case "SAME_UPPER" | "SAME_LOWER":
            totals = [
                _same(*each) for each in zip(spatial, reach, strides, strict=True)
            ]
            known = tuple(each for each in totals if isinstance(each, int))
            if len(known) < count:
                why = f"{kind} over a size that varies: {node.type(0)}"
                raise Varies(why, *spatial)
            less = tuple(total // 2 for total in known)
            more = tuple(total - total // 2 for total in known)
            return (less, more) if kind == "SAME_UPPER" else (more, less)
        case _:
            raise node.error(
                "expected auto_pad NOTSET, VALID, SAME_UPPER or SAME_LOWER, got "
                f"{kind!r}"
            )


def _same(size: Dim, reach: int, stride: int) -> Dim:
    """The `SAME` padding: one window position for every `stride` elements."""
    needed = (ceildiv(size, stride) - 1) * stride + reach - size
    # No less than zero where windows reach each other.
    return needed if reach >= stride else greater(needed, 0)


def conv(node: Node) -> Result:
    """The convolution with an optional bias."""
    bias = node.operand(2) if node.has(2) else None
    if (found := _conv_by_sizes(node)) is not None:
        return with_bias(found, bias)
    x, kernel = node.operand(0), conv_kernel(node)
    if (by_sizes := open_window(node, kernel)) is not None:
        x, window = by_sizes.around(x, 0.0), by_sizes.window
    else:
        window = window_of(node, node.shape(0)[2:], kernel)
    weight = _weight(node, kernel)
    return with_bias(convolved(x, weight, node.integer("group"), window), bias)


def _conv_by_sizes(node: Node) -> SSAValue | None:
    """Builds the convolution of weights whose window varies; None if it does not."""
    kernel, count = node.shape(1)[2:], node.rank(1) - 2
    is_known = all(isinstance(each, int) for each in kernel)
    if is_known or node.rank(0) != node.rank(1) or node.integers("kernel_shape"):
        return None
    strides = _attribute(node, "strides", count, 1)
    dilation = _attribute(node, "dilations", count, 1)
    if _auto_pad(node).startswith("SAME"):
        raise Varies(f"{_auto_pad(node)} of weights that vary: {node.type(1)}", *kernel)
    how = strides, dilation, *_paddings(node, kernel, (), ())
    x, weight = node.operand(0), node.operand(1)
    return open_kernel.convolved_by_sizes(x, weight, node.integer("group"), *how)


def _weight(node: Node, kernel: pooling.Sizes) -> SSAValue:
    """The weights, whose window has these sizes where it is open."""
    weight = node.operand(1)
    if node.shape(1)[2:] == kernel:
        return weight
    return reshaped(weight, [*node.shape(1)[:2], *kernel])


def conv_transpose(node: Node) -> Result:
    """The transposed convolution with an optional bias."""
    kernel = conv_kernel(node)
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
    weight, groups = _weight(node, kernel), node.integer("group")
    result = convolved_back(node.operand(0), weight, groups, window, more)
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


def conv_kernel(node: Node, weight: int = 1) -> pooling.Sizes:
    """The spatial sizes of the weights of a convolution, which are that input."""
    if node.rank(0) < 3 or node.rank(weight) != node.rank(0):
        raise node.error(
            f"expected NxCx... and weights of as many axes, got {node.type(0)} and "
            f"{node.type(weight)}"
        )
    sizes, given = node.shape(weight)[2:], node.integers("kernel_shape")
    kernel = tuple(each for each in sizes if isinstance(each, int))
    if given is not None and len(given) == len(sizes) > len(kernel):
        problem = f"expected weights of kernel_shape {given}, got {node.type(weight)}"
        for each, wanted in zip(sizes, given, strict=True):
            node.agreed(each, wanted, problem)
        return given
    if len(kernel) < len(sizes):
        why = f"weights of a size that varies: {node.type(weight)}"
        raise Varies(why, *sizes)
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
    return pooling.image_of_blocks(node.operand(0), image, window)


def _halves(padding: pooling.Sizes) -> tuple[pooling.Sizes, pooling.Sizes]:
    """The paddings before and the paddings after each axis."""
    half = len(padding) // 2
    return padding[:half], padding[half:]


HANDLERS: dict[str, Handler] = {
    "Col2Im": _col_to_image,
    "Conv": conv,
    "ConvTranspose": conv_transpose,
}
