"""Windows that slide over an image: what is under them, its mean, its greatest."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from torch import Tensor
from xdsl.ir import SSAValue

from ....dialects.dims import Dim, floordiv, product
from ....dialects.graph.families.window import window_sizes
from ....dialects.graph.literal import to_names
from ....dialects.graph.ops.argmax_pool import ArgmaxPoolOp
from ....dialects.graph.ops.binary import DivOp
from ....dialects.graph.ops.expand import ExpandOp
from ....dialects.graph.ops.fold import FoldOp
from ....dialects.graph.ops.pad import PadOp
from ....dialects.graph.ops.permute import PermuteOp
from ....dialects.graph.ops.pool import AvgPoolOp, MaxPoolOp, PoolOp, SumPoolOp
from ....dialects.graph.ops.unfold import UnfoldOp
from ....dialects.shape import is_float, tensor_type
from .call import Call, Reader, Result, number_like, reshape, shape_of
from .contraction import Window, each
from .padding import part
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
                extra = strides[axis] - 1
                # Else the last window may begin in the padding, and is left out then.
                if strides[axis] > 1 and before[axis] + strides[axis] > reach:
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
    """The reader of the same, and of where in their channel the elements are."""

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
        greatest = pool(MaxPoolOp, x, count, places)
        if not any(user.args[1] == 1 for user in call.node.users):
            return [greatest, None]
        return [greatest, pool(ArgmaxPoolOp, x, count, places)]

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
            # The padding counts, but not what ceil_mode puts beyond it.
            outer = (0,) * (len(shape_of(x)) - count)
            low = (*outer, *around[:count])
            x = PadOp(x, low=low, high=low, value=0.0).result
            pairs = zip(around[:count], around[count:], strict=True)
            beyond = (high - low for low, high in pairs)
            places["padding"] = (*(0 for _ in range(count)), *beyond)
            count_include_pad = False
        if not is_float(tensor_type(x)):
            return mean_of_integers(x, count, places, count_include_pad)
        return pool(AvgPoolOp, x, count, places, count_padding=count_include_pad)

    return read


def mean_of_integers(
    x: SSAValue, count: int, places: dict[str, tuple[int, ...]], count_padding: bool
) -> SSAValue:
    """The mean of the integers under a window, rounded towards zero."""
    total = pool(SumPoolOp, x, count, places)
    if count_padding or not any(places["padding"]):
        return DivOp(total, number_like(prod(places["kernel"]), total)).result
    ones = ExpandOp(number_like(1, x), shape=to_names(shape_of(x))).result
    return DivOp(total, pool(SumPoolOp, ones, count, places)).result


def blocks(call: Call, x: SSAValue, *window: Window) -> Result:
    """The elements under each place of a window, a column for each place."""
    kernel, steps, padding, strides = (each(numbers, 2) for numbers in window)
    has_batch = len(shape_of(x)) == 4
    batch = x if has_batch else reshape(x, 1, *shape_of(x))
    around = (0, 0, *padding)
    if any(padding):
        batch = PadOp(batch, low=around, high=around, value=0.0).result
    found = UnfoldOp(batch, kernel=kernel, strides=strides, dilation=steps).result
    turned = PermuteOp(found, order=(0, 1, 4, 5, 2, 3)).result
    n, channels, high, wide, *places = shape_of(turned)
    result = reshape(turned, n, channels * high * wide, product(places))
    return result if has_batch else reshape(result, *shape_of(result)[1:])


def image_of_blocks(
    call: Call, x: SSAValue, output_size: Sequence[Dim], *window: Window
) -> Result:
    """The sum of columns where they lie in an image."""
    kernel, steps, padding, strides = (each(numbers, 2) for numbers in window)
    has_batch = len(shape_of(x)) == 3
    n, depth, _ = shape_of(x) if has_batch else (1, *shape_of(x))
    wide = [size + 2 * pad for size, pad in zip(output_size, padding, strict=True)]
    places = window_sizes(wide, kernel, strides, (0, 0, 0, 0), steps)
    parts = reshape(x, n, floordiv(depth, product(kernel)), *kernel, *places)
    total = FoldOp(
        PermuteOp(parts, order=(0, 1, 4, 5, 2, 3)),
        spatial=to_names(wide),
        strides=strides,
        dilation=steps,
    ).result
    for axis, (size, pad) in enumerate(zip(output_size, padding, strict=True)):
        if pad:
            total = part(total, axis + 2, pad, size)
    return total if has_batch else reshape(total, *shape_of(total)[1:])


READERS: dict[str, Reader] = {
    **{f"aten.max_pool{count}d.default": max_pool(count) for count in (1, 2, 3)},
    **{
        f"aten.max_pool{count}d_with_indices.default": max_pool_with_indices(count)
        for count in (1, 2, 3)
    },
    **{f"aten.avg_pool{count}d.default": avg_pool(count) for count in (1, 2, 3)},
    "aten.im2col.default": blocks,
    "aten.col2im.default": image_of_blocks,
}
