"""A benchmark times each kernel that ran, as often as it ran, and nothing else."""

from __future__ import annotations

import gc
import json
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from copy import copy
from dataclasses import fields
from io import StringIO
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest

import static_runtime as sr
from static_runtime.compiler.compile import Compilation
from static_runtime.compiler.profiling import IndividualMetrics, Node, benchmark
from static_runtime.compiler.profiling.benchmark import measure
from static_runtime.compiler.profiling.twin import twin_of

from ...models.stored import STORED
from ...runtime.texts import RUNNING, fresh, without_kernels
from ..tracing.models import BRANCH, TURN
from .models import CHAIN, POINTS, TRIPS

pytestmark = pytest.mark.usefixtures("runs_host")

W = np.ones((8, 8), np.float32)
X = np.ones((5, 8), np.float32)
ROWS = np.linspace(-1, 1, 12, dtype=np.float32).reshape(3, 4)
NONE: dict[str, Any] = {}


def made(text: str, threads: int = 1) -> sr.StaticModule:
    """The module of a text."""
    return sr.compile(text, options=sr.Options(threads=threads))


def found(text: str, *arguments: Any, threads: int = 1) -> IndividualMetrics:
    """What one list of arguments comes to."""
    return measure(made(text, threads), [arguments], main_runs=3)


def by_name(metrics: IndividualMetrics) -> dict[str, Node]:
    """The nodes by their names, where each has its own."""
    nodes = {each.name: each for each in metrics.nodes}
    assert len(nodes) == metrics.total_nodes_count
    return nodes


def check_sums(metrics: IndividualMetrics) -> None:
    """The sums add up the nodes, and are at most the run that these are in."""
    times = [each.time for each in metrics.nodes]
    assert metrics.time_per_node == tuple(times)
    assert metrics.total_time == pytest.approx(sum(times))
    assert sum(metrics.time_per_node_type.values()) == pytest.approx(sum(times))
    assert metrics.total_time <= metrics.run_time
    assert sum(metrics.percent_per_node_type.values()) == pytest.approx(100)
    assert sum(metrics.instances_per_node_type.values()) == metrics.total_nodes_count
    kinds = [*dict.fromkeys(each.kind for each in metrics.nodes)]
    assert [*metrics.time_per_node_type] == kinds
    assert [*metrics.percent_per_node_type] == kinds
    for each in metrics.nodes:
        assert each.time >= 0
        assert each.runs or not each.time


def test_the_fields_are_those_of_the_static_runtime_of_pytorch():
    names = [each.name for each in fields(IndividualMetrics)]
    assert names[:14] == [
        *("setup_time", "memory_alloc_time", "memory_dealloc_time"),
        *("output_dealloc_time", "first_iter_time", "total_time", "out_nodes_count"),
        *("total_nodes_count", "time_per_node", "time_per_node_type"),
        *("percent_per_node_type", "instances_per_node_type", "out_nodes"),
        "native_nodes",
    ]


def test_a_kernel_has_its_ops_and_its_work():
    metrics = found(CHAIN, X, W)
    check_sums(metrics)
    first, *others = metrics.nodes
    assert (first.name, first.kind) == ("matmul_relu_0", "matmul_relu")
    assert first.ops == ("graph.matmul at first", "graph.relu at clamp")
    assert first.operations == 2 * 5 * 8 * 8 + 5 * 8
    assert first.bytes == 4 * (5 * 8 + 8 * 8 + 5 * 8)
    assert [each.source for each in others] == [
        "graph.matmul at second",
        "graph.matmul at third",
    ]
    assert metrics.instances_per_node_type == {"matmul_relu": 1, "matmul": 2}
    assert metrics.out_nodes == ("matmul_relu", "matmul")
    assert (metrics.out_nodes_count, metrics.total_nodes_count) == (3, 3)
    assert first.fma_share is not None
    assert first.fma_share > 0
    assert first.bandwidth_share is not None
    assert first.bandwidth_share > 0
    assert first.gflops == pytest.approx(first.operations / first.time / 1e6)
    assert first.gigabytes == pytest.approx(first.bytes / first.time / 1e6)
    for each in ("setup_time", "memory_alloc_time", "first_iter_time", "time_per_iter"):
        assert getattr(metrics, each) > 0


def test_work_follows_sizes():
    metrics = measure(made(CHAIN), [(X, W), (np.ones((15, 8), np.float32), W)])
    check_sums(metrics)
    assert metrics.input_size == 2
    # Of 5 rows and of 15, which are 10 at the mean.
    assert [each.operations for each in metrics.nodes[1:]] == [2 * 10 * 8 * 8] * 2
    assert all(each.runs == 1 for each in metrics.nodes)
    assert metrics.memory.managed_tensors == 2
    assert metrics.memory.bytes == 2 * 512


def test_a_kernel_in_a_loop_counts_each_trip():
    metrics = found(TRIPS, np.ones(4, np.float32))
    check_sums(metrics)
    (loop,) = (each for each in metrics.nodes if each.kind == "exp")
    assert (loop.runs, loop.operations) == (5, 20)


@pytest.mark.parametrize("taken", [True, False])
def test_the_other_branch_has_no_time(taken: bool):
    metrics = found(BRANCH, taken, ROWS)
    check_sums(metrics)
    nodes = by_name(metrics)
    assert nodes["exp_0"].runs == taken
    assert nodes["tanh_1"].runs == (not taken)
    other = nodes["tanh_1" if taken else "exp_0"]
    assert (other.time, other.operations, other.gflops) == (0, 0, None)
    assert (other.fma_share, other.bandwidth_share) == (None, None)


