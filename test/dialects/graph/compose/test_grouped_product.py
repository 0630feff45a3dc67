"""Rows of groups times a matrix each are what a loop over the groups computes."""

import numpy as np
import pytest

from static_runtime.dialects.graph.compose import grouped_product

from .run import Array, run

SIZES = [
    ([9, 9, 30, 31], 31),
    ([3, 5, 10], 10),
    ([0, 0, 4], 4),
    ([1, 1, 2], 2),
    ([40, 40, 73], 73),
    ([16, 32, 48], 48),
    ([0, 1, 34, 34, 34], 34),
]


def expected(rows: Array, matrices: Array, ends: Array) -> Array:
    """The products group by group; rows of none are zero."""
    result = np.zeros((len(rows), matrices.shape[2]), rows.dtype)
    start = 0
    for end, matrix in zip(ends, matrices, strict=True):
        if start < end:
            result[start:end] = rows[start:end] @ matrix
            start = end
    return result


def operands(groups: int, rows: int) -> tuple[Array, Array]:
    """Rows and matrices of small integers, whose products are exact."""
    random = np.random.default_rng(7)
    matrices = random.integers(-4, 5, (groups, 6, 5)).astype(np.float32)
    return random.integers(-4, 5, (rows, 6)).astype(np.float32), matrices


@pytest.mark.parametrize(("ends", "count"), SIZES)
@pytest.mark.parametrize("kind", [np.int32, np.int64])
def test_each_group_has_its_matrix(ends: list[int], count: int, kind: type[np.number]):
    rows, matrices = operands(len(ends), count)
    got = run(grouped_product, rows, matrices, np.array(ends, kind))
    np.testing.assert_array_equal(got, expected(rows, matrices, np.array(ends)))


@pytest.mark.parametrize("count", [3, 40])
def test_rows_of_no_group_are_zero(count: int):
    rows, matrices = operands(4, count)
    matrices[3] = np.nan
    ends = np.array([1, 1, 2, 2])
    got = run(grouped_product, rows, matrices, ends)
    np.testing.assert_array_equal(got, expected(rows, matrices, ends))
    assert not got[2:].any()


@pytest.mark.parametrize("ends", [[5, 3, 90], [-4, 50, 10], [2**62, -(2**62), 2**62]])
def test_ends_that_fall_read_what_there_is(ends: list[int]):
    rows, matrices = operands(3, 60)
    assert run(grouped_product, rows, matrices, np.array(ends)).shape == (60, 5)


@pytest.mark.parametrize(("groups", "count"), [(0, 4), (3, 0), (0, 0)])
def test_there_may_be_none(groups: int, count: int):
    rows, matrices = operands(groups, count)
    got = run(grouped_product, rows, matrices, np.zeros(groups, np.int64))
    np.testing.assert_array_equal(got, np.zeros((count, 5), np.float32))
