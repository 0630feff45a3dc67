"""A kernel that several products share computes the bits that each has of its own."""

from __future__ import annotations

import numpy as np
import pytest

import static_runtime as sr

ROWS, COLUMNS = 64, 64

DEPTHS = (256, 384, 512, 608, 800, 864, 992, 1040, 2048)
"""
Depths in one block and in several, and in some whose last block is smaller, whatever
the caches of a machine are.
"""


def model(depths: tuple[int, ...]) -> str:
    """Products of an operand each with weights of its own."""
    parts = [
        f"""
        %w{k} = graph.constant dense<{1 / k:e}> : tensor<{k}x{COLUMNS}xf32>
        %y{k} = graph.matmul %x{k}, %w{k} : tensor<{ROWS}x{k}xf32>,
            tensor<{k}x{COLUMNS}xf32> -> tensor<{ROWS}x{COLUMNS}xf32>"""
        for k in depths
    ]
    given = ", ".join(f"%x{k}: tensor<{ROWS}x{k}xf32>" for k in depths)
    types = ", ".join(f"tensor<{ROWS}x{COLUMNS}xf32>" for _ in depths)
    results = ", ".join(f"%y{k}" for k in depths)
    return f"""func.func @main({given}) -> ({types}) {{{"".join(parts)}
        func.return {results} : {types}
    }}"""


@pytest.mark.sampled(every=2)
@pytest.mark.parametrize("target", ["host", "x86-64"])
def test_products_of_many_depths(target: str):
    options = sr.Options(cache=False, threads=1)
    shared = sr.compile(model(DEPTHS), options=options, target=target)
    assert shared.report.distinct_kernels < shared.report.kernels
    random = np.random.default_rng(0)
    given = [random.standard_normal((ROWS, k)).astype(np.float32) for k in DEPTHS]
    results = shared(*given)
    # Who shares one is known by what it computes: a few of them are computed alone.
    for k, x, result in [*zip(DEPTHS, given, results, strict=True)][::3]:
        alone = sr.compile(model((k,)), options=options, target=target)
        np.testing.assert_array_equal(result, alone(x))