def test_a_kernel_that_is_skipped_has_no_time():
    w = np.ones((4, 4), np.float32)
    skipped = by_name(found(TURN, np.ones((1, 7, 4), np.float32), w))
    assert skipped["permute_0"].runs == skipped["permute_0"].time == 0
    ran = by_name(found(TURN, np.ones((2, 7, 4), np.float32), w))
    assert ran["permute_0"].runs == 1


def test_an_op_without_a_kernel_is_a_fallback():
    module = fresh(RUNNING)
    with without_kernels():
        metrics = measure(module, [(np.ones((4, 3), np.float32),)], main_runs=2)
    check_sums(metrics)
    ways = {each.kind: each.way for each in metrics.nodes}
    assert ways["cumsum"] == ways["argmax"] == "fallback"
    assert ways["relu"] == "compiled"
    assert metrics.out_nodes_count == metrics.total_nodes_count - 2
    assert "cumsum" not in metrics.out_nodes
    (total,) = (each for each in metrics.nodes if each.kind == "cumsum")
    assert (total.operations, total.bytes) == (None, None)


def test_threads_share_a_kernel_that_is_timed_as_a_whole():
    wide = np.ones((4096, 8), np.float32)
    metrics = found(CHAIN, wide, W, threads=2)
    check_sums(metrics)
    assert [each.runs for each in metrics.nodes] == [1, 1, 1]


def test_several_threads_benchmark_one_module():
    module = made(CHAIN)
    with ThreadPoolExecutor(4) as pool:
        results = [*pool.map(measure, [module] * 4, [[(X, W)]] * 4)]
    for each in results:
        check_sums(each)
        assert [node.runs for node in each.nodes] == [1, 1, 1]


def test_the_module_stays_as_it_was():
    module = made(CHAIN)
    expected = module(X, W)
    measure(module, [(X, W)])
    twin = twin_of(module)
    assert twin_of(module) is twin
    np.testing.assert_array_equal(module(X, W), expected)
    np.testing.assert_array_equal(twin.module(X, W), expected)


def test_without_arguments_there_are_statistics_alone():
    text = StringIO()
    metrics = benchmark(made(CHAIN), [], file=text)
    assert metrics.total_nodes_count == 3
    assert metrics.total_time == metrics.time_per_iter == 0
    assert text.getvalue().startswith("Number of operators: 3\n")


def test_json_has_all_of_it():
    metrics = found(CHAIN, X, W)
    data = json.loads(metrics.to_json())
    assert data["total_time"] == metrics.total_time
    assert data["nodes"][0]["ops"] == ["graph.matmul at first", "graph.relu at clamp"]


@pytest.mark.parametrize(
    ("given", "error", "message"),
    [
        ({"args_list": [()]}, TypeError, "expected 2 inputs"),
        ({"args_list": [(X[0], W)]}, ValueError, "expected"),
        ({"main_runs": 0}, ValueError, "expected one main run or more, got 0"),
        ({"warmup_runs": -1}, ValueError, "expected no warm-up runs or more, got -1"),
        ({"kwargs_list": [NONE, NONE]}, ValueError, "each of 1 lists, or none, got 2"),
    ],
)
def test_what_cannot_be_measured_is_refused(
    given: dict[str, Any], error: type[Exception], message: str
):
    asked: dict[str, Any] = {"args_list": [(X, W)], **given}
    with pytest.raises(error, match=message):
        measure(made(CHAIN), **asked)


def test_named_arguments_are_those_of_a_call():
    metrics = measure(made(CHAIN), [(X,)], [{"w": W}], main_runs=1)
    assert [each.runs for each in metrics.nodes] == [1, 1, 1]


def test_a_run_that_fails_raises_what_the_call_does():
    module, x = made(POINTS), np.ones((4, 3), np.float32)
    for _ in range(2):
        with pytest.raises(IndexError, match="expected an index from"):
            measure(module, [(x, np.array([1, 9]))])
    assert measure(module, [(x, np.array([1, 2]))]).nodes[0].runs == 1


def test_only_a_module_of_compile_has_a_profile():
    with pytest.raises(TypeError, match="expected a StaticModule, got int"):
        measure(3, [])  # pyright: ignore[reportArgumentType]
    compilation = Compilation(CHAIN)
    alone = compilation.make(None)
    with pytest.raises(sr.CompileError, match="expected a module that compile made"):
        measure(alone, [(X, W)])


@pytest.mark.sampled(every=4, start=2)
@pytest.mark.parametrize("cache", [True, False])
@pytest.mark.parametrize("form", [bytes, onnx.load_model_from_string])
def test_a_model_that_nothing_else_keeps_is_profiled(
    form: Callable[[bytes], Any], cache: bool
):
    path, given = STORED["mlp_small"].dynamic, STORED["mlp_small"].rows(1)
    options = sr.Options(cache=cache)
    expected = measure(sr.compile(path, options=options), [given], main_runs=1)
    for _ in range(2):
        # The second is found in the cache, if there is one.
        module = sr.compile(form(path.read_bytes()), options=options)
        gc.collect()
        found = measure(copy(module), [given], main_runs=1)
        assert [each.ops for each in found.nodes] == [
            each.ops for each in expected.nodes
        ]


def test_a_file_that_changed_has_no_profile(tmp_path: Path):
    path = tmp_path / "model.mlir"
    path.write_text(CHAIN)
    module = sr.compile(path)
    path.write_text(CHAIN.replace("relu", "exp"))
    with pytest.raises(sr.CompileError, match="was changed since"):
        measure(module, [(X, W)])
