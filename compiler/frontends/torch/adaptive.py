"""Adaptive pooling: windows of varying size that give a fixed output size."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from xdsl.dialects.builtin import i64
from xdsl.ir import SSAValue

from ....dialects import Dim, ceildiv, greater, product, tensor_type
from ....dialects.graph import (
    AddOp,
    ArgmaxOp,
    CastOp,
    DivOp,
    IndexSelectOp,
    IotaOp,
    LtOp,
    MeanOp,
    MinimumOp,
    MulOp,
    ReduceMaxOp,
    ResampleOp,
    SubOp,
    WhereOp,
)
from ....dialects.graph.compose import (
    expanded,
    number,
    number_like,
    permuted,
    pooling,
    quantity,
    reshaped,
    shape_of,
    times,
)
from .call import Call, Reader, Result
from .contraction import over_batch
from .pooling import is_used, places_of, window_of


class _Windows:
    """Builds the elements of a number of windows along an axis."""

    def __init__(self, call: Call, size: Dim, places: Dim):
        """The `places` windows over `size` elements."""
        least = greater(places, 1)
        count = call.as_tensor(size, i64)
        self.one = number(1, i64)
        place = IotaOp(size=str(places)).result
        after = AddOp(place, self.one).result
        divisor = quantity(least, i64)
        start = DivOp(MulOp(place, count), divisor)
        last = SubOp(MulOp(after, count), self.one)
        # Rounded up, so that every window has an element.
        stop = AddOp(DivOp(last, divisor), self.one).result
        self.first = reshaped(start.result, [places, 1])
        self.stop = reshaped(stop, [places, 1])
        longest = ceildiv(size, least) + 1
        self.numbers = AddOp(self.first, IotaOp(size=str(longest))).result

    @property
    def elements(self) -> SSAValue:
        """
        The index of each element of a window; shorter windows repeat the last one.
        """
        return MinimumOp(self.numbers, SubOp(self.stop, self.one)).result

    def weights(self, x: SSAValue) -> SSAValue:
        """The weight of each element in the mean of its window."""
        kind = tensor_type(x).element_type
        length = CastOp(SubOp(self.stop, self.first), to=kind)
        share = DivOp(number_like(1, x), length)
        is_inside = LtOp(self.numbers, self.stop)
        return WhereOp(is_inside, share, number_like(0, x)).result


def _mean_along(call: Call, x: SSAValue, axis: int, places: Dim) -> SSAValue:
    """The mean of each window along an axis."""
    windows = _Windows(call, shape_of(x)[axis], places)
    table = windows.elements, windows.weights(x)
    return ResampleOp(x, *table, axis=axis, skips=True).result


def _greatest_along(call: Call, x: SSAValue, axis: int, places: Dim) -> SSAValue:
    """The greatest element of each window along an axis."""
    windows = _Windows(call, shape_of(x)[axis], places)
    every = IndexSelectOp(x, windows.elements, axis=axis, wraps=False)
    return ReduceMaxOp(every, axes=(axis + 1,), keepdims=False).result


def _along_each(
    call: Call,
    x: SSAValue,
    count: int,
    one: Callable[[Call, SSAValue, int, Dim], SSAValue],
) -> SSAValue:
    """The image with each of its last axes pooled separately."""
    rank, places = len(shape_of(x)), places_of(call)
    for axis in range(rank - count, rank):
        if shape_of(x)[axis] != places[axis]:
            x = one(call, x, axis, places[axis])
    return x


def _adaptive_avg_pool(count: int) -> Reader:
    """The reader of adaptive mean pooling over `count` axes."""

    def read(call: Call, x: SSAValue, output_size: Sequence[int]) -> Result:
        shape, places = shape_of(x)[-count:], places_of(call)[-count:]
        if places == (1,) * count:
            rank = len(shape_of(x))
            return MeanOp(
                x, axes=tuple(range(rank - count, rank)), keepdims=True
            ).result
        kernel = [
            size // place
            for size, place in zip(shape, places, strict=True)
            if isinstance(size, int) and isinstance(place, int) and place
            if size % place == 0 < size
        ]
        if len(kernel) < count:
            return _along_each(call, x, count, _mean_along)
        window = window_of(count, kernel, kernel, 0, 1)
        return over_batch(
            x,
            count + 2,
            lambda batch: pooling.mean_pool(batch, window, counts_padding=True),
        )

    return read


def _adaptive_max_pool(count: int) -> Reader:
    """The reader of adaptive max pooling over `count` axes, with the indices."""

    def read(call: Call, x: SSAValue, output_size: Sequence[int]) -> Result:
        greatest = _along_each(call, x, count, _greatest_along)
        if not is_used(call, 1):
            return [greatest, None]
        return [greatest, _places_of_greatest(call, x, count)]

    return read


def _places_of_greatest(call: Call, x: SSAValue, count: int) -> SSAValue:
    """The index, within its channel, of the greatest element of each window."""
    shape, outer = shape_of(x), len(shape_of(x)) - count
    results = places_of(call)[outer:]
    windows = [
        _Windows(call, size, place).elements
        for size, place in zip(shape[outer:], results, strict=True)
    ]
    if 0 in results:
        return expanded(number(0, i64), places_of(call))
    every, table = x, number(0, i64)
    for at in reversed(range(count)):
        every = IndexSelectOp(every, windows[at], axis=outer + at, wraps=False).result
        apart: list[Dim] = [1] * (2 * count)
        apart[2 * at : 2 * at + 2] = shape_of(windows[at])
        stride = call.as_tensor(product(shape[outer + at + 1 :]), i64)
        offsets = MulOp(reshaped(windows[at], apart), stride)
        table = AddOp(table, offsets).result
    there, taps = (range(first, 2 * count, 2) for first in (0, 1))
    within = [*range(outer), *(outer + each for each in (*there, *taps))]
    depth = product(shape_of(table)[each] for each in taps)
    rows = reshaped(permuted(every, within), [*shape[:outer], *results, depth])
    tap = ArgmaxOp(rows, axis=len(shape), keepdims=False).result
    flat = reshaped(permuted(table, [*there, *taps]), [product(results) * depth])
    first = times(IotaOp(size=str(product(results))).result, depth)
    place = AddOp(tap, reshaped(first, results))
    return IndexSelectOp(flat, place, axis=0, wraps=False).result


READERS: dict[str, Reader] = {
    **{
        f"aten.adaptive_avg_pool{count}d.default": _adaptive_avg_pool(count)
        for count in (1, 2, 3)
    },
    **{
        f"aten._adaptive_avg_pool{count}d.default": _adaptive_avg_pool(count)
        for count in (2, 3)
    },
    **{
        f"aten.adaptive_max_pool{count}d.default": _adaptive_max_pool(count)
        for count in (2, 3)
    },
}
