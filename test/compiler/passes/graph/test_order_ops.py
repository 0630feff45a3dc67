"""Models whose ops were moved compute the same bits, and their bound never rises."""

from __future__ import annotations

import numpy as np
import pytest

import static_runtime as sr
from static_runtime.compiler.passes.graph.order_ops import OrderOps

from ....models.random_graphs import RandomGraph, make_inputs

pytestmark = pytest.mark.usefixtures("runs_host")

ROWS = "tensor<16x1xf32>"
FULL = "tensor<16x16xf32>"


def branches(count: int) -> str:
    """Large products in a row; then each is made small, and all are added."""
    lines: list[str] = []
    last = "%x"
    for k in range(count):
        lines.append(f"%a{k} = graph.matmul {last}, %x : {FULL}, {FULL} -> {FULL}")
        last = f"%a{k}"
        lines.append(f"%c{k} = graph.matmul %x, %a{k} : {FULL}, {FULL} -> {FULL}")
    for k in range(count):
        lines.append(f"%s{k} = graph.matmul %c{k}, %v : {FULL}, {ROWS} -> {ROWS}")
    total = "%s0"
    for k in range(1, count):
        lines.append(f"%t{k} = graph.add {total}, %s{k} : {ROWS}, {ROWS} -> {ROWS}")
        total = f"%t{k}"
    lines.append(f"return {total} : {ROWS}")
    return (
        f"func.func @main(%x : {FULL}, %v : {ROWS}) -> {ROWS} {{ {' '.join(lines)} }}"
    )


def stay(self: OrderOps, *_: object) -> None:
    """A pass that moves nothing."""


@pytest.mark.parametrize("check_memory", [False, True])
def test_a_model_with_a_gain_computes_the_same(
    check_memory: bool, monkeypatch: pytest.MonkeyPatch
):
    options = sr.Options(cache=False, threads=1, check_memory=check_memory)
    ordered = sr.compile(branches(6), options=options)
    monkeypatch.setattr(OrderOps, "apply", stay)
    plain = sr.compile(branches(6), options=options)
    assert ordered.report.lower_bound < plain.report.lower_bound
    assert ordered.report.planned_bytes < plain.report.planned_bytes
    draw = np.random.default_rng(0).standard_normal
    inputs = draw((16, 16), np.float32), draw((16, 1), np.float32)
    np.testing.assert_array_equal(ordered(*inputs), plain(*inputs))


@pytest.mark.sampled(every=12)
@pytest.mark.parametrize("seed", range(12))
def test_a_random_graph_computes_the_same(seed: int, monkeypatch: pytest.MonkeyPatch):
    graph = RandomGraph(seed, False)
    ordered = graph.compile("conflict-driven")
    monkeypatch.setattr(OrderOps, "apply", stay)
    plain = graph.compile("conflict-driven")
    assert ordered.report.lower_bound <= plain.report.lower_bound
    inputs = make_inputs(graph, 4)
    for one, other in zip(ordered(*inputs), plain(*inputs), strict=True):
        np.testing.assert_array_equal(one, other)
