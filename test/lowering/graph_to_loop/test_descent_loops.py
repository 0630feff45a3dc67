"""Walks of a descent through places that are none."""

import numpy as np
import pytest

import static_runtime as sr

WALKS = """
func.func @main(
    %rows: tensor<3x4xf64>, %features: tensor<9x{type}>, %limits: tensor<9xf64>,
    %next: tensor<9x2x{type}>, %starts: tensor<5x{type}>) -> tensor<3x5x{type}> {{
  %0 = graph.descend %rows, %features, %limits, %next, %starts
      {{walks = array<i64: 5>, steps = array<i64: 1>}}
      : tensor<3x4xf64>, tensor<9x{type}>, tensor<9xf64>, tensor<9x2x{type}>,
        tensor<5x{type}> -> tensor<3x5x{type}>
  return %0 : tensor<3x5x{type}>
}}
"""


@pytest.mark.parametrize("dtype", [np.int32, np.int64])
def test_what_is_no_place_is_the_last(dtype: type[np.signedinteger]):
    bits = np.iinfo(dtype)
    text = WALKS.format(type=f"i{bits.bits}")
    module = sr.compile(text, options=sr.Options(cache=False))
    # The low 32 bits of the least i64, and of the last number here, are a place.
    starts = np.array([0, bits.min, -1, 9, bits.max // 2 + 1], dtype)
    features = np.array([0, *[3] * 7, bits.min], dtype)
    limits = np.array([np.inf, *[-np.inf] * 7, 0.0])
    next = np.stack([np.arange(9), np.arange(10, 19)], axis=1).astype(dtype)
    rows = np.array([[1.0, 2, 3, -4], [1, 2, 3, 4], [1, 2, 3, np.nan]])
    got = module(rows, features, limits, next, starts)
    # Of the last place the feature is none, and so the last element of a row counts.
    assert got.tolist() == [[0, *[last] * 4] for last in (8, 18, 18)]
