"""`resized_bytes` builds sums of bytes by weights of 16 bits, rounded to bytes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from static_runtime.dialects.graph.compose.resizing import resized_bytes
from static_runtime.dialects.graph.families.interpolation import Interpolation

from .run import Array, run, run_open

HOW: dict[str, dict[str, Any]] = {
    "linear": {"mode": "linear", "coordinates": "half_pixel"},
    "cubic": {"mode": "cubic", "coordinates": "half_pixel"},
    "corners": {"mode": "cubic", "coordinates": "align_corners"},
    "smooth": {
        **{"mode": "cubic", "coordinates": "half_pixel", "cubic": -0.5},
        **{"antialias": True, "exclude_outside": True},
    },
}


def in_integers(x: Array, size: int, how: Interpolation) -> Array:
    """Bytes resized along axis 1: a matrix of weights, and sums of integers."""
    count = x.shape[1]
    positions = how.positions(count, size, np.dtype(np.float64))
    matrix = np.zeros((size, count))
    for row, indices, weights in zip(matrix, *how.table(positions, count), strict=True):
        np.add.at(row, indices, weights)
    bits = max(n for n in range(23) if int(matrix.max() * 2**n + 0.5) < 2**15)
    scaled = matrix * 2**bits
    fixed = np.trunc(scaled + np.where(scaled < 0, -0.5, 0.5)).astype(np.int64)
    total = x.astype(np.int64) @ fixed.T
    return np.clip((total + (1 << (bits - 1))) >> bits, 0, 255).astype(np.uint8)


@pytest.mark.parametrize("size", [1, 4, 9, 23])
@pytest.mark.parametrize("how", HOW)
def test_sums_are_those_of_integers(how: str, size: int):
    interpolation = Interpolation(**HOW[how])
    for count in (1, 2, 9, 40):
        x = np.random.default_rng(count).integers(0, 256, (3, count), np.uint8)
        wanted = in_integers(x, size, interpolation)
        for run_it in (run, run_open):
            got = run_it(lambda x: resized_bytes(x, 1, size, **HOW[how]), x)
            assert got.dtype == np.uint8
            np.testing.assert_array_equal(got, wanted)


def test_a_row_of_one_byte_stays_that():
    """Weights add up to one, beyond the ends as well."""
    x = np.full((2, 5), 255, np.uint8)
    for how in HOW.values():
        got = run(lambda x, how=how: resized_bytes(x, 1, 8, **how), x)
        np.testing.assert_array_equal(got, np.full((2, 8), 255, np.uint8))
