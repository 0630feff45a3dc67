"""In the reverse order the greatest is where the least was, in every type."""

from typing import Any

import numpy as np
import pytest

from static_runtime.dialects.graph.compose.extreme import reversed_order

from .run import Array, run, special


@pytest.mark.parametrize(
    "x",
    [
        special(np.float32)[:-1],
        special(np.float64)[:-1],
        np.array([3, np.iinfo(np.int32).min, np.iinfo(np.int32).max, 0], np.int32),
        np.array([-1, np.iinfo(np.int64).max, np.iinfo(np.int64).min], np.int64),
        np.array([True, False, True]),
    ],
)
def test_reversed_order(x: Array):
    got: Any = run(reversed_order, x)
    assert np.argmax(got) == np.argmin(x)
    assert np.argmin(got) == np.argmax(x)
    for place in range(len(x)):
        np.testing.assert_array_equal(got < got[place], x > x[place])


def test_nan_stays():
    got = run(reversed_order, np.array([1, np.nan, -1]))
    assert np.argmax(got) == 1
