"""What is put around a tensor is what `numpy.pad` puts there."""

from typing import Any

import numpy as np
import pytest

from static_runtime.dialects.graph.compose.padding import AROUND, padded

from .run import run

X = np.arange(15).reshape(3, 5)


@pytest.mark.parametrize("mode", [*AROUND, "constant"])
@pytest.mark.parametrize(("low", "high"), [(0, 0), (2, 0), (0, 1), (1, 2)])
@pytest.mark.parametrize("axis", [0, 1])
def test_padded(mode: Any, low: int, high: int, axis: int):
    widths = [(low, high) if each == axis else (0, 0) for each in range(2)]
    before, after = zip(*widths)
    got = run(lambda v: padded(v, before, after, mode), X)
    np.testing.assert_array_equal(got, np.pad(X, widths, mode))


@pytest.mark.parametrize("mode", [*AROUND, "constant"])
def test_negative_amounts_crop(mode: Any):
    got = run(lambda v: padded(v, (-1, 1), (0, -3), mode), X)
    np.testing.assert_array_equal(got, np.pad(X[1:, :2], [(0, 0), (1, 0)], mode))
