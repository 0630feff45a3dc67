"""The gradients of resized images: what each element had a part in is added up."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from xdsl.ir import SSAValue

from ....dialects import Dim, tensor_type
from ....dialects.graph import EqOp, ResampleOp
from ....dialects.graph.compose import (
    convert,
    counted,
    distinct,
    expanded,
    number_like,
    shape_of,
)
from ..unsupported import Varies
from .call import Call, Reader, Result
from .resampling import (
    BETWEEN,
    NEAREST,
    Kind,
    kind_between,
    kind_of_nearest,
    scales_of,
)

_Along = Callable[[SSAValue, int, Dim, float | None], SSAValue]
"""Builds the gradient along one axis: of a size, resized by a scale if it had one."""


def _along_each(
    gradient: SSAValue, shape: Sequence[Dim], scales: Sequence[Any], along: _Along
) -> SSAValue:
    """The gradient of an image of a shape, whose last axes were resized by scales."""
    rank, count = len(shape), len(scales)
    for axis in range(rank - count, rank):
        gradient = along(gradient, axis, shape[axis], scales[axis - rank])
    return gradient


def _to_nearest(count: int, coordinates: str) -> Reader:
    """The reader of what adds up at the nearest elements over `count` axes."""
    kind = kind_of_nearest(coordinates)

    def along(
        gradient: SSAValue, axis: int, size: Dim, scale: float | None
    ) -> SSAValue:
        elements = counted(size, 0, 1)
        points = shape_of(gradient)[axis]
        chosen = kind.along(elements, 0, points, scale)
        if chosen is elements:
            return gradient
        shape = list(shape_of(gradient))
        shape[axis] = size
        into = expanded(number_like(0, gradient), shape)
        return distinct.combined_at(into, chosen, gradient, "add", axis)

    def read(
        call: Call,
        gradient: SSAValue,
        output_size: Sequence[Dim],
        input_size: Sequence[Dim],
        *scales: Any,
    ) -> Result:
        return _along_each(gradient, input_size, scales_of(scales, count), along)

    return read


def _shared(kind: Kind) -> _Along:
    """What adds up the shares that elements had along an axis in points between."""

    def along(
        gradient: SSAValue, axis: int, size: Dim, scale: float | None
    ) -> SSAValue:
        points = shape_of(gradient)[axis]
        rows, columns = (counted(size, at, 2) for at in (0, 1))
        one = convert(EqOp(rows, columns).result, tensor_type(gradient).element_type)
        shares = kind.along(one, 1, points, scale)
        if shares is one:
            return gradient
        every = expanded(counted(points, 1, 2), [size, points])
        return ResampleOp(gradient, every, shares, axis=axis, skips=True).result

    return along


_CUBIC = {"mode": "cubic"}
"""The images whose scales torch ignores if no size changes."""


def _are_equal(output_size: Sequence[Dim], input_size: Sequence[Dim]) -> bool | None:
    """Whether no size changes; None where a run decides it."""
    pairs = [*zip(output_size, input_size[-len(output_size) :], strict=True)]
    if all(a == b for a, b in pairs):
        return True
    known = (isinstance(a, int) and isinstance(b, int) and a != b for a, b in pairs)
    return False if any(known) else None


def _between(count: int, how: Any) -> Reader:
    """The reader of the gradient of points between elements over `count` axes."""

    def read(
        call: Call,
        gradient: SSAValue,
        output_size: Sequence[Dim],
        input_size: Sequence[Dim],
        align_corners: bool,
        *scales: Any,
    ) -> Result:
        kind, given = kind_between(how, align_corners), scales_of(scales, count)
        if how.get("antialias"):
            kind = replace(kind, ratios=())  # there torch ignores no scale
        if how == _CUBIC and any(each is not None for each in given):
            if (equal := _are_equal(output_size, input_size)) is None:
                why = "a scale of sizes that may be equal, where torch ignores it"
                raise Varies(why, *output_size, *input_size)
            given = [None] * count if equal else given
        return _along_each(gradient, input_size, given, _shared(kind))

    return read


READERS: dict[str, Reader] = {
    **{
        f"aten.{name}_backward.default": _to_nearest(*how)
        for name, how in NEAREST.items()
    },
    **{
        f"aten.{name}_backward.default": _between(*how) for name, how in BETWEEN.items()
    },
}
