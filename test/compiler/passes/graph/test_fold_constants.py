"""A constant that is permuted is copied to rows."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest

from static_runtime.compiler.passes.graph.fold_constants import BLOCK, in_rows

SHAPES = [(BLOCK + 1, 3 * BLOCK), (5, BLOCK, BLOCK + 7), (3, 3, 2 * BLOCK, BLOCK)]


@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("dtype", ["float32", "int64", "bool"])
def test_a_permuted_array_is_in_rows(shape: tuple[int, ...], dtype: str):
    array = np.arange(np.prod(shape)).reshape(shape).astype(dtype)
    for order in permutations(range(len(shape))):
        for each in (array, array[::-1], np.broadcast_to(array[:1], shape)):
            copied = in_rows(each.transpose(order))
            assert copied.flags.c_contiguous
            np.testing.assert_array_equal(copied, each.transpose(order))


def test_an_array_in_rows_is_itself():
    array = np.zeros((BLOCK, 2 * BLOCK))
    assert in_rows(array) is array
    assert in_rows(array[:, :2]).shape == (BLOCK, 2)
