"""Attention with scores that do not fit the cache is computed block by block."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest

import static_runtime as sr
from static_runtime.dialects.shape import Array

HEADS, ROWS, COLUMNS, WIDTH = 3, 640, 1111, 16


def text(batch: str, element: str) -> str:
    """Attention with a mask for each of the batch, and one for each score."""

    def type(*shape: str | int) -> str:
        sizes = "x".join("?" if each == "n" else str(each) for each in shape)
        names = ', ["n"]' if "n" in shape else ""
        return f"tensor<{sizes}x{element}{names}>"

    q = type(batch, HEADS, ROWS, WIDTH)
    k = type(batch, HEADS, WIDTH, COLUMNS)
    v = type(batch, HEADS, COLUMNS, WIDTH)
    mask, scores = type(batch, 1, 1, COLUMNS), type(batch, HEADS, ROWS, COLUMNS)
    bias = type(HEADS, ROWS, COLUMNS)
    arguments = f"%q: {q}, %k: {k}, %v: {v}, %m: {mask}, %b: {bias}"
    return f"""func.func @main({arguments}) -> {q} {{
      %0 = graph.matmul %q, %k : {q}, {k} -> {scores}
      %1 = graph.add %0, %m : {scores}, {mask} -> {scores}
      %2 = graph.add %b, %1 : {bias}, {scores} -> {scores}
      %3 = graph.softmax %2 {{axis = 3 : i64}} : {scores} -> {scores}
      %4 = graph.matmul %3, %v : {scores}, {v} -> {q}
      func.return %4 : {q}
    }}"""


@cache
def module(batch: str, element: str, threads: int) -> sr.StaticModule:
    """The model, compiled."""
    options = sr.Options(cache=False, threads=threads)
    return sr.compile(text(batch, element), options=options)


def inputs(batch: int, kind: str) -> list[Array]:
    """An array for each input; one of the columns is masked out."""
    random = np.random.default_rng(0)
    shapes = (
        (batch, HEADS, ROWS, WIDTH),
        (batch, HEADS, WIDTH, COLUMNS),
        (batch, HEADS, COLUMNS, WIDTH),
        (batch, 1, 1, COLUMNS),
        (HEADS, ROWS, COLUMNS),
    )
    arrays = [random.standard_normal(shape).astype(kind) for shape in shapes]
    arrays[3][..., 5] = -np.inf
    return arrays


def attention(q: Array, k: Array, v: Array, mask: Array, bias: Array) -> Array:
    """What numpy makes of it."""
    scores = q.astype(np.float64) @ k + mask + bias
    exponents = np.exp(scores - scores.max(-1, keepdims=True))
    return exponents / exponents.sum(-1, keepdims=True) @ v


@pytest.mark.sampled(every=6)
@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize(
    ("batch", "element", "precision"),
    [("2", "f32", 1e-5), ("n", "f32", 1e-5), ("2", "f64", 1e-13)],
)
def test_computes_what_numpy_does(
    batch: str, element: str, precision: float, threads: int
):
    made = module(batch, element, threads)
    for size in (2,) if batch == "2" else (1, 3, 0):
        arrays = inputs(size, "f" + str(int(element[1:]) // 8))
        wanted = attention(*arrays)
        got: Any = made(*arrays)
        np.testing.assert_allclose(got, wanted, rtol=precision, atol=precision)
        alone: Any = module(batch, element, 1)(*arrays)
        np.testing.assert_array_equal(got, alone)


def test_scores_take_no_memory_but_for_blocks():
    one = ROWS * COLUMNS * 4
    assert module("2", "f32", 1).report.planned_bytes < one
