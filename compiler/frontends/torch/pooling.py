"""Pooling operators, and sliding windows as columns."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf
from typing import Any, TypeAlias

from torch import Tensor
from xdsl.ir import SSAValue

from ....dialects import (
    ELEMENT_TYPES,
    Dim,
    is_float,
    normalize_axis,
    product,
    tensor_type,
)
from ....dialects.graph import (
    ArgmaxPoolOp,
    DivOp,
    MaxPoolOp,
    ScatterOp,
    SumPoolOp,
)
from ....dialects.graph.compose import (
    OpenWindow,
    expanded,
    number_like,
    pooling,
    reshaped,
    shape_of,
)
from ..unsupported import Varies
from .call import Call, Reader, Result
from .contraction import Window, each, over_batch

_Geometry: TypeAlias = pooling.Window | OpenWindow
"""A window of numbers, or one whose padding follows from sizes that vary."""


def places_of(call: Call) -> tuple[Dim, ...]:
    """The dimensions of the first result."""
    value = call.node.meta["val"]
    first = value if isinstance(value, Tensor) else value[0]
    return call.sizes.shape(first)


def is_used(call: Call, result: int) -> bool:
    """Whether anything uses a result of a call that has several."""
    return any(user.args[1] == result for user in call.node.users)


def window_of(
    count: int, kernel: Window, stride: Window, padding: Window, dilation: Window
) -> pooling.Window:
    """The window of a pool over the last `count` axes."""
    sizes = each(kernel, count)
    strides = each(stride, count) if stride != [] else sizes
    around = each(padding, count)
    return pooling.Window(
        sizes, strides, each(dilation, count), around, around, (0,) * count
    )


def _geometry(x: SSAValue, window: pooling.Window, rounds_up: bool) -> _Geometry:
    """The window over an image, with numbers of positions rounded up or not."""
    if not rounds_up:
        return window
    spatial = shape_of(x)[-len(window.kernel) :]
    rounded = pooling.rounded_up(window, spatial)
    return rounded or OpenWindow.rounded_up(window, spatial)


def _greatest(x: SSAValue, window: _Geometry) -> SSAValue:
    """Builds the greatest element of each window of a batch."""
    x, over = _padded(x, window)
    return MaxPoolOp(x, **over.properties()).result


def _greatest_places(x: SSAValue, window: _Geometry) -> SSAValue:
    """Builds the place, in its channel, of the greatest element of each window."""
    wide, over = _padded(x, window)
    places = ArgmaxPoolOp(wide, **over.properties()).result
    if not isinstance(window, OpenWindow):
        return places
    spatial = shape_of(x)[2:]
    if (inside := window.places_in(places, spatial)) is None:
        why = f"indices of windows with holes over a padded {x.type}"
        raise Varies(why, *spatial)
    return inside


def _padded(x: SSAValue, window: _Geometry) -> tuple[SSAValue, pooling.Window]:
    """
    Builds a batch with the least number beside it, where the padding varies; and the
    window over it.
    """
    if not isinstance(window, OpenWindow):
        return x, window
    kind, least = tensor_type(x), -inf
    if not is_float(kind):
        least = ELEMENT_TYPES[kind.element_type].limits[0]
    return window.around(x, least), window.window


def max_pool(count: int) -> Reader:
    """The reader of max pooling over `count` axes."""

    def read(call: Call, x: SSAValue, *how: Any) -> Result:
        *sizes, rounds_up = how
        window = _geometry(x, window_of(count, *sizes), rounds_up)
        return over_batch(x, count + 2, lambda batch: _greatest(batch, window))

    return read


def _max_pool_with_indices(count: int) -> Reader:
    """The reader of max pooling over `count` axes with indices into the channel."""

    def read(call: Call, x: SSAValue, *how: Any) -> Result:
        *sizes, rounds_up = how
        window = _geometry(x, window_of(count, *sizes), rounds_up)
        greatest = over_batch(x, count + 2, lambda batch: _greatest(batch, window))
        if not is_used(call, 1):
            return [greatest, None]
        places = over_batch(x, count + 2, lambda batch: _greatest_places(batch, window))
        return [greatest, places]

    return read


def _mean(
    x: SSAValue, window: _Geometry, counts: bool, divisor: int | None
) -> SSAValue:
    """Builds the means of the windows of a batch, or sums divided by a number."""
    if divisor is None:
        if isinstance(window, OpenWindow):
            return window.means(x, counts, counts_beyond=False)
        return pooling.mean_pool(x, window, counts)
    if isinstance(window, OpenWindow):
        total = window.total(x)
    else:
        total = SumPoolOp(x, **window.properties()).result
    return DivOp(total, number_like(divisor, total)).result


def avg_pool(count: int) -> Reader:
    """The reader of mean pooling over `count` axes."""

    def read(
        call: Call,
        x: SSAValue,
        kernel: Window,
        stride: Window,
        padding: Window,
        ceil_mode: bool,
        counts: bool,
        divisor: int | None = None,
    ) -> Result:
        plain = window_of(count, kernel, stride, padding, 1)
        window = _geometry(x, plain, ceil_mode)
        return over_batch(
            x, count + 2, lambda batch: _mean(batch, window, counts, divisor)
        )

    return read


def _under(window: Sequence[Window]) -> pooling.Window:
    """The window that blocks are under: its kernel, dilation, padding and strides."""
    kernel, steps, padding, strides = (each(numbers, 2) for numbers in window)
    return pooling.Window(kernel, strides, steps, padding, padding, (0, 0))


def blocks(call: Call, x: SSAValue, *window: Window) -> Result:
    """The elements of each window, as a column."""
    under = _under(window)
    return over_batch(x, 4, lambda batch: pooling.blocks_of_image(batch, under))


def _image_of_blocks(
    call: Call, x: SSAValue, output_size: Sequence[Dim], *window: Window
) -> Result:
    """An image from its columns, which add up where they overlap."""
    under = _under(window)
    return over_batch(
        x, 3, lambda batch: pooling.image_of_blocks(batch, output_size, under)
    )


def _windows_added_up(
    call: Call, x: SSAValue, shape: Sequence[Dim], axis: int, size: int, step: int
) -> Result:
    """
    The elements of windows along an axis, which add up where they overlap, as `istft`
    adds up frames: torch would write an operator for each element of a window.
    """
    place = normalize_axis(axis, len(shape))
    return pooling.windows_added_up(x, shape, place, size, step)


def _pooled_back(
    call: Call, gradient: SSAValue, x: SSAValue, *arguments: Any
) -> Result:
    """The gradients of windows, added up at the places of their greatest elements."""
    places, shape = arguments[-1], shape_of(x)
    outer, inner = product(shape[:-2]), product(shape_of(gradient)[-2:])
    room = expanded(number_like(0, gradient), [outer, product(shape[-2:])])
    table = (reshaped(each, [outer, inner]) for each in (places, gradient))
    total = ScatterOp(room, *table, axis=1, wraps=False, reduction="add")
    return reshaped(total.result, shape)


READERS: dict[str, Reader] = {
    "aten.max_pool2d_with_indices_backward.default": _pooled_back,
    **{f"aten.max_pool{count}d.default": max_pool(count) for count in (1, 2, 3)},
    **{
        f"aten.max_pool{count}d_with_indices.default": _max_pool_with_indices(count)
        for count in (1, 2, 3)
    },
    **{f"aten.avg_pool{count}d.default": avg_pool(count) for count in (1, 2, 3)},
    "aten.im2col.default": blocks,
    "aten.col2im.default": _image_of_blocks,
    "aten.unfold_backward.default": _windows_added_up,
}
