"""`sorted_places` builds what `numpy.searchsorted` returns."""

from typing import Any

import numpy as np
import pytest

from static_runtime.dialects.graph.compose.searching import FEW, sorted_places

from .run import FLOATS, Array, run, run_open

SIZES = (0, 1, 5, FEW, FEW + 1, 63, 64, 65, 100)


@pytest.mark.sampled
@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("kind", [*FLOATS, np.int64, np.int32])
@pytest.mark.parametrize("right", [False, True])
def test_places_are_numpys(size: int, kind: type[Any], right: bool):
    random = np.random.default_rng(size)
    row: Array = np.sort(random.integers(-size, size + 1, size)).astype(kind)
    several = [*row, *(row + 1), *(row - 1), -(10**6), 10**6, 0]
    if kind in FLOATS:
        several += [np.nan, np.inf, -np.inf, -0.0]
    values = np.array(several, kind)
    wanted: Array = np.searchsorted(row, values, "right" if right else "left")
    for run_it in (run, run_open):
        got = run_it(lambda r, v: sorted_places(r, v, right), row, values)
        assert got.dtype == np.int64
        np.testing.assert_array_equal(got, wanted)


@pytest.mark.parametrize("size", [FEW, FEW + 9])
def test_each_row_has_its_own_values(size: int):
    random = np.random.default_rng(1)
    rows = np.sort(random.standard_normal((3, size)), axis=1)
    values = random.standard_normal((3, 7))
    got = run(sorted_places, rows, values)
    wanted: list[Array] = [
        np.searchsorted(*each) for each in zip(rows, values, strict=True)
    ]
    np.testing.assert_array_equal(got, wanted)
