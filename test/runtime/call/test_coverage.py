"""Coverage adds up what runs in which way, at the sizes of a call."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import static_runtime as sr
from static_runtime.compiler.profiling import measure
from static_runtime.runtime.call.coverage import (
    COMPILED,
    FALLBACK,
    FOREIGN,
    Coverage,
    Tally,
    way_of,
)
from static_runtime.runtime.program import CallOut

PRODUCT = """
func.func @product(%x: tensor<?x8xf32, ["n"]>, %w: tensor<8x4xf32>)
    -> tensor<?x4xf32, ["n"]> attributes {graph.symbols = {n = [1, 100]}} {
  %0 = graph.matmul %x, %w
    : tensor<?x8xf32, ["n"]>, tensor<8x4xf32> -> tensor<?x4xf32, ["n"]>
  %1 = graph.relu %0 : tensor<?x4xf32, ["n"]> -> tensor<?x4xf32, ["n"]>
  return %1 : tensor<?x4xf32, ["n"]>
}
"""

LOOP = """
func.func @loop(%x: tensor<4xf32>) -> tensor<4xf32> {
  %y = graph.loop %x {trips = "5", carried = 1 : i64, scanned = 0 : i64,
      conditional = false, backward = array<i64>} : tensor<4xf32> -> tensor<4xf32> {
  ^bb0(%a: tensor<4xf32>):
    %b = graph.exp %a : tensor<4xf32> -> tensor<4xf32>
    graph.yield %b : tensor<4xf32>
  }
  return %y : tensor<4xf32>
}
"""


def mixed() -> Coverage:
    """Three quarters of the nodes compiled, one run by a framework."""
    call = CallOut("", (), (), "graph.foreign my.Op at node", "torch")
    ways = {
        COMPILED: Tally(3, 2, 900, 1.0),
        FALLBACK: Tally(),
        FOREIGN: Tally(1, 0, 100, 3.0),
    }
    return Coverage(ways, [call])


def test_shares():
    found = mixed()
    assert found.share("nodes") == 0.75
    assert found.share("kernels") == 1
    assert found.share("flops", FOREIGN) == 0.1
    assert found.share("time", FOREIGN) == 0.75
    assert found.share("time", FALLBACK) == 0


def test_nothing_is_compiled_whole():
    assert Coverage({}).share("nodes") == 1
    assert Coverage({}).share("flops", FOREIGN) == 0


def test_the_report_names_what_python_runs():
    assert str(mixed()) == (
        "compiled: 3 of 4 nodes (75%), 2 kernels, 90% of FLOPs, 25% of time\n"
        "foreign: 1 of 4 nodes (25%), 10% of FLOPs, 75% of time\n"
        "  run by torch: graph.foreign my.Op at node"
    )


def test_the_way_of_a_call():
    assert (way_of(""), way_of("onnx.reference")) == (FALLBACK, FOREIGN)


def test_a_compiled_module_by_its_sizes():
    module = sr.compile(PRODUCT)
    ways = module.coverage(n=10).ways
    assert ways[COMPILED].nodes == 2
    assert ways[COMPILED].kernels == module.report.kernels
    assert ways[COMPILED].flops == pytest.approx(10 * 4 * (2 * 8), rel=0.2)
    assert module.coverage(n=20).ways[COMPILED].flops == 2 * ways[COMPILED].flops
    # A size that nobody tells is 64.
    assert module.coverage().ways == module.coverage(n=64).ways


def test_a_warm_module_knows_it_too():
    assert sr.compile(PRODUCT).coverage() == sr.compile(PRODUCT).coverage()


def test_a_loop_counts_its_trips():
    once = sr.compile(LOOP.replace('"5"', '"1"')).coverage().ways[COMPILED].flops
    assert 4 * once < sr.compile(LOOP).coverage().ways[COMPILED].flops <= 5 * once


def test_times_are_those_of_a_profile():
    module = sr.compile(PRODUCT)
    given: Any = [(np.ones((3, 8), np.float32), np.ones((8, 4), np.float32))]
    found = module.coverage(measure(module, given, main_runs=2), n=3)
    assert found.ways[COMPILED].time > 0
    assert found.share("time") == 1


def test_refusals():
    module = sr.compile(PRODUCT)
    with pytest.raises(TypeError, match="expected sizes of n, got m"):
        module.coverage(m=3)
    module.report = None
    with pytest.raises(TypeError, match="without a report"):
        module.coverage()
