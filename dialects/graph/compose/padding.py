"""Padding with elements of the tensor itself: edge, reflect and wrap."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from xdsl.ir import SSAValue

from .parts import joined, part
from .shaping import expanded, shape_of

Around: TypeAlias = Callable[[SSAValue, int, int, bool], SSAValue]
"""Builds a number of padding elements before or after an axis."""


def edge(x: SSAValue, axis: int, count: int, is_before: bool) -> SSAValue:
    """Builds the first or the last element of an axis, `count` times."""
    shape = list(shape_of(x))
    one = part(x, axis, 0 if is_before else shape[axis] - 1, 1)
    shape[axis] = count
    return expanded(one, shape)


def _mirrored(x: SSAValue, axis: int, count: int, is_before: bool) -> SSAValue:
    """
    Builds the `count` elements next to the first or the last one, in reverse order.
    """
    start = count if is_before else shape_of(x)[axis] - 2
    return part(x, axis, start, count, -1)


def _from_the_other_end(
    x: SSAValue, axis: int, count: int, is_before: bool
) -> SSAValue:
    """Builds the `count` elements at the other end of an axis."""
    start = shape_of(x)[axis] - count if is_before else 0
    return part(x, axis, start, count)


AROUND: dict[str, Around] = {
    "edge": edge,
    "reflect": _mirrored,
    "wrap": _from_the_other_end,
}
"""What builds the padding, by numpy's name of the mode."""


def padded(x: SSAValue, axis: int, low: int, high: int, mode: str) -> SSAValue:
    """Builds `x` padded along one axis by `low` elements before and `high` after."""
    parts = [x]
    if low > 0:
        parts.insert(0, AROUND[mode](x, axis, low, True))
    if high > 0:
        parts.append(AROUND[mode](x, axis, high, False))
    return joined(parts, axis)
