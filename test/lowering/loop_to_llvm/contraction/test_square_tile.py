"""
Products of a matrix and a vector, whose rows are read in squares: they have the bits of
a product in which nothing is apart.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest

import static_runtime as sr

Array = np.ndarray[Any, Any]

ROWS = (1, 2, 3, 4, 5, 7, 8, 15, 16, 17, 31, 33, 64, 100)
STEPS = (1, 3, 4, 7, 8, 16, 17, 29, 64, 100)


def times_a_vector(
    rows: int | str, k: int | str, type: str = "f32", made: str = ""
) -> str:
    """The text of a product of a matrix, or of what is made of it, and a vector."""

    def tensor(*sizes: int | str) -> str:
        names = [f'"{each}"' for each in sizes if isinstance(each, str)]
        shape = "x".join("?" if isinstance(each, str) else f"{each}" for each in sizes)
        known = f", [{', '.join(names)}]" if names else ""
        return f"tensor<{shape}x{type}{known}>"

    a, b, c = tensor(rows, k), tensor(k, 1), tensor(rows, 1)
    return f"""func.func @main(%a: {a}, %b: {b}) -> {c} {{
      {f"%x = {made} %a : {a} -> {a}" if made else ""}
      %0 = graph.matmul {"%x" if made else "%a"}, %b : {a}, {b} -> {c}
      %1 = graph.neg %0 : {c} -> {c}
      func.return %1 : {c}
    }}"""


def negated(a: Array, b: Array) -> Array:
    """The negated product in f64."""
    return -(a.astype(np.float64) @ b.astype(np.float64))


@cache
def module(text: str) -> sr.StaticModule:
    """A module that is not kept."""
    return sr.compile(text, options=sr.Options(cache=False))


@pytest.mark.sampled(together=1)
@pytest.mark.parametrize("rows", ROWS)
@pytest.mark.parametrize("k", STEPS)
def test_each_row_has_the_bits_of_one_row(rows: int, k: int):
    rng = np.random.default_rng(k)
    a = rng.standard_normal((rows, k)).astype(np.float32)
    b = rng.standard_normal((k, 1)).astype(np.float32)
    whole, one = module(times_a_vector(rows, k)), module(times_a_vector(1, k))
    expected = np.concatenate([one(each[None], b) for each in a])
    np.testing.assert_array_equal(whole(a, b), expected)
    np.testing.assert_allclose(expected, negated(a, b), rtol=1e-4, atol=1e-4)


@pytest.mark.sampled(every=4)
@pytest.mark.parametrize("rows", ROWS)
def test_open_sizes_have_the_same_bits(rows: int):
    rng = np.random.default_rng(0)
    a = rng.standard_normal((rows, 29)).astype(np.float32)
    b = rng.standard_normal((29, 1)).astype(np.float32)
    expected = module(times_a_vector(rows, 29))(a, b)
    for each in (29, "k"):
        np.testing.assert_array_equal(module(times_a_vector("m", each))(a, b), expected)


@pytest.mark.parametrize("type", ["f64", "f16"])
def test_other_types(type: str):
    rng = np.random.default_rng(1)
    to = {"f64": np.float64, "f16": np.float16}[type]
    a = rng.standard_normal((37, 45)).astype(to)
    b = rng.standard_normal((45, 1)).astype(to)
    found = np.asarray(module(times_a_vector(37, 45, type))(a, b))
    tolerance = {"f64": 1e-12, "f16": 1e-2}[type]
    np.testing.assert_allclose(found, negated(a, b), rtol=tolerance, atol=tolerance)


def test_what_is_made_of_the_matrix():
    rng = np.random.default_rng(2)
    a = rng.standard_normal((70, 50)).astype(np.float32)
    b = rng.standard_normal((50, 1)).astype(np.float32)
    found = module(times_a_vector(70, 50, made="graph.relu"))(a, b)
    wanted = negated(np.maximum(a, 0), b)
    np.testing.assert_allclose(found, wanted, rtol=1e-4, atol=1e-4)


def test_products_of_rows_in_pairs():
    """Both factors lie apart: each row of one with the same row of the other."""
    x, y = ("tensor<50x1x32xf32>", "tensor<50x32x1xf32>")
    model = module(
        f"""func.func @main(%x: {x}, %y: {y}) -> tensor<50x1x1xf32> {{
          %0 = graph.matmul %x, %y : {x}, {y} -> tensor<50x1x1xf32>
          func.return %0 : tensor<50x1x1xf32>
        }}"""
    )
    rng = np.random.default_rng(3)
    a = rng.standard_normal((50, 1, 32)).astype(np.float32)
    b = rng.standard_normal((50, 32, 1)).astype(np.float32)
    wanted = a.astype(np.float64) @ b
    np.testing.assert_allclose(model(a, b), wanted, rtol=1e-4, atol=1e-5)
