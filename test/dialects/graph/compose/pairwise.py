"""Pairwise coupling as libsvm and ONNX Runtime compute it, class by class."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]


def matrix_of(above: Array, below: Array, count: int) -> Array:
    """The matrix of one row of pairs, with zeros on the diagonal."""
    result = np.zeros((count, count), above.dtype)
    result[np.triu_indices(count, 1)] = above
    result.T[np.triu_indices(count, 1)] = below
    return result


def coupled(shares: Array, count: int) -> tuple[Array, int]:
    """
    The probabilities of one row of pairs, and after how many sweeps they were close
    enough.
    """
    wins = matrix_of(shares, 1 - shares, count)
    table = -wins * wins.T
    np.fill_diagonal(table, (wins.T**2).sum(axis=1))
    chances = np.full(count, 1 / count, shares.dtype)
    for sweep in range(100):
        slopes = table @ chances
        mean = chances @ slopes
        if np.abs(slopes - mean).max() < 0.005 / count:
            return chances, sweep
        for each in range(count):
            change = (mean - slopes[each]) / table[each, each]
            chances[each] += change
            mean += change * (change * table[each, each] + 2 * slopes[each])
            mean /= (1 + change) ** 2
            slopes = (slopes + change * table[each]) / (1 + change)
            chances /= 1 + change
    return chances, 100
