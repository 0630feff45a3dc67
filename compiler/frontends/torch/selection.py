"""Operators that take parts of a tensor: slices and splits."""

from __future__ import annotations

from xdsl.ir import SSAValue

from ....dialects import (
    Dim,
    ceildiv,
    greater,
    is_nonnegative,
    lesser,
    maximum,
    minimum,
    normalize_axis,
    sizes,
)
from ....dialects.graph.compose import part, reshaped, shape_of
from .call import Call, Reader, Result
from .sizes import GREATEST


def _slice_axis(
    call: Call,
    x: SSAValue,
    axis: int = 0,
    start: Dim | None = None,
    end: Dim | None = None,
    step: int = 1,
) -> Result:
    """The elements from `start` to before `end`; negative ones count from the end."""
    place = normalize_axis(axis, len(shape_of(x)))
    whole = shape_of(x)[place]
    call.sizes.hold(
        call.node.meta["val"].shape[place], lambda: _length(whole, start, end, step)
    )
    size = call.shape[place]
    if size == 0:
        return part(x, place, 0, 0, step)
    return part(x, place, first_place(start, whole, size, end), size, step)


def _length(whole: Dim, start: Dim | None, end: Dim | None, step: int) -> Dim:
    """The number of elements of a slice of an axis of `whole` elements."""
    first, last = (
        lesser(greater(from_front(each, whole), 0), whole)
        for each in (start or 0, whole if end in (None, GREATEST) else end)
    )
    return ceildiv(greater(last - first, 0), step)


def first_place(
    start: Dim | None, whole: Dim, size: Dim, end: Dim | None = None
) -> Dim:
    """The start of a slice of `size` elements before `end`, counted from the front."""
    first = 0 if start is None else start
    if is_nonnegative(first, {}):
        return first
    # The slice is not clamped when it has as many elements as requested, nor when its
    # size does not depend on that of the tensor, from whose end both are counted.
    is_fixed = isinstance(size, int) and not isinstance(whole, int)
    from_end = end is None or (isinstance(end, int) and end < 0)
    if size == -first or (isinstance(first, int) and is_fixed and from_end):
        return whole + first
    return maximum(from_front(first, whole), 0)


def from_front(index: Dim, whole: Dim) -> Dim:
    """An index into an axis of `whole` elements; a negative one counts from its end."""
    if is_nonnegative(index, {}):
        return index
    if is_nonnegative(-1 - index, {}):
        return whole + index
    # The sign depends on sizes: the factor is one where the index is negative.
    return index + whole * minimum(maximum(-index, 0), 1)


def select(call: Call, x: SSAValue, axis: int, index: Dim) -> Result:
    """The slice at one index of an axis, without that axis."""
    place = normalize_axis(axis, len(shape_of(x)))
    first = from_front(index, shape_of(x)[place])
    return reshaped(part(x, place, first, 1), call.shape)


def _narrowed(call: Call, x: SSAValue, axis: int, start: Dim, size: Dim) -> Result:
    """A number of elements along an axis, from one on, which may count from the end."""
    place = normalize_axis(axis, len(shape_of(x)))
    return part(x, place, from_front(start, shape_of(x)[place]), size)


def pieces(axis_place: int) -> Reader:
    """The reader of splits of a tensor along the axis in argument `axis_place`."""

    def read(call: Call, x: SSAValue, *arguments: int) -> Result:
        axis = normalize_axis(arguments[axis_place], len(shape_of(x)))
        start: Dim = 0
        results: list[SSAValue] = []
        for type in call.types:
            size = sizes(type)[axis]
            results.append(part(x, axis, start, size))
            start = start + size
        return results

    return read


def unbind(call: Call, x: SSAValue, axis: int = 0) -> Result:
    """All slices along an axis."""
    place = normalize_axis(axis, len(shape_of(x)))
    return [
        reshaped(part(x, place, number, 1), sizes(type))
        for number, type in enumerate(call.types)
    ]


READERS: dict[str, Reader] = {
    "aten.slice.Tensor": _slice_axis,
    "aten.select.int": select,
    "aten.narrow_copy.default": _narrowed,
    "aten.split.Tensor": pieces(1),
    "aten.split_with_sizes.default": pieces(1),
    "aten.unbind.int": unbind,
}
