"""Pooling: the greatest element or the mean under a window, fixed or adaptive."""

from __future__ import annotations

from collections.abc import Sequence

from torch import Tensor
from xdsl.ir import SSAValue

from ....dialects.dims import Dim
from ....dialects.graph.ops.binary import DivOp
from ....dialects.graph.ops.pool import AvgPoolOp, MaxPoolOp, PoolOp, SumPoolOp
from ....dialects.graph.ops.reduce import MeanOp
from .call import Call, Reader, Result, number_like, reshape, shape_of
from .contraction import Window, each
from .unsupported import Unsupported


def window(
    call: Call,
    x: SSAValue,
    kernel: Window,
    stride: Window,
    padding: Window,
    dilation: Window,
    ceil_mode: bool,
    count: int,
) -> dict[str, tuple[int, ...]]:
    """The properties of a pool; its padding is so large that `ceil_mode` is met."""
    sizes = each(kernel, count)
    strides = each(stride, count) if stride != [] else sizes
    steps, before = each(dilation, count), each(padding, count)
    after = list(before)
    if ceil_mode:
        for axis, size in enumerate(shape_of(x)[-count:]):
            places = places_of(call)[axis - count]
            reach = (sizes[axis] - 1) * steps[axis] + 1
            needed = (places - 1) * strides[axis] + reach
            extra = needed - size - 2 * before[axis]
            if not isinstance(extra, int):
                raise Unsupported(f"ceil_mode along a size that varies, {size}")
            after[axis] += max(0, extra)
    return {
        "kernel": sizes,
        "strides": strides,
        "padding": (*before, *after),
        "dilation": steps,
    }


def places_of(call: Call) -> tuple[Dim, ...]:
    """The dimensions of the first result."""
    value = call.node.meta["val"]
    first = value if isinstance(value, Tensor) else value[0]
    return call.sizes.shape(first)


def pool(
    op: type[PoolOp],
    x: SSAValue,
    count: int,
    places: dict[str, tuple[int, ...]],
    **properties: object,
) -> SSAValue:
    """The pool of an image, or of a batch of them."""
    has_batch = len(shape_of(x)) == count + 2
    batch = x if has_batch else reshape(x, 1, *shape_of(x))
    result = op(batch, **places, **properties).result
    return result if has_batch else reshape(result, *shape_of(result)[1:])


def max_pool(count: int) -> Reader:
    """The reader of the greatest elements under a window over `count` axes."""

    def read(
        call: Call,
        x: SSAValue,
        kernel: Window,
        stride: Window,
        padding: Window,
        dilation: Window,
        ceil_mode: bool,
    ) -> Result:
        places = window(call, x, kernel, stride, padding, dilation, ceil_mode, count)
        return pool(MaxPoolOp, x, count, places)

    return read


def max_pool_with_indices(count: int) -> Reader:
    """The reader of the same; where the elements are has no form here."""
    values = max_pool(count)

    def read(call: Call, *arguments: object) -> Result:
        value = values(call, *arguments)
        assert isinstance(value, SSAValue)
        return [value, None]

    return read


def avg_pool(count: int) -> Reader:
    """The reader of the mean of the elements under a window over `count` axes."""

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
        places = window(call, x, kernel, stride, padding, 1, ceil_mode, count)
        around = places["padding"]
        if divisor is not None:
            total = pool(SumPoolOp, x, count, places)
            return DivOp(total, number_like(divisor, total)).result
        if count_include_pad and around[:count] != around[count:]:
            raise Unsupported("ceil_mode with a last window that the padding counts in")
        return pool(AvgPoolOp, x, count, places, count_padding=count_include_pad)

    return read


def adaptive_avg_pool(count: int) -> Reader:
    """The reader of means that leave a number of places along each of `count` axes."""

    def read(call: Call, x: SSAValue, output_size: Sequence[int]) -> Result:
        shape = shape_of(x)
        places = places_of(call)[-count:]
        if places == (1,) * count:
            axes = tuple(range(len(shape) - count, len(shape)))
            return MeanOp(x, axes=axes, keepdims=True).result
        kernel: list[int] = []
        for size, place in zip(shape[-count:], places, strict=True):
            if not isinstance(size, int) or not isinstance(place, int):
                raise Unsupported(f"windows that vary, from {size} to {place} places")
            if not place or size % place:
                raise Unsupported(f"windows that differ, from {size} to {place} places")
            kernel.append(size // place)
        windows = window(call, x, kernel, kernel, 0, 1, False, count)
        return pool(AvgPoolOp, x, count, windows, count_padding=True)

    return read


READERS: dict[str, Reader] = {
    **{f"aten.max_pool{count}d.default": max_pool(count) for count in (1, 2, 3)},
    **{
        f"aten.max_pool{count}d_with_indices.default": max_pool_with_indices(count)
        for count in (1, 2, 3)
    },
    **{f"aten.avg_pool{count}d.default": avg_pool(count) for count in (1, 2, 3)},
    **{
        f"aten.adaptive_avg_pool{count}d.default": adaptive_avg_pool(count)
        for count in (1, 2, 3)
    },
    **{
        f"aten._adaptive_avg_pool{count}d.default": adaptive_avg_pool(count)
        for count in (2, 3)
    },
}
