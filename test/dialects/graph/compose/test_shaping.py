"""Tensors under other shapes are those of numpy."""

import numpy as np
import pytest

from static_runtime.dialects.graph.compose import shaping

from .run import run

X = np.arange(24).reshape(2, 3, 4)


def test_reshaped():
    for shape in ((2, 3, 4), (6, 4), (24,), (1, 24, 1)):
        got = run(lambda v, shape=shape: shaping.reshaped(v, shape), X)
        np.testing.assert_array_equal(got, X.reshape(shape))


def test_expanded():
    for shape in ((2, 3, 4), (5, 2, 3, 4)):
        got = run(lambda v, shape=shape: shaping.expanded(v, shape), X)
        np.testing.assert_array_equal(got, np.broadcast_to(X, shape))


def test_filled():
    for shape in ((), (2, 0), (3, 2)):
        got = run(lambda shape=shape: shaping.filled(np.array(1.5), shape))
        np.testing.assert_array_equal(got, np.full(shape, 1.5))


@pytest.mark.parametrize("order", [(0, 1, 2), (2, 0, 1), (1, 0, 2)])
def test_permuted(order: tuple[int, ...]):
    got = run(lambda v: shaping.permuted(v, order), X)
    np.testing.assert_array_equal(got, X.transpose(order))


def test_along():
    row = np.arange(3)
    for axis in range(3):
        got = run(lambda v, axis=axis: shaping.along(v, axis, 3), row)
        others = tuple(each for each in range(3) if each != axis)
        expected = np.expand_dims(row, others)
        np.testing.assert_array_equal(got, expected)


def test_per_channel():
    row = np.arange(3)
    for rank in (2, 3, 5):
        got = run(lambda v, rank=rank: shaping.per_channel(v, rank), row)
        assert np.broadcast_shapes(got.shape, (2, 3, *[4] * (rank - 2)))[1] == 3
        np.testing.assert_array_equal(got.ravel(), row)


@pytest.mark.parametrize("counts", [(1, 1, 1), (2, 1, 3), (2, 3, 1, 2), (0, 1, 1)])
def test_repeated(counts: tuple[int, ...]):
    got = run(lambda v: shaping.repeated(v, counts), X)
    np.testing.assert_array_equal(got, np.tile(X, counts))
