"""
Windows that slide over the spatial axes of NxCx...: what convolution and pooling share.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from xdsl.utils.exceptions import VerifyException

from ..dims import Dim, floordiv
from .shape import Array


def window_sizes(
    spatial: Sequence[Dim],
    kernel: Sequence[Dim],
    strides: Sequence[int],
    padding: Sequence[int],
    dilation: Sequence[int],
) -> tuple[Dim, ...]:
    """How many places a window has along each axis; raises `VerifyException`."""
    count = len(spatial)
    if not len(kernel) == len(strides) == len(dilation) == count:
        raise VerifyException(
            f"expected a stride and a dilation for each of {count} spatial axes, got "
            f"{tuple(strides)} and {tuple(dilation)}"
        )
    if len(padding) != 2 * count or min(padding, default=0) < 0:
        raise VerifyException(
            f"expected {2 * count} paddings of zero or more, got {tuple(padding)}"
        )
    if min((*strides, *dilation), default=1) < 1:
        raise VerifyException(
            f"expected strides and dilations of one or more, got {tuple(strides)} and "
            f"{tuple(dilation)}"
        )
    result: list[Dim] = []
    for place, free in enumerate(room(spatial, kernel, padding, dilation)):
        if isinstance(free, int) and free < 0:
            raise VerifyException(
                f"expected a window that fits spatial axis {place}, got one that is "
                f"{-free} longer"
            )
        result.append(floordiv(free, strides[place]) + 1)
    return tuple(result)


def room(
    spatial: Sequence[Dim],
    kernel: Sequence[Dim],
    padding: Sequence[int],
    dilation: Sequence[int],
) -> list[Dim]:
    """How far a window can move along each axis; negative where it does not fit."""
    count = len(spatial)
    return [
        size + padding[at] + padding[at + count] - (kernel[at] - 1) * dilation[at] - 1
        for at, size in enumerate(spatial)
    ]


def padded(padding: Sequence[int]) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """The paddings before and after every axis, the first two of which get none."""
    half = len(padding) // 2
    return (0, 0, *padding[:half]), (0, 0, *padding[half:])


def pad_spatial(input: Array, padding: Sequence[int], value: float) -> Array:
    """The array with elements of `value` around its spatial axes."""
    width = list(zip(*padded(padding), strict=True))
    return np.pad(input, width, constant_values=input.dtype.type(value))
