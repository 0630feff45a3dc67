"""ONNX ops that combine the elements of sliding windows: the pools."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import inf

import numpy as np
from xdsl.ir import SSAValue

from ....dialects import (
    ELEMENT_TYPES,
    Dim,
    dtype,
    greater,
    is_float,
    product,
)
from ....dialects.graph import (
    AddOp,
    ArgmaxPoolOp,
    DimOp,
    DivOp,
    IotaOp,
    MaxPoolOp,
    MeanOp,
    MulOp,
    ReduceMaxOp,
    ScatterOp,
    SubOp,
    SumOp,
    SumPoolOp,
)
from ....dialects.graph.compose import (
    OpenWindow,
    Window,
    filled,
    padding,
    pooling,
    raised,
    reshaped,
    root,
)
from ..unsupported import Varies
from .length import length_power
from .node import Handler, Node, Result, Results
from .window import open_window, rounds_up, window_of


def _kernel(node: Node) -> pooling.Sizes:
    """The sizes of the window of a pool."""
    if node.rank(0) < 3:
        raise node.error(f"expected NxCx..., got {node.type(0)}")
    kernel = node.integers("kernel_shape")
    assert kernel is not None, "the signature of every pool requires its kernel"
    return kernel


def pool_window(node: Node, kernel: pooling.Sizes) -> Window | OpenWindow:
    """
    The window of a pool. One that is longer than a padded image by less than a stride
    is cut short, which is checked not to happen along an axis that varies: as sizes of
    all pools before, it would double the text of sizes at each of them.
    """
    spatial = node.shape(0)[2:]
    if (by_sizes := open_window(node, kernel)) is not None:
        return by_sizes
    window = window_of(node, spatial, kernel)
    if rounds_up(node):
        return window
    beyond = [0] * len(spatial)
    for axis, (size, stride) in enumerate(zip(spatial, window.strides, strict=True)):
        least = window.reach[axis] - window.low[axis] - window.high[axis]
        if isinstance(size, int):
            beyond[axis] = pooling.missing(size, least, stride)
        elif stride > 1 and least > 1:
            # An image without elements has no window.
            fits, has_none = size - least, least - stride - size
            message = (
                f"a size {size} of {least} or more along spatial axis {axis} of a "
                "pool, or a model compiled for inputs of known sizes"
            )
            node.require(greater(fits, has_none), message)
    return replace(window, beyond=(*beyond,))


def _padded(
    x: SSAValue, window: Window | OpenWindow, value: float
) -> tuple[SSAValue, Window]:
    """
    Builds the image padded with one value, by amounts that vary; and its window, whose
    padding is numbers.
    """
    if isinstance(window, OpenWindow):
        return window.around(x, value), window.window
    return x, window


def max_pool(node: Node) -> Results:
    """The greatest element of each window, and its index."""
    window, least = pool_window(node, _kernel(node)), -inf
    if not is_float(node.type(0)):
        least = ELEMENT_TYPES[node.element(0)].limits[0]
    x, over = _padded(node.operand(0), window, least)
    properties = over.properties()
    result = MaxPoolOp(x, **properties)
    if not node.gives(1):
        return result
    numbers = ArgmaxPoolOp(x, **properties).result
    n, channels, *spatial = node.shape(0)
    if isinstance(window, OpenWindow):
        if (inside := window.places_in(numbers, spatial)) is None:
            # Where all elements are the least, padding would be the first of them.
            why = f"indices of windows with holes over a padded {node.type(0)}"
            raise Varies(why, *spatial)
        numbers = inside
    if "storage_order" in node.signature.attributes and node.flag("storage_order"):
        numbers = _column_major(numbers, spatial)
    image = IotaOp(size=str(n * channels))
    before = MulOp(image, DimOp(value=str(product(spatial))))
    shape = [n, channels, *(1 for _ in spatial)]
    return [result, AddOp(numbers, reshaped(before.result, shape))]


def _column_major(numbers: SSAValue, spatial: Sequence[Dim]) -> SSAValue:
    """Builds column-major linear indices from row-major ones."""
    total: SSAValue | None = None
    for axis in reversed(range(len(spatial))):
        # The coordinate along the last axis is the remainder modulo its size.
        size = DimOp(value=str(spatial[axis]))
        rest = DivOp(numbers, size).result
        place = SubOp(numbers, MulOp(rest, size))
        part = MulOp(place, DimOp(value=str(product(spatial[:axis])))).result
        total = part if total is None else AddOp(total, part).result
        numbers = rest
    assert total is not None, "an image has axes"
    return total


def _max_unpool(node: Node) -> Result:
    """Elements put back at the indices of a max pool, zeros elsewhere."""
    shape = node.shape(0)
    window = window_of(node, shape[2:], _kernel(node))
    spatial: list[Dim] = []
    for size, *rest in zip(
        shape[2:], window.strides, window.kernel, window.low, window.high, strict=True
    ):
        stride, kernel, low, high = rest
        spatial.append((size - 1) * stride + kernel - low - high)
    image = [*shape[:2], *spatial]
    zeros = filled(np.zeros((), dtype(node.type(0))), [product(image)])
    row = [product(shape)]
    where, values = (reshaped(node.operand(each), row) for each in (1, 0))
    total = ScatterOp(zeros, where, values, axis=0, wraps=True, reduction="none")
    result = reshaped(total.result, image)
    if not node.has(2):
        return result
    wanted = node.dims(2)
    if len(wanted) != len(image):
        raise node.error(f"expected {len(image)} sizes, got {len(wanted)}")
    more = [big - small for big, small in zip(wanted, image, strict=True)]
    got = f"expected an output_shape of {_listed(image)} or more"
    if any(isinstance(each, int) and each < 0 for each in more):
        raise node.error(f"{got}, got {_listed(wanted)}")
    for each, small in zip(more, image, strict=True):
        node.require(each, got.removeprefix("expected "), small, each)
    return padding.padded(result, [0] * len(more), more, "constant")


def _listed(shape: Sequence[Dim]) -> str:
    """Sizes as text."""
    return ", ".join(map(str, shape))


def _average_pool(node: Node) -> Result:
    """The mean of the elements of each window."""
    is_told = "count_include_pad" in node.signature.attributes
    counts = is_told and node.flag("count_include_pad")
    # What is beyond the padding counts in ONNX Runtime's kernel of these opsets.
    counts_beyond = counts and node.since < 19 and not rounds_up(node)
    window = pool_window(node, _kernel(node))
    return means_under(node.operand(0), window, counts, counts_beyond)


def means_under(
    x: SSAValue, window: Window | OpenWindow, counts: bool, counts_beyond: bool
) -> SSAValue:
    """
    Builds the means under a window, where padding may count, and what is beyond it too.
    """
    if isinstance(window, Window):
        over = window.padded_beyond if counts_beyond else window
        return pooling.mean_pool(x, over, counts)
    return window.means(x, counts, counts_beyond)


def _length_pool(node: Node) -> Result:
    """The Lp norm of the elements of each window."""
    power = length_power(node)
    window = pool_window(node, _kernel(node))
    parts, over = _padded(raised(node.operand(0), power), window, 0.0)
    return root(SumPoolOp(parts, **over.properties()).result, power)


def _global_length_pool(node: Node) -> Result:
    """The Lp norm of each channel."""
    power = length_power(node)
    parts = raised(node.operand(0), power)
    total = SumOp(parts, axes=_spatial_axes(node), keepdims=True)
    return root(total.result, power)


def _spatial_axes(node: Node) -> pooling.Sizes:
    """The axes of an image, after those of the batch and the channels."""
    if node.rank(0) < 3:
        raise node.error(f"expected NxCx..., got {node.type(0)}")
    return tuple(range(2, node.rank(0)))


def _global_average_pool(node: Node) -> Result:
    """The mean of each channel."""
    return MeanOp(node.operand(0), axes=_spatial_axes(node), keepdims=True)


def _global_max_pool(node: Node) -> Result:
    """The greatest element of each channel."""
    return ReduceMaxOp(node.operand(0), axes=_spatial_axes(node), keepdims=True)


HANDLERS: dict[str, Handler] = {
    "AveragePool": _average_pool,
    "GlobalAveragePool": _global_average_pool,
    "GlobalLpPool": _global_length_pool,
    "GlobalMaxPool": _global_max_pool,
    "LpPool": _length_pool,
    "MaxPool": max_pool,
    "MaxUnpool": _max_unpool,
}
