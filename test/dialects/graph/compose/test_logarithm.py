"""Sums of logarithms are what numpy makes of them, and keep infinities."""

from typing import Any

import numpy as np
import pytest

from static_runtime.dialects.graph.compose.logarithm import log_of_sum, logs_of_sums

from .run import FLOATS, Array, run, run_open


@pytest.mark.parametrize("kind", FLOATS)
def test_log_of_sum(kind: Any):
    numbers = [0, -0.0, 1, -1, 3.5, 90, -90, 1e4, -1e4, np.inf, -np.inf, np.nan]
    a, b = (each.ravel() for each in np.meshgrid(*[np.array(numbers, kind)] * 2))
    with np.errstate(invalid="ignore"):
        expected = np.logaddexp(a, b)
    np.testing.assert_allclose(run(log_of_sum, a, b), expected, rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("size", [0, 1, 2, 7, 8, 33])
@pytest.mark.parametrize("axis", [0, 1])
def test_logs_of_sums(size: int, axis: int):
    x: Array = np.random.default_rng(size).standard_normal((3, size)) * 300
    x[:, 3:5] = -np.inf
    x = x if axis else x.T
    expected = np.logaddexp.accumulate(x, axis) if size else x
    for run_it in (run, run_open):
        got = run_it(lambda x: logs_of_sums(x, axis), x)
        np.testing.assert_allclose(got, expected, rtol=1e-12)
