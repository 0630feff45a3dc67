"""Parts along axes, and what is put together of parts, are those of numpy."""

import numpy as np
import pytest

from static_runtime.dialects.graph.compose import parts

from .run import run

X = np.arange(30).reshape(2, 3, 5)


def test_cut():
    got = run(lambda v: parts.cut(v, {0: (1, 1, 1), 2: (4, 2, -3)}), X)
    np.testing.assert_array_equal(got, X[1:2, :, 4::-3])
    np.testing.assert_array_equal(run(lambda v: parts.cut(v, {}), X), X)


def test_cut_of_the_whole_builds_nothing():
    assert run(lambda v: v, X) is X
    assert run(lambda v: parts.cut(v, {1: (0, 3, 1)}), X) is X


def test_part_and_taken():
    got = run(lambda v: parts.part(v, 2, 1, 2, 2), X)
    np.testing.assert_array_equal(got, X[:, :, 1:5:2])
    got = run(lambda v: parts.at_index(v, 1, 2), X)
    np.testing.assert_array_equal(got, X[:, 2])


@pytest.mark.parametrize("axes", [(), (0,), (2,), (0, 2), (0, 1, 2)])
def test_flipped(axes: tuple[int, ...]):
    got = run(lambda v: parts.flipped(v, axes), X)
    np.testing.assert_array_equal(got, np.flip(X, axes))


@pytest.mark.parametrize("axis", [0, 1, 2, 3])
def test_stacked(axis: int):
    got = run(lambda a: parts.stacked([a], axis), X)
    np.testing.assert_array_equal(got, np.stack([X], axis))
    got = run(lambda a, b: parts.stacked([a, b, a], axis), X, X + 1)
    np.testing.assert_array_equal(got, np.stack([X, X + 1, X], axis))


def test_joined():
    got = run(lambda a, b: parts.joined([a, b], 1), X, X[:, :1])
    np.testing.assert_array_equal(got, np.concatenate([X, X[:, :1]], 1))
    assert run(lambda v: parts.joined([v], 1), X) is X
