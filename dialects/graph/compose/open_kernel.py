"""
Convolutions with windows that are as large as the weights of a run.

What is under a window is gathered, axis by axis, by the numbers of its elements where
the number of filters is open too.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import SSAValue

from ...dims import Dim, floordiv, product
from ..ops.binary import AddOp
from ..ops.conv import ConvOp
from ..ops.index_select import IndexSelectOp
from ..ops.matmul import MatmulOp
from ..ops.pad import PadOp
from ..ops.require import RequireOp
from ..requirement import Requirement
from . import padding
from .counting import counted
from .number import times
from .parts import cut, flipped
from .shaping import permuted, reshaped, shape_of


def convolved_by_sizes(
    x: SSAValue,
    weight: SSAValue,
    groups: Dim,
    strides: Sequence[int],
    dilation: Sequence[int],
    low: Sequence[Dim],
    high: Sequence[Dim],
) -> SSAValue:
    """
    Builds the convolution of NxCx... with weights Ox(C/groups)x..., whose sizes may all
    be open. Negative paddings crop the image.
    """
    outputs, depth, *kernel = shape_of(weight)
    x = padding.padded(x, [0, 0, *low], [0, 0, *high], "constant")
    n, _, *spatial = shape_of(x)
    axes = zip(spatial, kernel, strides, dilation, strict=True)
    places: list[Dim] = []
    for axis, (size, taps, stride, step) in enumerate(axes):
        reach = (taps - 1) * step + 1
        places.append(floordiv(size - reach, stride) + 1)
        message = f"expected a window that fits spatial axis {axis} of {size} elements"
        fits = Requirement(size - reach, message, (reach, size))
        RequireOp.of(fits, "convolution")
    if isinstance(groups, int) and isinstance(outputs, int):
        how = {"strides": tuple(strides), "dilation": tuple(dilation), "groups": groups}
        return ConvOp(x, weight, padding=(0, 0) * len(kernel), **how).result
    for axis, (taps, stride, step) in enumerate(
        zip(kernel, strides, dilation, strict=True)
    ):
        starts = times(counted(places[axis], 0, 2), stride)
        index = AddOp(starts, times(counted(taps, 1, 2), step))
        x = IndexSelectOp(x, index, axis=2 + 2 * axis, wraps=False).result
    count = len(kernel)
    order = (*range(3, 3 + 2 * count, 2), *range(2, 2 + 2 * count, 2))
    columns = reshaped(
        permuted(x, (0, 1, *order)),
        [n, groups, depth * product(kernel), product(places)],
    )
    filters = [groups, floordiv(outputs, groups), depth * product(kernel)]
    found = MatmulOp(reshaped(weight, filters), columns).result
    return reshaped(found, [n, outputs, *places])


def convolved_back_by_sizes(
    x: SSAValue,
    weight: SSAValue,
    groups: Dim,
    strides: Sequence[int],
    dilation: Sequence[int],
    around: Sequence[int],
    more: Sequence[int],
) -> SSAValue:
    """
    Builds the transposed convolution of NxCx... with weights Cx(O/groups)x..., whose
    sizes may all be open: a convolution over the image with zeros between its elements.
    """
    channels, outputs, *kernel = shape_of(weight)
    count = len(kernel)
    for axis, stride in enumerate(strides, 2):
        x = _apart(x, axis, stride)
    parts = [groups, floordiv(channels, groups), outputs, *kernel]
    turned = permuted(reshaped(weight, parts), (0, 2, 1, *range(3, 3 + count)))
    rows = [outputs * groups, floordiv(channels, groups), *kernel]
    filters = flipped(reshaped(turned, rows), range(2, 2 + count))
    reach = [(size - 1) * step for size, step in zip(kernel, dilation, strict=True)]
    low = [far - near for far, near in zip(reach, around, strict=True)]
    high = [each + spare for each, spare in zip(low, more, strict=True)]
    return convolved_by_sizes(x, filters, groups, (1,) * count, dilation, low, high)


def _apart(x: SSAValue, axis: int, stride: int) -> SSAValue:
    """Builds the elements along an axis with zeros between them."""
    if stride == 1:
        return x
    shape = list(shape_of(x))
    size, none = shape[axis], [0] * (len(shape) + 1)
    high = list(none)
    high[axis + 1] = stride - 1
    one = reshaped(x, [*shape[: axis + 1], 1, *shape[axis + 1 :]])
    wide = PadOp(one, low=tuple(none), high=tuple(high), value=0.0).result
    shape[axis] = size * stride
    return cut(reshaped(wide, shape), {axis: (0, (size - 1) * stride + 1, 1)})
