"""Modules, runtimes and pools are timed by the profiler of who made them."""

from __future__ import annotations

from io import StringIO
from typing import Any

import numpy as np
import pytest

import static_runtime as sr
from static_runtime.compiler.profiling import IndividualMetrics

MODEL = """
func.func @model(%x: tensor<?x3xf32, ["n"]>, %y: tensor<?x3xf32, ["n"]>)
    -> tensor<?x3xf32, ["n"]> {
  %0 = graph.softmax %x {axis = 1 : i64}
    : tensor<?x3xf32, ["n"]> -> tensor<?x3xf32, ["n"]>
  %1 = graph.cumsum %0 {axis = 0 : i64}
    : tensor<?x3xf32, ["n"]> -> tensor<?x3xf32, ["n"]>
  %2 = graph.add %1, %y
    : tensor<?x3xf32, ["n"]>, tensor<?x3xf32, ["n"]> -> tensor<?x3xf32, ["n"]>
  return %2 : tensor<?x3xf32, ["n"]>
}
"""
X, Y = np.ones((2, 3), np.float32), np.ones((5, 3), np.float32)


def way(name: str) -> Any:
    """The module, or one of the ways to run it."""
    options = sr.Options(cache=False)
    module = sr.compile(MODEL, options=options)
    return {
        "module": module,
        "runtime": module.runtime,
        "clone": sr.StaticRuntime(module).clone(),
        "pool": sr.RuntimePool(module, sr.Options(cache=False, threads=2)),
    }[name]


@pytest.mark.usefixtures("runs_host")
@pytest.mark.parametrize("name", ["module", "runtime", "clone", "pool"])
def test_all_ways_to_run_are_timed(name: str):
    printed = StringIO()
    measured = way(name)
    found = measured.benchmark(
        *([[X], [Y]], [{"y": X}, {"y": Y}]),
        warmup_runs=1,
        main_runs=3,
        print_per_node_time=True,
        file=printed,
    )
    assert isinstance(found, IndividualMetrics)
    assert found.input_size == 2
    assert found.time_per_iter > 0
    assert all(each.time > 0 for each in found.nodes)
    lines = printed.getvalue().splitlines()
    assert lines[0] == "Input size: 2"
    assert lines[2].startswith("Node #0: ")
    with pytest.raises(ValueError, match="expected named arguments for each of 2"):
        measured.benchmark([[X], [Y]], [{"y": X}])


@pytest.mark.usefixtures("runs_host")
def test_without_arguments_there_are_statistics_alone(
    capsys: pytest.CaptureFixture[str],
):
    found = way("runtime").benchmark([])
    assert found.total_time == found.time_per_iter == 0
    assert found.total_nodes_count == len(found.nodes) > 0
    assert capsys.readouterr().out.startswith("Number of operators: ")


@pytest.mark.parametrize("name", ["module", "runtime"])
def test_who_has_no_compiler_is_refused(name: str):
    measured = way(name)
    getattr(measured, "module", measured).profiler = None
    with pytest.raises(TypeError, match=r"expected a module that static_runtime\.comp"):
        measured.benchmark([[X, X]])
