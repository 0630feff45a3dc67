"""
The report of a benchmark as text, with the labels of PyTorch's static runtime.

A node is a call of a compiled kernel, an "out variant" there; none is "native", as what
needs no kernel is no call.
"""

from __future__ import annotations

from collections.abc import Iterator

from .metrics import IndividualMetrics, Node


def report(metrics: IndividualMetrics, is_per_node: bool = False) -> str:
    """The report; with a line or two for each node where that is asked for."""
    lines: list[str] = []
    if metrics.input_size:
        lines += _times(metrics)
        lines += _nodes(metrics.nodes) if is_per_node else ()
        lines += _kinds(metrics)
        lines += _steps(metrics)
    return "\n".join([*lines, *_statistics(metrics)])


def _times(metrics: IndividualMetrics) -> Iterator[str]:
    """How long a call takes."""
    per_iter = metrics.time_per_iter
    rate = 1e3 / per_iter if per_iter else 0.0
    yield f"Input size: {metrics.input_size}"
    yield (f"Static runtime ms per iter: {per_iter:.6g}. Iters per second: {rate:.6g}")


def _nodes(nodes: tuple[Node, ...]) -> Iterator[str]:
    """Each node, with what it was fused from, and how much it does in its time."""
    for at, node in enumerate(nodes):
        made_of = ", ".join(node.ops) or node.source
        yield f"Node #{at}: {node.time:.6g} ms/iter, {node.name} = {made_of}"
        if node.runs != 1:
            yield f"    {node.runs:.6g} runs/iter"
        fma, bandwidth = node.fma_share, node.bandwidth_share
        is_fma_nearer = (fma or 0) > (bandwidth or 0)
        if node.operations:
            share, rate = _share(fma if is_fma_nearer else None, "FMA"), node.gflops
            yield f"    {node.operations:.6g} FLOP, {_shown(rate)} GFLOP/s{share}"
        if node.integer_operations:
            count, rate = node.integer_operations, _shown(node.integer_gops)
            yield f"    {count:.6g} integer operations, {rate} GOP/s"
        if node.bytes:
            share = _share(None if is_fma_nearer else bandwidth, "bandwidth")
            yield f"    {node.bytes:.6g} bytes, {_shown(node.gigabytes)} GB/s{share}"


def _share(share: float | None, limit: str) -> str:
    """What a rate is of a limit of the machine, if that is the one that is nearer."""
    return "" if share is None else f", {100 * share:.3g}% of {limit}"


def _shown(rate: float | None) -> str:
    """A rate, if there is one."""
    return "no" if rate is None else f"{rate:.4g}"


def _kinds(metrics: IndividualMetrics) -> Iterator[str]:
    """The time of each kind of node, the longest first."""
    yield "Time per node type:"
    for kind, time in sorted(
        metrics.time_per_node_type.items(), key=lambda each: -each[1]
    ):
        percent, count = (
            metrics.percent_per_node_type[kind],
            metrics.instances_per_node_type[kind],
        )
        way = ", out variant" if kind in metrics.out_nodes else ""
        way = ", native" if kind in metrics.native_nodes else way
        yield f"{time:>15.6g} ms. {percent:>10.6g}%. {kind} ({count} nodes{way})"
    yield f"{metrics.total_time:>15.6g} ms. in Total"


def _steps(metrics: IndividualMetrics) -> Iterator[str]:
    """What is done around the nodes."""
    for label, time in (
        ("BlockRunner setup time", metrics.setup_time),
        ("Memory allocation time", metrics.memory_alloc_time),
        ("Memory deallocation time", metrics.memory_dealloc_time),
        ("Outputs deallocation time", metrics.output_dealloc_time),
        ("First iter time", metrics.first_iter_time),
    ):
        yield f"{label}: {time:.6g} ms"


def _statistics(metrics: IndividualMetrics) -> Iterator[str]:
    """What there is of nodes and memory."""
    memory, nodes = metrics.memory, metrics.total_nodes_count
    kept = memory.unmanaged_values - memory.values_to_clean_up
    yield f"Number of operators: {nodes}"
    for label, count in (
        ("Total number of managed tensors", memory.managed_tensors),
        ("Total number of managed output tensors", memory.managed_outputs),
        ("Total number of unmanaged values", memory.unmanaged_values),
        ("Number of unmanaged values requiring cleanup", memory.values_to_clean_up),
        ("Number of unmanaged values not requiring cleanup", kept),
    ):
        yield f"{label}: {count}"
    yield f"Total memory managed: {memory.bytes} bytes"
    yield f"Total number of reused tensors: {memory.reused_tensors}"
    missing = nodes - metrics.out_nodes_count
    for label, count in (
        ("'out' variant nodes", metrics.out_nodes_count),
        ("nodes not covered by SR", missing),
    ):
        share = 100 * count / nodes if nodes else 0.0
        yield (
            f"Total number of {label}/total number of nodes: {count}/{nodes} "
            f"({share:.6g}%)"
        )
