"""Pooling operators, and sliding windows as columns."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from torch import Tensor
from xdsl.ir import SSAValue

from ....dialects import Dim, normalize_axis, product
from ....dialects.graph import (
    ArgmaxPoolOp,
    DivOp,
    MaxPoolOp,
    PoolOp,
    ScatterOp,
    SumPoolOp,
)
from ....dialects.graph.compose import (
    expanded,
    number_like,
    pooling,
    reshaped,
    shape_of,
)
from ..unsupported import Varies
from .call import Call, Reader, Result
from .contraction import Window, each, over_batch


def places_of(call: Call) -> tuple[Dim, ...]:
    """The dimensions of the first result."""
    value = call.node.meta["val"]
    first = value if isinstance(value, Tensor) else value[0]
    return call.sizes.shape(first)


def is_used(call: Call, result: int) -> bool:
    """Whether anything uses a result of a call that has several."""
    return any(user.args[1] == result for user in call.node.users)


def window_of(
    x: SSAValue,
    count: int,
    kernel: Window,
    stride: Window,
    padding: Window,
    dilation: Window,
    ceil_mode: bool,
) -> pooling.Window:
    """The window of a pool over the last `count` axes."""
    sizes = each(kernel, count)
    strides = each(stride, count) if stride != [] else sizes
    around = each(padding, count)
    window = pooling.Window(
        sizes, strides, each(dilation, count), around, around, (0,) * count
    )
    if not ceil_mode:
        return window
    if (rounded := pooling.rounded_up(window, shape_of(x)[-count:])) is None:
        raise Varies(f"ceil_mode over a size that varies, {x.type}", *shape_of(x))
    return rounded


def pool(op: type[PoolOp], x: SSAValue, window: pooling.Window) -> SSAValue:
    """Builds a pool of an image, or of a batch of images."""
    properties = window.properties()
    rank = len(window.kernel) + 2
    return over_batch(x, rank, lambda batch: op(batch, **properties).result)


def max_pool(count: int) -> Reader:
    """The reader of max pooling over `count` axes."""

    def read(call: Call, x: SSAValue, *how: Any) -> Result:
        return pool(MaxPoolOp, x, window_of(x, count, *how))

    return read


def _max_pool_with_indices(count: int) -> Reader:
    """The reader of max pooling over `count` axes with indices into the channel."""

    def read(call: Call, x: SSAValue, *how: Any) -> Result:
        window = window_of(x, count, *how)
        greatest = pool(MaxPoolOp, x, window)
        if not is_used(call, 1):
            return [greatest, None]
        return [greatest, pool(ArgmaxPoolOp, x, window)]

    return read


def avg_pool(count: int) -> Reader:
    """The reader of mean pooling over `count` axes."""

    def read(
        call: Call,
        x: SSAValue,
        kernel: Window,
        stride: Window,
        padding: Window,
        ceil_mode: bool,
        count_include_pad: bool,
        divisor: int | None = None,
    ) -> Result:
        window = window_of(x, count, kernel, stride, padding, 1, ceil_mode)
        if divisor is not None:
            total = pool(SumPoolOp, x, window)
            return DivOp(total, number_like(divisor, total)).result
        return over_batch(
            x,
            count + 2,
            lambda batch: pooling.mean_pool(batch, window, count_include_pad),
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
