"""Factors of matrices are what they say: their products are the matrices again."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from static_runtime.dialects.graph.compose import matrices

from ..run import FLOATS, run, run_all

SHAPES = [(3, 5, 5), (2, 6, 4), (1, 1, 1)]


def numbers(*shape: int) -> Any:
    """Numbers of both signs, the same in each run."""
    return np.random.default_rng(0).standard_normal(shape)


def close(kind: Any) -> dict[str, Any]:
    """How close results are for an element type."""
    return {"rtol": 1e-4, "atol": 1e-4} if kind == np.float32 else {"atol": 1e-12}


def factors(values: Sequence[Any]) -> Sequence[Any]:
    """P, L and U, and the order and the exchanges that lead to P."""
    found = matrices.factored(values[0])
    order = matrices.permutation(found.order, values[0])
    again = matrices.order_of(found.exchanged, values[0].type.get_shape()[1])
    return order, found.both, found.order, again, matrices.is_odd(found.exchanged)


@pytest.mark.parametrize("kind", FLOATS)
@pytest.mark.parametrize("shape", [*SHAPES, (2, 4, 6)])
def test_lu(shape: tuple[int, ...], kind: Any):
    x = numbers(*shape).astype(kind)
    order, both, rows, again, odd = run_all(factors, x)
    least = min(shape[1:])
    below = np.tril(both[:, :, :least], -1) + np.eye(shape[1], least)
    above = np.triu(both[:, :least])
    np.testing.assert_allclose(order @ below @ above, x, **close(kind))
    assert abs(np.tril(both[:, :, :least], -1)).max(initial=0) <= 1
    np.testing.assert_array_equal(rows, again)
    signs = [np.linalg.det(each) for each in order.astype(float)]
    np.testing.assert_allclose(signs, 1 - 2.0 * odd)


@pytest.mark.parametrize("upper", [False, True])
@pytest.mark.parametrize("unit", [False, True])
def test_triangular_equations(upper: bool, unit: bool):
    a, x = numbers(3, 4, 4) + 3 * np.eye(4), numbers(3, 4, 2)
    triangle = np.triu(a) if upper else np.tril(a)
    if unit:
        triangle += np.eye(4) - triangle * np.eye(4)
    found = run(lambda a, b: matrices.solved(a, b, upper, unit), a, triangle @ x)
    np.testing.assert_allclose(found, x, rtol=1e-9, atol=1e-9)


def test_cholesky():
    x = numbers(3, 4, 6) @ numbers(3, 4, 6).swapaxes(1, 2)
    found, holds = run_all(lambda values: matrices.cholesky(values[0]), x)
    np.testing.assert_allclose(found @ found.swapaxes(1, 2), x, rtol=1e-9)
    assert holds.all()
    _, holds = run_all(lambda values: matrices.cholesky(values[0]), x - 100 * np.eye(4))
    assert not holds[:, 0].any()


@pytest.mark.parametrize("is_square", [False, True])
@pytest.mark.parametrize("shape", [*SHAPES, (2, 4, 6)])
def test_qr(shape: tuple[int, ...], is_square: bool):
    x = numbers(*shape)
    x[0, :, 0] = 0
    q, triangle = run_all(lambda values: matrices.orthogonal(values[0], is_square), x)
    np.testing.assert_allclose(q @ triangle, x, atol=1e-12)
    whole = np.broadcast_to(np.eye(q.shape[2]), (len(q), *[q.shape[2]] * 2))
    np.testing.assert_allclose(q.swapaxes(1, 2) @ q, whole, atol=1e-12)
    np.testing.assert_array_equal(triangle, np.triu(triangle))


@pytest.mark.sampled(every=3)
@pytest.mark.parametrize("rank", [0, 2, 4])
@pytest.mark.parametrize("is_square", [False, True])
def test_singular_values(rank: int, is_square: bool):
    x = numbers(2, 6, rank) @ numbers(2, rank, 4)
    u, values, v = run_all(lambda given: matrices.singular(given[0], is_square), x)
    np.testing.assert_allclose(values, np.linalg.svd(x)[1], atol=1e-12)
    np.testing.assert_allclose((u[..., :4] * values[:, None]) @ v, x, atol=1e-12)
    for each in (u.swapaxes(1, 2), v):
        whole = np.broadcast_to(np.eye(each.shape[1]), (2, *[each.shape[1]] * 2))
        np.testing.assert_allclose(each @ each.swapaxes(1, 2), whole, atol=1e-12)


@pytest.mark.full(beside="test_singular_values")
def test_many_columns_need_no_more_sweeps():
    x = numbers(1, 70, 70)
    values = run_all(lambda given: matrices.singular(given[0]), x)[1]
    np.testing.assert_allclose(values, np.linalg.svd(x)[1], atol=1e-10)


def test_eigenvalues_of_one_size():
    base = np.linalg.qr(numbers(1, 5, 5))[0]
    x = (base * [2, -2, 2, 0, -1]) @ base.swapaxes(1, 2)
    values, vectors = run_all(lambda given: matrices.eigen(given[0]), x)
    np.testing.assert_allclose(values, [[-2, -1, 0, 2, 2]], atol=1e-12)
    again = (vectors * values[:, None]) @ vectors.swapaxes(1, 2)
    np.testing.assert_allclose(again, x, atol=1e-12)


def test_exponentials():
    turn = np.array([[[0, -1.0], [1, 0]]]) * np.array([0.5, 30, 0])[:, None, None]
    found = run(matrices.exponential, turn)
    c, s = np.cos([0.5, 30, 0]), np.sin([0.5, 30, 0])
    expected = np.stack([np.stack([c, -s], -1), np.stack([s, c], -1)], 1)
    np.testing.assert_allclose(found, expected, atol=1e-12)
    assert not np.isfinite(run(matrices.exponential, np.full((1, 2, 2), 1e4))).any()
