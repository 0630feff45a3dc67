"""Operators that take a part of a tensor: slices and pieces."""

from __future__ import annotations

from xdsl.ir import SSAValue

from ....dialects.dims import Dim, maximum
from ....dialects.graph.compose.parts import part
from ....dialects.graph.compose.shaping import reshaped, shape_of
from ....dialects.shape import normalize_axis, sizes
from .call import Call, Reader, Result


def slice_axis(
    call: Call,
    x: SSAValue,
    axis: int = 0,
    start: Dim | None = None,
    end: Dim | None = None,
    step: int = 1,
) -> Result:
    """Elements from `start` to before `end`; below zero both count from the end."""
    place = normalize_axis(axis, len(shape_of(x)))
    whole, size = shape_of(x)[place], call.shape[place]
    if size == 0:
        return part(x, place, 0, 0, step)
    return part(x, place, first_place(start, whole, size), size, step)


def first_place(start: Dim | None, whole: Dim, size: Dim) -> Dim:
    """Where a slice of `size` elements begins, counted from the front."""
    first = 0 if start is None else start
    if isinstance(first, int) and first < 0:
        # All of the elements asked for are there when that many come out.
        return whole + first if size == -first else maximum(whole + first, 0)
    return first


def select(call: Call, x: SSAValue, axis: int, index: Dim) -> Result:
    """The slice along an axis with this number."""
    place = normalize_axis(axis, len(shape_of(x)))
    if isinstance(index, int) and index < 0:
        index = shape_of(x)[place] + index
    return reshaped(part(x, place, index, 1), call.shape)


def pieces(axis_place: int) -> Reader:
    """The reader of pieces of a tensor along the axis that is this argument."""

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
    """Each slice along an axis."""
    place = normalize_axis(axis, len(shape_of(x)))
    return [
        reshaped(part(x, place, number, 1), sizes(type))
        for number, type in enumerate(call.types)
    ]


READERS: dict[str, Reader] = {
    "aten.slice.Tensor": slice_axis,
    "aten.select.int": select,
    "aten.split.Tensor": pieces(1),
    "aten.split_with_sizes.default": pieces(1),
    "aten.unbind.int": unbind,
}
