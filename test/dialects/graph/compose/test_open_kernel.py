"""Convolutions of open windows compute what those of known windows do."""

from __future__ import annotations

import numpy as np
import pytest

from static_runtime.dialects.graph.compose.convolution import convolved, convolved_back
from static_runtime.dialects.graph.compose.open_kernel import (
    convolved_back_by_sizes,
    convolved_by_sizes,
)
from static_runtime.dialects.graph.compose.pooling import Window

from .run import Array, run

WINDOWS = {
    "row": Window((3,), (2,), (1,), (1,), (1,), (0,)),
    "point": Window((1, 1), (1, 1), (1, 1), (0, 0), (0, 0), (0, 0)),
    "image": Window((3, 2), (2, 3), (1, 2), (1, 0), (1, 0), (0, 0)),
}


def operands(*shapes: tuple[int, ...]) -> list[Array]:
    """Arrays of numbers whose sums are exact."""
    random = np.random.default_rng(0)
    return [random.integers(-9, 9, shape).astype(np.float64) for shape in shapes]


@pytest.mark.parametrize("groups", [1, 2])
@pytest.mark.parametrize("name", WINDOWS)
def test_convolved_by_sizes(name: str, groups: int):
    window = WINDOWS[name]
    spatial = (8, 9)[: len(window.kernel)]
    x, w = operands((2, 4, *spatial), (6, 4 // groups, *window.kernel))
    ways = window.strides, window.dilation, window.low, window.high
    got = run(lambda a, b: convolved_by_sizes(a, b, groups, *ways), x, w)
    expected = run(lambda a, b: convolved(a, b, groups, window), x, w)
    np.testing.assert_array_equal(got, expected)


@pytest.mark.parametrize("groups", [1, 2])
@pytest.mark.parametrize(
    ("name", "more"),
    # An output is padded by less than a stride.
    [(n, more) for n in WINDOWS for more in (0, 1) if more < min(WINDOWS[n].strides)],
)
def test_convolved_back_by_sizes(name: str, groups: int, more: int):
    window = WINDOWS[name]
    count = len(window.kernel)
    x, w = operands((2, 4, *(5, 4)[:count]), (4, 6 // groups, *window.kernel))
    spare = (more,) * count
    ways = window.strides, window.dilation, window.low, spare
    got = run(lambda a, b: convolved_back_by_sizes(a, b, groups, *ways), x, w)
    expected = run(lambda a, b: convolved_back(a, b, groups, window, spare), x, w)
    np.testing.assert_array_equal(got, expected)
