"""Bounds hold numbers as `numpy.clip` does, and NaN stays."""

from typing import Any

import numpy as np
import pytest
from xdsl.dialects.builtin import i64

from static_runtime.dialects.graph.compose import bounds
from static_runtime.dialects.graph.compose.number import number, number_like

from .run import FLOATS, Array, run, special

Float = type[np.floating[Any]]
LIMITS = [(None, None), (-0.5, None), (None, 2.0), (-0.5, 2.0), (-np.inf, 1.0)]


@pytest.mark.parametrize("kind", FLOATS)
@pytest.mark.parametrize(("low", "high"), LIMITS)
def test_clamped_and_between(kind: Float, low: float | None, high: float | None):
    x = special(kind)
    expected = x if low is None else np.maximum(x, kind(low))
    expected = expected if high is None else np.minimum(expected, kind(high))
    got = run(lambda v: bounds.clamped(v, low, high), x)
    np.testing.assert_array_equal(got, expected)
    got = run(
        lambda v: bounds.between(
            v, *(None if each is None else number_like(each, v) for each in (low, high))
        ),
        x,
    )
    np.testing.assert_array_equal(got, expected)


def test_between_integers_of_many_digits():
    limit = 2**53 + 1
    assert not bounds.is_bound(limit)
    assert bounds.is_bound(limit - 1)
    x = np.array([limit - 1, limit, limit + 1])
    got = run(lambda v: bounds.between(v, None, number(limit, i64)), x)
    np.testing.assert_array_equal(got, np.minimum(x, limit))


def test_what_is_a_bound():
    assert all(map(bounds.is_bound, (None, True, 0, -1.5, np.inf)))
    assert not bounds.is_bound(np.nan)


def test_a_greatest_below_the_least_wins():
    x = np.array([0.0, 5.0])
    got = run(lambda v: bounds.clamped(v, 3, 1), x)
    np.testing.assert_array_equal(got, [1, 1])
    got = run(lambda v: bounds.between(v, number_like(3, v), number_like(1, v)), x)
    np.testing.assert_array_equal(got, [1, 1])


@pytest.mark.parametrize(
    "x", [*map(special, FLOATS), np.arange(-1, 2), np.arange(-1, 2, dtype=np.int32)]
)
def test_is_nan_and_is_infinite(x: Array):
    np.testing.assert_array_equal(run(bounds.is_nan, x), np.isnan(x))
    np.testing.assert_array_equal(run(bounds.is_infinite, x), np.isinf(x))
