"""Adaptive pooling: windows of varying size that give a fixed output size."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from xdsl.dialects.builtin import i64
from xdsl.ir import SSAValue

from ....dialects import Dim, ceildiv, tensor_type
from ....dialects.graph import (
    AddOp,
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
    mean_pool,
    number,
    number_like,
    reshaped,
    shape_of,
)
from ..unsupported import Varies
from .call import Call, Reader, Result
from .contraction import over_batch
from .pooling import places_of, window_of


class _Windows:
    """Builds the elements of a fixed number of windows along an axis."""

    def __init__(self, call: Call, size: Dim, places: Dim):
        """The `places` windows over `size` elements."""
        if not isinstance(places, int):
            raise Varies(f"a number of places that varies, {places}", places)
        count = call.as_tensor(size, i64)
        self.one = number(1, i64)
        place = IotaOp(size=str(places)).result
        after = AddOp(place, self.one).result
        divisor = number(max(places, 1), i64)
        start = DivOp(MulOp(place, count), divisor)
        last = SubOp(MulOp(after, count), self.one)
        # Rounded up, so that every window has an element.
        stop = AddOp(DivOp(last, divisor), self.one).result
        self.first = reshaped(start.result, [places, 1])
        self.stop = reshaped(stop, [places, 1])
        longest = ceildiv(size, max(places, 1)) + 1
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
        window = window_of(x, count, kernel, kernel, 0, 1, ceil_mode=False)
        return over_batch(
            x, count + 2, lambda batch: mean_pool(batch, window, counts_padding=True)
        )

    return read


def _adaptive_max_pool(count: int) -> Reader:
    """The reader of adaptive max pooling over `count` axes; indices are unsupported."""

    def read(call: Call, x: SSAValue, output_size: Sequence[int]) -> Result:
        return [_along_each(call, x, count, _greatest_along), None]

    return read


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
