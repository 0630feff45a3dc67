"""Linear offsets of the elements of a tensor in row-major order."""

from __future__ import annotations

from collections.abc import Sequence

from ..dims import Dim, product
from ..graph import Linear


def flatten(at: Sequence[Linear], shape: Sequence[Dim]) -> Linear:
    """The linear offset of an element of a tensor of this shape."""
    offset, stride = Linear(), 1
    for position, size in zip(reversed(at), reversed(shape), strict=True):
        offset = offset + position * stride
        stride = stride * size
    return offset


def looked_up(at: Sequence[Linear], shape: Sequence[Dim]) -> tuple[Dim, Dim, Dim]:
    """
    The number of indices that are loaded, the offset of the first, and their stride.
    """
    moving = [axis for axis, each in enumerate(at) if each.factors] or [0, -1]
    first, end = moving[0], moving[-1] + 1
    fixed = [Linear() if each.factors else each for each in at]
    assert all(axis in moving or shape[axis] == 1 for axis in range(first, end)), (
        "indices lie as far from each other all along"
    )
    start = flatten(fixed, shape).offset
    return product(shape[first:end]), start, product(shape[end:])
