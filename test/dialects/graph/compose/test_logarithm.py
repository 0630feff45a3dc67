"""Sums of logarithms are what numpy makes of them, and keep infinities."""

from typing import Any

import numpy as np
import pytest

from static_runtime.dialects.graph.compose import log_of_sum

from .run import FLOATS, run


@pytest.mark.parametrize("kind", FLOATS)
def test_log_of_sum(kind: Any):
    numbers = [0, -0.0, 1, -1, 3.5, 90, -90, 1e4, -1e4, np.inf, -np.inf, np.nan]
    a, b = (each.ravel() for each in np.meshgrid(*[np.array(numbers, kind)] * 2))
    with np.errstate(invalid="ignore"):
        expected = np.logaddexp(a, b)
    np.testing.assert_allclose(run(log_of_sum, a, b), expected, rtol=1e-6, atol=1e-6)
