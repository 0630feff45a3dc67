"""
Convolutions whose counts of groups and filters only a run may know.

A batch that is folded into the channels has a group for each image. What is under the
windows, or comes from under them, is then a matrix for each group.
"""

from __future__ import annotations

from xdsl.ir import SSAValue

from ...dims import Dim, floordiv, product
from ...element_type import Element
from ..families.transposed_window import TransposedWindow, transposed_sizes
from ..families.window import padded, window_sizes
from ..ops.conv import ConvOp
from ..ops.conv_transpose import ConvTransposeOp
from ..ops.matmul import MatmulOp
from ..ops.pad import PadOp
from .parts import cut
from .pooling import Sizes, Window, blocks_of_image, image_of_blocks
from .shaping import permuted, reshaped, shape_of


def convolved(
    x: SSAValue,
    weight: SSAValue,
    groups: Dim,
    window: Window,
    to: Element | None = None,
) -> SSAValue:
    """
    Builds the convolution of NxCx... with weights Ox(C/groups)x...; sums may be wider.
    """
    outputs, depth, *_ = shape_of(weight)
    given = {"strides": window.strides, "dilation": window.dilation}
    wide = {} if to is None else {"to": to}
    if isinstance(groups, int) and (groups < 1 or isinstance(outputs, int)):
        padding = window.padding
        how = {**given, **wide, "padding": padding, "groups": groups}
        return ConvOp(x, weight, **how).result
    columns = blocks_of_image(x, window)
    n, _, length = shape_of(columns)
    taps = depth * product(window.kernel)
    filters = reshaped(weight, [groups, floordiv(outputs, groups), taps])
    columns = reshaped(columns, [n, groups, taps, length])
    result = MatmulOp(filters, columns, **wide).result
    _, _, *spatial = shape_of(x)
    places = window_sizes(spatial, window.kernel, padding=window.padding, **given)
    return reshaped(result, [n, outputs, *places])


def convolved_back(
    x: SSAValue, weight: SSAValue, groups: Dim, window: Window, output_padding: Sizes
) -> SSAValue:
    """Builds the transposed convolution of NxCx... with weights Cx(O/groups)x...."""
    channels, outputs, *_ = shape_of(weight)
    given = {
        "strides": window.strides,
        "padding": window.padding,
        "output_padding": output_padding,
        "dilation": window.dilation,
    }
    known = isinstance(channels, int) and isinstance(outputs, int)
    if isinstance(groups, int) and (groups < 1 or known):
        return ConvTransposeOp(x, weight, **given, groups=groups).result
    n, _, *spatial = shape_of(x)
    sizes = transposed_sizes(spatial, TransposedWindow.of(window.kernel, **given))
    depth, length = floordiv(channels, groups), product(spatial)
    taps = outputs * product(window.kernel)
    filters = permuted(reshaped(weight, [groups, depth, taps]), (0, 2, 1))
    columns = MatmulOp(filters, reshaped(x, [n, groups, depth, length])).result
    none = (0,) * len(spatial)
    whole = Window(window.kernel, window.strides, window.dilation, none, none, none)
    reach = zip(spatial, window.kernel, window.strides, window.dilation, strict=True)
    wide = [(size - 1) * s + (k - 1) * d + 1 for size, k, s, d in reach]
    image = image_of_blocks(reshaped(columns, [n, groups * taps, length]), wide, whole)
    if any(output_padding):
        low, high = padded((*none, *output_padding))
        image = PadOp(image, low=low, high=high, value=0.0).result
    inside = enumerate(zip(window.low, sizes, strict=True), 2)
    return cut(image, {axis: (low, size, 1) for axis, (low, size) in inside})
