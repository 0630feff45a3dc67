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
