"""
Random ONNX models compute what ONNX Runtime does, and equal bits where their sizes are
known and where they vary.
"""

from __future__ import annotations

import numpy as np
import pytest

import static_runtime as sr

from .random_onnx import Array, RandomOnnx

pytestmark = pytest.mark.torch

MANY = 300
"""Models of `make soak`; each run of the tests has a small one."""


def _called(module: sr.StaticModule, inputs: list[Array]) -> list[Array]:
    found = module(*inputs)
    return [*found] if isinstance(found, list | tuple) else [found]


@pytest.mark.parametrize(
    ("seed", "nodes"),
    [(0, 4), *(pytest.param(e, 14, marks=pytest.mark.soak) for e in range(MANY))],
)
def test_computes_what_onnx_runtime_does(seed: int, nodes: int):
    made = RandomOnnx(seed, nodes)
    options = sr.Options(threads=1)
    module = sr.compile(made.model(), options=options)
    for sizes in (0, 1):
        known = sr.compile(made.model(sizes), options=options)
        results = _called(module, made.inputs(sizes))
        same = _called(known, made.inputs(sizes))
        for got, one, want in zip(results, same, made.wanted(sizes), strict=True):
            np.testing.assert_array_equal(got, one)
            assert got.shape == want.shape
            scale = np.abs(want).max(initial=1)
            np.testing.assert_allclose(got, want, rtol=1e-3, atol=1e-3 * scale)
