"""The gradients of convolutions: of the image, of the weights and of the bias."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import SSAValue

from ....dialects import Dim, floordiv
from ....dialects.graph import MatmulOp, SumOp
from ....dialects.graph.compose import (
    convolved,
    convolved_back,
    cut,
    permuted,
    pooling,
    reshaped,
    shape_of,
)
from .call import Call, Reader, Result
from .contraction import Window, each, each_of


def _fitted(x: SSAValue, spatial: Sequence[Dim]) -> SSAValue:
    """The first elements of an image along its spatial axes."""
    return cut(x, {axis: (0, size, 1) for axis, size in enumerate(spatial, 2)})


def _of_weight(
    image: SSAValue,
    other: SSAValue,
    weight: SSAValue,
    groups: Dim,
    window: pooling.Window,
) -> SSAValue:
    """
    The sums of products of an image under a window and of another image, which has an
    element for each of its positions; channels of the other image come first.
    """
    columns = pooling.blocks_of_image(image, window)
    n, depth, length = shape_of(columns)
    channels, rows = shape_of(other)[1], n * length
    columns = reshaped(columns, [n, groups, floordiv(depth, groups), length])
    flat = reshaped(other, [n, groups, floordiv(channels, groups), length])
    right = permuted(columns, (1, 0, 3, 2))
    right = reshaped(right, [groups, rows, floordiv(depth, groups)])
    left = permuted(flat, (1, 2, 0, 3))
    left = reshaped(left, [groups, floordiv(channels, groups), rows])
    return reshaped(MatmulOp(left, right).result, shape_of(weight))


def _back(
    call: Call,
    gradient: SSAValue,
    x: SSAValue,
    weight: SSAValue,
    bias_sizes: Sequence[Dim] | None,
    stride: Window,
    padding: Window,
    dilation: Window,
    transposed: bool,
    output_padding: Window,
    groups: Dim,
    mask: Sequence[bool],
) -> Result:
    """The gradients of the image, the weights and the bias, where they are wanted."""
    count = len(shape_of(x)) - 2
    kernel = each(shape_of(weight)[2:], count)
    ways = each_of(count, stride, padding, dilation, output_padding)
    strides, around, steps, more = ways
    window = pooling.Window(kernel, strides, steps, around, around, (0,) * count)
    found: list[SSAValue | None] = [None, None, None]
    if mask[0]:
        if transposed:
            whole = convolved(gradient, weight, groups, window)
        else:
            spare = tuple(each - 1 for each in strides)
            whole = convolved_back(gradient, weight, groups, window, spare)
        found[0] = _fitted(whole, shape_of(x)[2:])
    if mask[1]:
        image, other = x, gradient
        if transposed:
            # Positions of the window are at the elements of what was spread out.
            low = zip(around, more, strict=True)
            high = tuple(max(a - b, 0) for a, b in low)
            window = pooling.Window(kernel, strides, steps, around, high, (0,) * count)
            off = (max(b - a, 0) for a, b in zip(around, more, strict=True))
            spatial = zip(shape_of(gradient)[2:], off, strict=True)
            image, other = _fitted(gradient, [a - b for a, b in spatial]), x
        found[1] = _of_weight(image, other, weight, groups, window)
    if mask[2]:
        axes = (0, *range(2, count + 2))
        found[2] = SumOp(gradient, axes=axes, keepdims=False).result
    return found


READERS: dict[str, Reader] = {"aten.convolution_backward.default": _back}
