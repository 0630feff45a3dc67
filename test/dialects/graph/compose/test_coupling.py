"""What becomes of pairs of classes, beside loops over the classes."""

from typing import Any

import numpy as np
import pytest

from static_runtime.dialects.graph.compose import coupling

from . import pairwise
from .run import run


@pytest.mark.parametrize("count", [2, 3, 4])
def test_pairs_stand_above_the_diagonal_and_below(count: int):
    pairs = count * (count - 1) // 2
    above = np.arange(1, 1 + 2 * pairs, dtype=np.float32).reshape(2, pairs)
    got = run(lambda a, b: coupling.of_pairs(a, b, count), above, -above)
    expected = [pairwise.matrix_of(each, -each, count) for each in above]
    np.testing.assert_array_equal(got, expected)


@pytest.mark.parametrize("kind", [np.float32, np.float64])
@pytest.mark.parametrize("count", [2, 3, 5])
def test_each_row_takes_its_own_number_of_sweeps(
    count: int, kind: type[np.floating[Any]]
):
    pairs = count * (count - 1) // 2
    random = np.random.default_rng(0)
    shares = random.uniform(0.02, 0.98, (10, pairs)).astype(kind)
    shares[0] = 0.5
    shares[1] = np.where(np.arange(pairs) % 2, 1e-3, 1 - 1e-3)
    expected, sweeps = zip(*(pairwise.coupled(each, count) for each in shares))
    assert sweeps[0] == 0
    assert len({*sweeps}) > 2
    got = run(lambda x: coupling.coupled(x, count), shares)
    np.testing.assert_allclose(got, expected, rtol=2e-5, atol=1e-6)


def test_of_no_rows_there_are_none():
    got = run(lambda x: coupling.coupled(x, 3), np.zeros((0, 3), np.float32))
    assert got.shape == (0, 3)


def test_a_row_that_is_no_number_ends_at_once():
    shares = np.array([[np.nan, 0.5, 0.5], [0.5, 0.9, 0.7]], np.float32)
    got = run(lambda x: coupling.coupled(x, 3), shares)
    np.testing.assert_allclose(got[1], pairwise.coupled(shares[1], 3)[0], rtol=1e-5)
