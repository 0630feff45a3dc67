"""ONNX's random ops: their distributions, their seeds, and where they are refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from onnx.parser import parse_model

import static_runtime as sr
from static_runtime.compiler.session.errors import CompileError

Array = np.ndarray[Any, Any]

MANY = 40_000
"""Elements, so that a mean of ones is off by 5 / sqrt(MANY) in one of 10**6 seeds."""

NEAR = 5 / MANY**0.5


def compiled(body: str, seed: int | str | None = 7, opset: int = 22) -> Any:
    """A model of `x: f32[n, 100]` with this body."""
    text = f'<ir_version: 10, opset_import: ["":{opset}]> g {body}'
    return sr.compile(parse_model(text), options=sr.Options(seed=seed, cache=False))


X = np.full((MANY // 100, 100), 0.25, np.float32)

ONE = "(float[n,100] x) => (float[n,100] y) {{ y = {} (x) }}"


def test_uniform_numbers_are_between_their_bounds():
    y = compiled(ONE.format("RandomUniformLike <low = -1.0, high = 3.0>"))(X)
    assert y.dtype == np.float32
    assert y.min() >= -1
    assert y.max() <= 3
    assert abs(y.mean() - 1) < 4 * NEAR
    # Each tenth has its share.
    counts, _ = np.histogram(y, 10, (-1, 3))
    assert abs(counts / MANY - 0.1).max() < NEAR


def test_normal_numbers_have_their_mean_and_deviation():
    y = compiled(ONE.format("RandomNormalLike <mean = 2.0, scale = 0.5>"))(X)
    assert abs(y.mean() - 2) < NEAR
    assert abs(y.std() - 0.5) < NEAR
    # Two thirds within one deviation, as of no other simple distribution.
    assert abs((abs(y - 2) < 0.5).mean() - 0.6827) < NEAR


@pytest.mark.parametrize("op", ["Bernoulli", "RandomNormalLike", "RandomUniformLike"])
def test_numbers_like_halves_are_halves(op: str):
    body = ONE.format(op).replace("float[", "float16[")
    y = compiled(body)(X.astype(np.float16))
    assert (y.dtype, y.shape) == (np.float16, X.shape)


def test_draws_of_a_model_are_apart():
    body = """(float[n,100] x) => (float[n,100] y, float[n,100] z)
    { y = RandomNormalLike(x) z = RandomNormalLike(x) }"""
    y, z = (each.reshape(-1) for each in compiled(body)(X))
    for one, other in ((y, z), (y[1:], y[:-1]), (y[100:], y[:-100]), (y[2:], z[:-2])):
        assert abs(np.corrcoef(one, other)[0, 1]) < NEAR


def test_events_have_the_probability_of_the_input():
    y = compiled(ONE.format("Bernoulli"))(X)
    assert {*np.unique(y)} == {0, 1}
    assert abs(y.mean() - 0.25) < NEAR


def test_columns_are_chosen_by_their_weights():
    weights = np.array([0.0, 3, 1, 0, 4], np.float32)
    body = """(float[n,5] x) => (int32[n,m] y)
    { y = Multinomial <sample_size = 4000> (x) }"""
    with np.errstate(divide="ignore"):
        x = np.log(np.repeat(weights[None], 10, 0))
    y = compiled(body)(x)
    assert (y.dtype, y.shape) == (np.int32, (10, 4000))
    shares = np.bincount(y.reshape(-1), minlength=5) / MANY
    assert abs(shares - weights / 8).max() < NEAR
    assert not shares[[0, 3]].any()


def test_dropout_in_training_keeps_the_mean():
    body = """(float[n,100] x) => (float[n,100] y, bool[n,100] kept)
    <float r = {0.5}, bool t = {1}> { y, kept = Dropout (x, r, t) }"""
    y, kept = compiled(body)(X)
    assert abs(kept.mean() - 0.5) < NEAR
    np.testing.assert_array_equal(y, np.where(kept, np.float32(0.5), 0))


def test_a_shape_is_an_attribute():
    body = """(float[2] x) => (double[2,3] y)
    { y = RandomUniform <dtype = 11, shape = [2,3]> () }"""
    y = compiled(body)(np.zeros(2, np.float32))
    assert (y.dtype, y.shape) == (np.float64, (2, 3))


def test_equal_seeds_draw_equal_numbers():
    body = ONE.format("RandomNormalLike")
    fixed, given = compiled(body, 5), compiled(body, "input")
    np.testing.assert_array_equal(fixed(X), fixed(X))
    np.testing.assert_array_equal(fixed(X), given(X, np.array(5)))
    # A batch is the beginning of a larger one.
    np.testing.assert_array_equal(fixed(X)[:3], fixed(X[:3]))
    assert (fixed(X) != given(X, np.array(6))).any()
    assert (fixed(X) != given(X, np.array(5 + (1 << 32)))).any()


def test_a_seed_of_a_node_is_its_own():
    body = """(float[n,100] x) => (float[n,100] y, float[n,100] z, float[n,100] w)
    { y = RandomUniformLike <seed = 1.5> (x) z = RandomUniformLike <seed = 1.5> (x)
    w = RandomUniformLike <seed = 2.5> (x) }"""
    y, z, w = compiled(body, None)(X)
    np.testing.assert_array_equal(y, z)
    assert (y != w).any()


def test_the_reference_draws_the_same():
    body = ONE.format("RandomNormalLike")
    options = sr.Options(seed=7, enable_out_variant=False, optimize_memory=False)
    text = f'<ir_version: 10, opset_import: ["":22]> g {body}'
    oracle = sr.compile(parse_model(text), options=options)
    np.testing.assert_allclose(compiled(body)(X), oracle(X), atol=2e-6)


IN_A_LOOP = """(float[2] x) => (float[2] y) {
    n = Constant <value = int64 {3}> ()
    y = Loop <body = b (int64 i, bool c, float[2] a) => (bool d, float[2] e)
      { d = Identity (c) r = RandomNormalLike (a) e = Add (a, r) }> (n, , x) }"""

IN_A_BRANCH = """(float[2] x, bool c) => (float[2] y) {
    y = If <then_branch = t () => (float[2] p) { p = RandomNormalLike (x) },
      else_branch = e () => (float[2] q) { q = Neg (x) }> (c) }"""


def test_numbers_that_a_loop_draws_are_refused():
    with pytest.raises(CompileError, match="outside of loops"):
        compiled(IN_A_LOOP)


def test_a_branch_draws_by_a_number_alone():
    x = np.zeros(2, np.float32)
    assert compiled(IN_A_BRANCH)(x, np.array(True)).any()
    with pytest.raises(CompileError, match="outside of branches"):
        compiled(IN_A_BRANCH, "input")


def test_an_input_of_the_name_is_refused():
    body = "(float[2] seed) => (float[2] y) { y = RandomNormalLike (seed) }"
    with pytest.raises(CompileError, match="no input called seed"):
        compiled(body, "input")
