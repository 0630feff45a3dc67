"""Rows in order, where new ones begin, and how often numbers occur."""

from typing import Any

import numpy as np
import pytest

from static_runtime.dialects.graph.compose import distinct

from .run import run

ROWS = np.array([[1.0, 2], [0, 5], [1, 2], [0, 5], [np.nan, 1], [np.nan, 1], [0, 4]])


@pytest.mark.parametrize("nan_is_one", [False, True])
def test_new_rows(nan_is_one: bool):
    order = run(distinct.order_of_rows, ROWS)
    np.testing.assert_array_equal(order, [6, 1, 3, 0, 2, 4, 5])

    def build(rows: Any) -> Any:
        return distinct.is_new(rows, nan_is_one)

    wanted = [True, True, False, True, False, True, not nan_is_one]
    np.testing.assert_array_equal(run(build, ROWS[order]), wanted)


def test_values_are_put_at_indices_and_counted():
    places, values = np.array([2, 0, 1]), np.array([7, 8, 9])
    found = run(lambda at, x: distinct.scattered(4, at, x), places, values)
    np.testing.assert_array_equal(found, [8, 9, 7, 0])
    counts = run(lambda x: distinct.occurrences(3, x), np.array([2, 0, 2]))
    np.testing.assert_array_equal(counts, [1, 0, 2])
