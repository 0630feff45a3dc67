"""The report has the labels of PyTorch's static runtime, in their order."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from static_runtime.compiler.profiling import IndividualMetrics, Node, report
from static_runtime.compiler.profiling.metrics import PlannedMemory

MATMUL = Node(
    *("matmul_0", "matmul", "graph.matmul at a", ("graph.matmul at a",), "compiled"),
    *(0.25, 1.0, 5e5, 1e4),
)
SORT = Node("graph.sort at b", "sort", "graph.sort at b", (), "fallback", 0.75, 0.5)

METRICS = IndividualMetrics(
    setup_time=1.5,
    memory_alloc_time=0.5,
    memory_dealloc_time=0.25,
    output_dealloc_time=0.125,
    first_iter_time=2.0,
    total_time=1.0,
    out_nodes_count=1,
    total_nodes_count=2,
    time_per_node=(0.25, 0.75),
    time_per_node_type={"matmul": 0.25, "sort": 0.75},
    percent_per_node_type={"matmul": 25.0, "sort": 75.0},
    instances_per_node_type={"matmul": 1, "sort": 1},
    out_nodes=("matmul",),
    nodes=(MATMUL, SORT),
    memory=PlannedMemory(3, 0, 2, 0, 192, 1),
    time_per_iter=4.0,
    input_size=1,
)

STATISTICS = """\
Number of operators: 2
Total number of managed tensors: 3
Total number of managed output tensors: 0
Total number of unmanaged values: 2
Number of unmanaged values requiring cleanup: 0
Number of unmanaged values not requiring cleanup: 2
Total memory managed: 192 bytes
Total number of reused tensors: 1
Total number of 'out' variant nodes/total number of nodes: 1/2 (50%)
Total number of nodes not covered by SR/total number of nodes: 1/2 (50%)"""

STEPS = """\
BlockRunner setup time: 1.5 ms
Memory allocation time: 0.5 ms
Memory deallocation time: 0.25 ms
Outputs deallocation time: 0.125 ms
First iter time: 2 ms"""


def test_the_labels_are_in_order():
    assert report(METRICS) == (
        f"""\
Input size: 1
Static runtime ms per iter: 4. Iters per second: 250
Time per node type:
           0.75 ms.         75%. sort (1 nodes)
           0.25 ms.         25%. matmul (1 nodes, out variant)
              1 ms. in Total
{STEPS}
{STATISTICS}"""
    )


def test_nodes_come_where_they_are_asked_for():
    lines = report(METRICS, is_per_node=True).split("\n")
    assert lines[2:8] == [
        "Node #0: 0.25 ms/iter, matmul_0 = graph.matmul at a",
        "    500000 FLOP, 2 GFLOP/s",
        "    10000 bytes, 0.04 GB/s",
        "Node #1: 0.75 ms/iter, graph.sort at b = graph.sort at b",
        "    0.5 runs/iter",
        "Time per node type:",
    ]
    assert [each for each in lines if not re.match(r"Node #|    \S", each)] == report(
        METRICS
    ).split("\n")


@pytest.mark.parametrize(
    ("fma", "bandwidth", "flop", "bytes"),
    [
        (0.5, 0.25, ", 50% of FMA", ""),
        (0.125, 0.25, "", ", 25% of bandwidth"),
        (None, 0.25, "", ", 25% of bandwidth"),
        (1.25, None, ", 125% of FMA", ""),
    ],
)
def test_the_limit_that_is_nearer_is_told(
    fma: float | None, bandwidth: float | None, flop: str, bytes: str
):
    node = replace(MATMUL, fma_share=fma, bandwidth_share=bandwidth)
    lines = report(replace(METRICS, nodes=(node,)), is_per_node=True).split("\n")
    assert lines[3:5] == [
        f"    500000 FLOP, 2 GFLOP/s{flop}",
        f"    10000 bytes, 0.04 GB/s{bytes}",
    ]


def test_a_kind_may_be_native():
    text = report(replace(METRICS, native_nodes=("sort",)))
    assert "75%. sort (1 nodes, native)" in text


def test_without_times_there_are_statistics():
    assert report(replace(METRICS, input_size=0)) == STATISTICS


def test_a_program_without_calls_has_a_report():
    text = report(IndividualMetrics(input_size=1))
    assert "Iters per second: 0\n" in text
    assert text.endswith("number of nodes: 0/0 (0%)")
