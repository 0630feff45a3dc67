"""Normalized numbers are those of exact arithmetic, also around a large mean."""

from typing import Any

import numpy as np
import pytest

from static_runtime.dialects.graph.compose import normalization

from .run import FLOATS, Array, run, run_all

Float = type[np.floating[Any]]


def numbers(kind: Float, shift: float) -> Array:
    """Numbers around `shift`, in rows."""
    return (np.random.default_rng(0).standard_normal((4, 3, 16)) + shift).astype(kind)


@pytest.mark.parametrize("kind", FLOATS)
@pytest.mark.parametrize("shift", [0, 1000])
def test_standardized(kind: Float, shift: float):
    x = numbers(kind, shift)
    got = run_all(lambda v: normalization.standardized(v[0], (1, 2), 1e-5), x)
    wide = x.astype(np.float64)
    mean = wide.mean((1, 2), keepdims=True)
    factor = 1 / np.sqrt(wide.var((1, 2), keepdims=True) + 1e-5)
    # What is left of the mean is in units of the numbers.
    near = float(16 * np.finfo(kind).eps * max(shift, 1))
    for actual, expected in zip(
        got, ((wide - mean) * factor, mean, factor), strict=True
    ):
        assert actual.dtype == kind
        np.testing.assert_allclose(actual, expected, rtol=near, atol=near)


@pytest.mark.parametrize("kind", FLOATS)
def test_standardized_numbers_that_do_not_differ_are_zero(kind: Float):
    x = np.full((2, 8), 3, kind)
    unit, mean, _ = run_all(lambda v: normalization.standardized(v[0], (1,), 1e-5), x)
    np.testing.assert_array_equal(unit, 0)
    np.testing.assert_array_equal(mean, 3)


@pytest.mark.parametrize("kind", FLOATS)
def test_standardized_rows_with_odd_numbers_are_nan_and_others_are_not(kind: Float):
    x = numbers(kind, 0)[:, 0]
    x[0, 0], x[1, 0] = np.nan, np.inf
    got, *_ = run_all(lambda v: normalization.standardized(v[0], (1,), 1e-5), x)
    assert np.isnan(got[0]).all()
    assert np.isnan(got[1, 0])
    assert np.isfinite(got[2:]).all()


def test_scaled_and_shifted():
    x, scale, bias = numbers(np.float64, 0), np.arange(3.0), np.arange(3.0) - 1
    column, shift = scale.reshape(3, 1), bias.reshape(3, 1)
    given = [(x, scale, bias), (x, scale), (x,)]
    for arrays, expected in zip(
        given, (x * column + shift, x * column, x), strict=True
    ):

        def build(v: Any, scale: Any = None, bias: Any = None) -> Any:
            return normalization.with_channels(v, scale, bias)

        np.testing.assert_array_equal(run(build, *arrays), expected)
    got = run(lambda v, b: normalization.with_channels(v, None, b), x, bias)
    np.testing.assert_array_equal(got, x + shift)
