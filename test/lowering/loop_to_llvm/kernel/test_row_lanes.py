"""Rows that are lanes of a vector have the bits of rows that are computed alone."""

from __future__ import annotations

import numpy as np
import pytest

import static_runtime as sr

MODEL = """
func.func @model(%x : tensor<?x{k}x{type}, ["n"]>) -> tensor<?x{type}, ["n"]> {{
  {body}
  return %y : tensor<?x{type}, ["n"]>
}}
"""

BODIES = {
    "sum": "%y = graph.sum %x {{axes = array<i64: 1>, keepdims = false}} : {x} -> {y}",
    "max": """
  %m = graph.reduce_max %x {{axes = array<i64: 1>, keepdims = false}} : {x} -> {y}
  %y = graph.exp %m : {y} -> {y}""",
    # The second loop of a row takes what the first has found.
    "spread": """
  %m = graph.mean %x {{axes = array<i64: 1>, keepdims = true}} : {x} -> {column}
  %d = graph.sub %x, %m : {x}, {column} -> {x}
  %q = graph.mul %d, %d : {x}, {x} -> {x}
  %s = graph.sum %q {{axes = array<i64: 1>, keepdims = false}} : {x} -> {y}
  %y = graph.sqrt %s : {y} -> {y}""",
    # Two loops of a row are one of two accumulators, or follow each other.
    "two": """
  %s = graph.sum %x {{axes = array<i64: 1>, keepdims = false}} : {x} -> {y}
  %m = graph.reduce_max %x {{axes = array<i64: 1>, keepdims = false}} : {x} -> {y}
  %y = graph.sub %s, %m : {y}, {y} -> {y}""",
}


def expected(name: str, x: np.ndarray) -> np.ndarray:
    """What numpy makes of it."""
    match name:
        case "sum":
            return x.sum(1)
        case "max":
            return np.exp(x.max(1))
        case "spread":
            return np.sqrt(((x - x.mean(1, keepdims=True)) ** 2).sum(1))
        case _:
            return x.sum(1) - x.max(1)


def compiled(name: str, k: int, type: str = "f32") -> sr.StaticModule:
    """A model of any number of rows."""
    types = {
        "x": f'tensor<?x{k}x{type}, ["n"]>',
        "y": f'tensor<?x{type}, ["n"]>',
        "column": f'tensor<?x1x{type}, ["n"]>',
    }
    body = BODIES[name].format(**types)
    return sr.compile(MODEL.format(k=k, type=type, body=body))


@pytest.mark.sampled(together=1)
@pytest.mark.parametrize("k", [16, 51, 64, 97, 200])
@pytest.mark.parametrize("name", BODIES)
def test_rows_have_equal_bits_wherever_they_stand(name: str, k: int):
    module = compiled(name, k)
    x = np.random.default_rng(k).standard_normal((37, k)).astype(np.float32)
    alone = np.concatenate([module(row[None]) for row in x])
    np.testing.assert_allclose(alone, expected(name, x), rtol=1e-5, atol=1e-5)
    for count in (1, 7, 8, 9, 16, 21, 37):
        np.testing.assert_array_equal(module(x[:count]), alone[:count])


@pytest.mark.parametrize("type", ["f64", "i32", "i64"])
def test_rows_of_other_types(type: str):
    module = compiled("sum", 51, type)
    dtype = {"f64": np.float64, "i32": np.int32, "i64": np.int64}[type]
    x = np.random.default_rng(0).integers(-9, 9, (37, 51)).astype(dtype)
    np.testing.assert_array_equal(module(x), x.sum(1, dtype=dtype))


def test_a_nan_stays_in_its_row():
    module = compiled("max", 51)
    x = np.zeros((16, 51), np.float32)
    x[5, 50], x[9, 0] = np.nan, np.inf
    y = module(x)
    np.testing.assert_array_equal(y[[5, 9]], [np.nan, np.inf])
    np.testing.assert_array_equal(np.delete(y, (5, 9)), np.ones(14, np.float32))
