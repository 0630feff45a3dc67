"""Lengths are those of `numpy.linalg.norm`."""

from math import inf
from typing import Any

import numpy as np
import pytest

from static_runtime.dialects.graph.compose.length import length, raised, root

from .run import FLOATS, run, special

Float = type[np.floating[Any]]


@pytest.mark.parametrize("kind", FLOATS)
@pytest.mark.parametrize("power", [0, 0.5, 1, 2, 3, -1, inf, -inf])
def test_length(kind: Float, power: float):
    x = np.random.default_rng(0).standard_normal((3, 4)).astype(kind)
    x[0, 0], x[1, 1] = -0.0, 0
    got = run(lambda v: length(v, power, (1,), False), x)
    with np.errstate(divide="ignore"):
        expected = np.linalg.norm(x.astype(np.float64), power, 1)
    np.testing.assert_allclose(got, expected, rtol=float(16 * np.finfo(kind).eps))
    kept = run(lambda v: length(v, power, (1,), True), x)
    np.testing.assert_array_equal(kept[:, 0], got)


@pytest.mark.parametrize("kind", FLOATS)
@pytest.mark.parametrize("power", [0.5, 1, 2, 3, inf])
def test_length_of_odd_numbers(kind: Float, power: float):
    x = np.array([[1, -np.inf], [np.nan, 1], [-0.0, 0.0]], kind)
    got = run(lambda v: length(v, power, (1,), False), x)
    np.testing.assert_array_equal(got, np.array([np.inf, np.nan, 0], kind))


@pytest.mark.parametrize("kind", FLOATS)
@pytest.mark.parametrize("power", [1, 2])
def test_root_takes_back_a_power(kind: Float, power: float):
    x = special(kind)
    x = x[~(np.abs(x) > 1e18) & ~(np.abs(x) < 1e-18)]
    got = run(lambda v: root(raised(v, power), power), x)
    np.testing.assert_allclose(got, np.abs(x), rtol=float(2 * np.finfo(kind).eps))


def test_lengths_of_integers():
    x = np.array([[3, -4], [0, -5]])
    for power, expected in ((0, [2, 1]), (1, [7, 5]), (inf, [4, 5])):
        got = run(lambda v, p=power: length(v, p, (1,), False), x)
        assert got.dtype == np.int64
        np.testing.assert_array_equal(got, expected)
