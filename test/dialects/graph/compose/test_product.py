"""Products of vectors and matrices are those of numpy, and a bias is per channel."""

import numpy as np
import pytest

from static_runtime.dialects.graph.compose import product

from .run import run

SHAPES = [
    ((3,), (3,)),
    ((3,), (3, 2)),
    ((4, 3), (3,)),
    ((4, 3), (3, 2)),
    ((5, 4, 3), (3,)),
    ((3,), (5, 3, 2)),
    ((5, 1, 4, 3), (6, 3, 2)),
    ((4, 0), (0,)),
]


@pytest.mark.parametrize(("left", "right"), SHAPES)
@pytest.mark.parametrize("kind", [np.float32, np.float64, np.int64])
def test_matmul(left: tuple[int, ...], right: tuple[int, ...], kind: type[np.number]):
    a, b = (
        np.arange(np.prod(each)).reshape(each).astype(kind) for each in (left, right)
    )
    np.testing.assert_array_equal(run(product.matmul, a, b), np.matmul(a, b))


def test_with_bias():
    x, bias = np.arange(24.0).reshape(2, 3, 4), np.array([1.0, 2, 3])
    np.testing.assert_array_equal(run(product.with_bias, x, bias), x + bias[:, None])
    assert run(lambda v: product.with_bias(v, None), x) is x


@pytest.mark.parametrize(("alpha", "beta"), [(1, 1), (2, 1), (1, 0), (3, -2)])
@pytest.mark.parametrize("kind", [np.float32, np.float64, np.int64])
def test_combined(alpha: int, beta: int, kind: type[np.number]):
    a, c = np.arange(6).reshape(2, 3).astype(kind), np.arange(3).astype(kind)
    got = run(lambda v, w: product.combined(v, w, alpha, beta), a, c)
    np.testing.assert_array_equal(got, alpha * a + beta * c)
    got = run(lambda v: product.combined(v, None, alpha, beta), a)
    np.testing.assert_array_equal(got, alpha * a)


def test_nothing_times_nan_is_not_added():
    a, c = np.ones((2, 2)), np.full(2, np.nan)
    got = run(lambda v, w: product.combined(v, w, 1, 0), a, c)
    np.testing.assert_array_equal(got, a)
