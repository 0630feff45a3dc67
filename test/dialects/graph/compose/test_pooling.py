"""Windows with rounded-up places, the means under them, and images made of blocks."""

from dataclasses import replace
from itertools import product
from typing import Any

import numpy as np
import pytest

from static_runtime.dialects.dims import symbol
from static_runtime.dialects.graph.compose.pooling import (
    Window,
    image_of_blocks,
    mean_pool,
    missing,
    rounded_up,
    windows_added_up,
)

from .run import FLOATS, Array, run

Float = type[np.floating[Any]]


def window_along(kernel: int, stride: int, step: int, low: int, high: int) -> Window:
    """A window over one axis."""
    return Window((kernel,), (stride,), (step,), (low,), (high,), (0,))


AXES = [
    (size, kernel, stride, step, low, high)
    for size, kernel, stride, step, low, high in product(
        (5, 6, 7, 9), (1, 2, 3), (1, 2, 3), (1, 2), (0, 1), (0, 1, 2)
    )
    if max(low, high) < (kernel - 1) * step + 1 <= size + low + high
]
"""Sizes, windows and paddings."""


def starts(size: int, reach: int, stride: int, low: int, high: int) -> list[int]:
    """
    Where windows start: each touches the image or the padding before it, and one that
    is partly beyond the padding is there as well.
    """
    found: list[int] = []
    place = -low
    while place < size and (not found or found[-1] + reach < size + high):
        found.append(place)
        place += stride
    return found


@pytest.mark.sampled(every=6)
@pytest.mark.parametrize(("size", "kernel", "stride", "step", "low", "high"), AXES)
def test_rounded_up(
    size: int, kernel: int, stride: int, step: int, low: int, high: int
):
    reach = (kernel - 1) * step + 1
    window = rounded_up(window_along(kernel, stride, step, low, high), [size])
    assert window is not None
    (before, after), (beyond,) = window.padding, window.beyond
    places = (size + before + after - reach) // stride + 1
    assert places == len(starts(size, reach, stride, low, high))
    assert before == low
    assert 0 <= beyond < max(stride, reach)


def test_rounded_up_over_a_size_that_varies():
    n = symbol("n")
    assert rounded_up(window_along(2, 2, 1, 0, 1), [n]) is None
    window = rounded_up(window_along(2, 2, 1, 0, 0), [n])
    assert window is not None
    assert window.beyond == (1,)


@pytest.mark.parametrize(
    ("size", "kernel", "stride", "step", "low", "high", "positions"),
    [
        (1, 2, 2, 1, 0, 0, 1),
        (2, 4, 3, 1, 0, 0, 1),
        (2, 3, 4, 2, 1, 1, 1),
        (1, 4, 2, 1, 0, 0, 0),
        (1, 2, 1, 1, 0, 0, 0),
        (1, 9, 2, 1, 0, 1, -3),
        (3, 3, 2, 1, 0, 1, 1),
        (7, 3, 2, 1, 0, 1, 3),
        (0, 2, 2, 1, 0, 0, 0),
        (0, 2, 3, 1, 0, 0, 0),
    ],
)
def test_missing(
    size: int,
    kernel: int,
    stride: int,
    step: int,
    low: int,
    high: int,
    positions: int,
):
    window = window_along(kernel, stride, step, low, high)
    known = missing(size, window.reach[0] - low - high, stride)
    free = size + low + high + known - ((kernel - 1) * step + 1)
    assert free // stride + 1 == positions
    whole = replace(window, beyond=(known,))
    assert whole.padded_beyond.high == (high + known,)
    assert whole.padded_beyond.beyond == (0,)
    assert whole.padded_beyond.padding == whole.padding


