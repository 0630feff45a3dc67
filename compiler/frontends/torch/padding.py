"""Operators that put elements around a tensor, of one value or of its own."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from xdsl.ir import SSAValue

from ....dialects.dims import Dim
from ....dialects.graph.literal import to_names
from ....dialects.graph.ops.concat import ConcatOp
from ....dialects.graph.ops.expand import ExpandOp
from ....dialects.graph.ops.pad import PadOp
from ....dialects.graph.ops.slice import SliceOp
from .call import Call, Reader, Result, shape_of
from .unsupported import Unsupported


def part(x: SSAValue, axis: int, start: Dim, size: Dim, step: int = 1) -> SSAValue:
    """`size` elements along an axis from `start` on."""
    shape = list(shape_of(x))
    starts: list[Dim] = [0 for _ in shape]
    steps = [1 for _ in shape]
    starts[axis], shape[axis], steps[axis] = start, size, step
    return SliceOp(
        x, starts=to_names(starts), sizes=to_names(shape), steps=tuple(steps)
    ).result


def amounts_of(x: SSAValue, amounts: Sequence[Dim]) -> list[tuple[int, int]]:
    """How much is put before and after each axis; below zero, how much is cut off."""
    numbers = [each for each in amounts if isinstance(each, int)]
    if len(numbers) < len(amounts):
        raise Unsupported(f"padding by {amounts}, not by numbers")
    pairs = list(zip(numbers[::2], numbers[1::2], strict=True))
    outer = [(0, 0)] * (len(shape_of(x)) - len(pairs))
    return [*outer, *reversed(pairs)]


def cut_off(x: SSAValue, around: Sequence[tuple[int, int]]) -> SSAValue:
    """The tensor without what amounts below zero cut off."""
    for axis, (low, high) in enumerate(around):
        if low < 0 or high < 0:
            size = shape_of(x)[axis] + min(low, 0) + min(high, 0)
            x = part(x, axis, max(-low, 0), size)
    return x


def constant_pad(
    call: Call, x: SSAValue, amounts: Sequence[Dim], value: float | None = 0
) -> Result:
    """Elements of one value put around the last axes."""
    around = amounts_of(x, amounts)
    x = cut_off(x, around)
    low, high = (tuple(max(pair[end], 0) for pair in around) for end in (0, 1))
    if not any((*low, *high)):
        return x
    return PadOp(x, low=low, high=high, value=float(value or 0)).result


def keep_an_edge(
    x: SSAValue, around: Sequence[tuple[int, int]]
) -> tuple[SSAValue, list[tuple[int, int]]]:
    """
    The tensor and the amounts where one end of an axis is put around after all of the
    axis is cut off from the other: of the element at that end alone.
    """
    kept: list[tuple[int, int]] = []
    for axis, (low, high) in enumerate(around):
        size = shape_of(x)[axis]
        beyond = [isinstance(size, int) and -each >= size for each in (low, high)]
        if any(beyond):
            assert isinstance(size, int), "how much is beyond it is known"
            x = part(x, axis, size - 1 if beyond[0] else 0, 1)
            low, high = (
                (0, size + low + high - 1) if beyond[0] else (size + low + high - 1, 0)
            )
        kept.append((low, high))
    return x, kept


Around = Callable[[SSAValue, int, int, bool], SSAValue]
"""Builds so many elements that belong before an axis, or after it."""


def edge(x: SSAValue, axis: int, count: int, is_before: bool) -> SSAValue:
    """The element at the end, several times."""
    shape = list(shape_of(x))
    place = 0 if is_before else shape[axis] - 1
    shape[axis] = count
    return ExpandOp(part(x, axis, place, 1), shape=to_names(shape)).result


def mirrored(x: SSAValue, axis: int, count: int, is_before: bool) -> SSAValue:
    """The elements next to the one at the end, backwards."""
    start = count if is_before else shape_of(x)[axis] - 2
    return part(x, axis, start, count, -1)


def from_the_other_end(x: SSAValue, axis: int, count: int, is_before: bool) -> SSAValue:
    """The elements at the other end."""
    start = shape_of(x)[axis] - count if is_before else 0
    return part(x, axis, start, count)


AROUND: dict[str, Around] = {
    "reflect": mirrored,
    "replicate": edge,
    "circular": from_the_other_end,
}


def pad_with(kind: str) -> Reader:
    """The reader of a tensor with elements of its own around the last axes."""
    around_axis = AROUND[kind]

    def read(call: Call, x: SSAValue, amounts: Sequence[Dim]) -> Result:
        around = amounts_of(x, amounts)
        if kind == "replicate":
            x, around = keep_an_edge(x, around)
        x = cut_off(x, around)
        for axis, (low, high) in enumerate(around):
            parts = [x]
            if low > 0:
                parts.insert(0, around_axis(x, axis, low, True))
            if high > 0:
                parts.append(around_axis(x, axis, high, False))
            x = x if len(parts) == 1 else ConcatOp(*parts, axis=axis).result
        return x

    return read


def pad(
    call: Call, x: SSAValue, amounts: Sequence[Dim], mode: str, value: float | None
) -> Result:
    """Elements put around the last axes, of one value or of the tensor's own."""
    if mode == "constant":
        return constant_pad(call, x, amounts, value)
    return pad_with(mode)(call, x, amounts)


READERS: dict[str, Reader] = {
    "aten.pad.default": pad,
    "aten.constant_pad_nd.default": constant_pad,
    **{
        f"aten.{name}{count}d.default": pad_with(kind)
        for name, kind in (
            ("reflection_pad", "reflect"),
            ("replication_pad", "replicate"),
        )
        for count in (1, 2, 3)
    },
}
