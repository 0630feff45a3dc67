"""
Sliding windows over the spatial axes of an image, for convolution and pooling.

An image is NxCx..., or Nx...xC where an op says that its channels come last.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from typing import TypeVar

import numpy as np
from xdsl.utils.exceptions import VerifyException

from ...dims import Dim, floordiv
from ...shape import Array
from ..nest import Linear
from ..order import Order

T = TypeVar("T")


def take_apart(image: Sequence[T], channels_last: bool) -> tuple[T, T, tuple[T, ...]]:
    """The entries of the batch, of the channels and of the spatial axes."""
    if channels_last:
        n, *spatial, c = image
    else:
        n, c, *spatial = image
    return n, c, tuple(spatial)


def put_together(
    n: T, c: T, spatial: Sequence[T], channels_last: bool
) -> tuple[T, ...]:
    """The entries of all axes of an image, in the order of its axes."""
    return (n, *spatial, c) if channels_last else (n, c, *spatial)


def channels_to_end(rank: int) -> Order:
    """The order that puts the channels of NxCx... last."""
    return (0, *range(2, rank), 1)


def window_sizes(
    spatial: Sequence[Dim],
    kernel: Sequence[Dim],
    strides: Sequence[int],
    padding: Sequence[int],
    dilation: Sequence[int],
) -> tuple[Dim, ...]:
    """
    The number of window positions along each axis, which is zero for a window that is
    longer than the image by a stride at most; raises `VerifyException`.
    """
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
    for axis, size in enumerate(spatial):
        reach = (kernel[axis] - 1) * dilation[axis] + 1
        free = size + padding[axis] + padding[axis + count] - reach
        result.append(floordiv(free, strides[axis]) + 1)
        if isinstance(each := result[axis], int) and each < 0:
            raise VerifyException(
                f"expected a window that fits spatial axis {axis}, got one that is "
                f"{-free} longer"
            )
    return tuple(result)


def under_window(
    positions: Sequence[Linear],
    taps: Sequence[Linear],
    strides: Sequence[int],
    dilation: Sequence[int],
) -> list[Linear]:
    """The element of an image that each tap of a window reads, along each axis."""
    axes = zip(positions, taps, strides, dilation, strict=True)
    return [at * stride + tap * step for at, tap, stride, step in axes]


def taps_of(
    kernel: Sequence[int],
    strides: Sequence[int],
    dilation: Sequence[int],
    positions: Sequence[int],
) -> Iterator[tuple[tuple[int, ...], tuple[slice, ...]]]:
    """Each tap of a window, and what all windows read by it of the spatial axes."""
    for tap in product(*map(range, kernel)):
        yield (
            tap,
            tuple(
                slice(k * d, k * d + (size - 1) * s + 1 if size else 0, s)
                for k, d, s, size in zip(tap, dilation, strides, positions, strict=True)
            ),
        )


def padded(
    padding: Sequence[int], channels_last: bool = False
) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """The paddings before and after every axis; batch and channels get none."""
    half = len(padding) // 2
    low, high = (
        put_together(0, 0, each, channels_last)
        for each in (padding[:half], padding[half:])
    )
    return low, high


def pad_spatial(input: Array, padding: Sequence[int], value: float) -> Array:
    """NxCx... padded with `value` along its spatial axes."""
    width = list(zip(*padded(padding), strict=True))
    return np.pad(input, width, constant_values=input.dtype.type(value))