def means(x: Array, window: Window, counts_padding: bool) -> Array:
    """The means under a window over the last axis, one by one."""
    (kernel,), (stride,), (step,) = window.kernel, window.strides, window.dilation
    (low,), (high,), (beyond,) = window.low, window.high, window.beyond
    size = x.shape[-1]
    columns: list[Array] = []
    for start in range(-low, size + high + beyond - (kernel - 1) * step, stride):
        taps = [start + step * each for each in range(kernel)]
        inside = [each for each in taps if 0 <= each < size]
        counted = [each for each in taps if -low <= each < size + high]
        total = x[..., inside].sum(-1)
        count = len(counted if counts_padding else inside)
        exact = total / count
        columns.append(np.trunc(exact) if x.dtype.kind == "i" else exact)
    return np.stack(columns, -1).astype(x.dtype)


@pytest.mark.parametrize("kind", [*FLOATS, np.int64])
@pytest.mark.parametrize("counts_padding", [False, True])
@pytest.mark.parametrize(
    ("kernel", "stride", "low", "high"), [(2, 2, 0, 0), (3, 2, 1, 1), (3, 3, 1, 0)]
)
def test_mean_pool(
    kind: type[np.number[Any]],
    counts_padding: bool,
    kernel: int,
    stride: int,
    low: int,
    high: int,
):
    numbers = np.random.default_rng(0).integers(-9, 9, (2, 3, 7))
    x = numbers.astype(kind)
    plain = window_along(kernel, stride, 1, low, high)
    for window in (plain, rounded_up(plain, [7])):
        assert window is not None
        got = run(lambda v, w=window: mean_pool(v, w, counts_padding), x)
        expected = means(x, window, counts_padding)
        np.testing.assert_allclose(got, expected, rtol=1e-6)


def test_mean_pool_has_what_is_under_it_and_nothing_else():
    x = np.array([[[np.nan, 1, 2, np.inf, -0.0, -0.0]]])
    window = window_along(2, 2, 1, 0, 0)
    got = run(lambda v: mean_pool(v, window, True), x)
    np.testing.assert_array_equal(got, [[[np.nan, np.inf, 0]]])


@pytest.mark.parametrize("kind", [*FLOATS, np.int64])
def test_means_of_no_elements_are_zero(kind: type[np.number[Any]]):
    x = np.array([[[7]]], kind)
    window = window_along(2, 2, 2, 1, 2)
    got = run(lambda v: mean_pool(v, window, False), x)
    np.testing.assert_array_equal(got, [[[0]]])


@pytest.mark.parametrize("low", [0, 1])
def test_image_of_blocks(low: int):
    window = Window((2, 3), (1, 2), (1, 1), (low, low), (low, 0), (0, 0))
    high, wide = 4, 5
    rows = (high + 2 * low - 2) + 1
    columns = (wide + low - 3) // 2 + 1
    parts = np.random.default_rng(0).integers(0, 9, (2, 3, 2, 3, rows, columns))
    image = np.zeros((2, 3, high + 2 * low, wide + low), np.int64)
    for a, b, row, column in product(range(2), range(3), range(rows), range(columns)):
        image[:, :, row + a, 2 * column + b] += parts[:, :, a, b, row, column]
    x = parts.reshape(2, 18, rows * columns).astype(np.float64)
    got = run(lambda v: image_of_blocks(v, (high, wide), window), x)
    expected = image[:, :, low : low + high, low : low + wide]
    np.testing.assert_array_equal(got, expected)


@pytest.mark.parametrize("axis", [0, 1, 2])
def test_windows_are_added_up_along_any_axis(axis: int):
    shape = [3, 3, 3]
    shape[axis] = 9
    windows = np.random.default_rng(0).integers(0, 9, (3, 3, 3, 4)).astype(np.float64)
    image = np.zeros(shape)
    along = np.moveaxis(image, axis, 0)
    for at in range(3):
        window = np.take(windows, [at], axis).squeeze(axis)
        along[2 * at : 2 * at + 4] += np.moveaxis(window, -1, 0)
    got = run(lambda v: windows_added_up(v, shape, axis, 4, 2), windows)
    np.testing.assert_array_equal(got, image)
