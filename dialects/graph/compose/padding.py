"""
Padding by amounts that may be computed from sizes: with one value, or with elements of
the tensor itself (edge, reflect and wrap). Negative amounts crop.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

from xdsl.ir import SSAValue

from ...dims import Dim, ceildiv, greater, lesser
from ..ops.pad import PadOp
from .number import number_like
from .parts import cut, joined, part
from .shaping import expanded, reshaped, shape_of

Around: TypeAlias = Callable[[SSAValue, int, Dim, bool], SSAValue]
"""Builds a number of padding elements before or after an axis."""


def edge(x: SSAValue, axis: int, count: Dim, is_before: bool) -> SSAValue:
    """Builds the first or the last element of an axis, `count` times."""
    shape = list(shape_of(x))
    one = part(x, axis, 0 if is_before else shape[axis] - 1, 1)
    shape[axis] = count
    return expanded(one, shape)


def _mirrored(x: SSAValue, axis: int, count: Dim, is_before: bool) -> SSAValue:
    """
    Builds the `count` elements next to the first or the last one, in reverse order.
    """
    start = count if is_before else shape_of(x)[axis] - 2
    return part(x, axis, start, count, -1)


def _from_the_other_end(
    x: SSAValue, axis: int, count: Dim, is_before: bool
) -> SSAValue:
    """
    Builds the `count` elements at the other end of an axis, which goes around as often
    as it must where both numbers are known.
    """
    size = shape_of(x)[axis]
    if isinstance(size, int) and isinstance(count, int) and 0 < size < count:
        x = _repeated(x, axis, ceildiv(count, size))
    start = shape_of(x)[axis] - count if is_before else 0
    return part(x, axis, start, count)


def _repeated(x: SSAValue, axis: int, times: Dim) -> SSAValue:
    """Builds an axis as often as `times` says, one after the other."""
    shape = list(shape_of(x))
    apart = [*shape[:axis], times, *shape[axis:]]
    one = reshaped(x, [*shape[:axis], 1, *shape[axis:]])
    shape[axis] = shape[axis] * times
    return reshaped(expanded(one, apart), shape)


AROUND: dict[str, Around] = {
    "edge": edge,
    "reflect": _mirrored,
    "wrap": _from_the_other_end,
}
"""What builds the padding, by numpy's name of the mode."""


def padded(
    x: SSAValue,
    low: Sequence[Dim],
    high: Sequence[Dim],
    mode: str,
    value: float = 0.0,
) -> SSAValue:
    """
    Builds `x` with `low` elements before and `high` after each axis, or without as many
    for a negative amount; `mode` is one of `AROUND`, or constant for one `value`.
    """
    x = _cropped(x, low, high)
    low, high = ([greater(each, 0) for each in amounts] for amounts in (low, high))
    if mode == "constant":
        return _surrounded(x, low, high, value)
    for axis, (before, after) in enumerate(zip(low, high, strict=True)):
        parts = [x]
        if before != 0:
            parts.insert(0, AROUND[mode](x, axis, before, True))
        if after != 0:
            parts.append(AROUND[mode](x, axis, after, False))
        x = joined(parts, axis)
    return x


def _cropped(x: SSAValue, low: Sequence[Dim], high: Sequence[Dim]) -> SSAValue:
    """Builds `x` without the elements that negative amounts of padding remove."""
    less = [lesser(each, 0) for each in low]
    sides = zip(shape_of(x), less, high, strict=True)
    counts = [size + before + lesser(after, 0) for size, before, after in sides]
    pairs = zip(less, counts, strict=True)
    return cut(x, {axis: (b * -1, count, 1) for axis, (b, count) in enumerate(pairs)})


def _surrounded(
    x: SSAValue, low: Sequence[Dim], high: Sequence[Dim], value: float
) -> SSAValue:
    """Builds `x` with one value before and after each axis."""
    before, after = (
        tuple(each if isinstance(each, int) else 0 for each in amounts)
        for amounts in (low, high)
    )
    if any((*before, *after)):
        x = PadOp(x, low=before, high=after, value=value).result
    for axis, amounts in enumerate(zip(low, high, strict=True)):
        shape = list(shape_of(x))
        parts = [x]
        for at, amount in enumerate(amounts):
            if not isinstance(amount, int):
                shape[axis] = amount
                filler = expanded(number_like(value, x), shape)
                parts.insert(at * len(parts), filler)
        x = joined(parts, axis)
    return x
