"""Random graphs, fused and planned, compute what their ops do one by one."""

from __future__ import annotations

import numpy as np
import pytest

import static_runtime as sr
from static_runtime.runtime.planning import PLANNERS

from .random_graphs import RandomGraph, make_inputs


def poison(module: sr.StaticModule) -> None:
    """Fills the activations with NaN, so that reading what was not written shows."""
    module.context.activations[:] = 0xFF


@pytest.mark.sampled(every=13)
@pytest.mark.parametrize("symbolic", [False, True], ids=["static", "symbolic"])
@pytest.mark.parametrize("seed", range(12))
def test_computes_what_its_ops_do(seed: int, symbolic: bool):
    graph = RandomGraph(seed, symbolic)
    module = graph.compile([*PLANNERS][seed % len(PLANNERS)])
    for batch in (4, 1, 7, 4) if symbolic else (4, 4):
        inputs = make_inputs(graph, batch)
        kept = [each.copy() for each in inputs]
        poison(module)
        results = module(*inputs)
        for got, want in zip(results, graph.reference(inputs, batch), strict=True):
            assert got.shape == want.shape
            scale = np.abs(want).max(initial=1)
            np.testing.assert_allclose(got, want, rtol=1e-4, atol=1e-5 * scale)
        for array, copy in zip(inputs, kept, strict=True):
            np.testing.assert_array_equal(array, copy)
