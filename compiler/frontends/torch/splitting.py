"""Split a graph of `torch.compile` into what is compiled here and what torch runs."""

from __future__ import annotations

import operator
from collections import Counter
from collections.abc import Mapping
from importlib import import_module
from typing import Any

from torch import Tensor, fx
from torch._ops import HigherOrderOperator, OpOverload
from torch.utils import _pytree as pytree

from ...building import alone
from ...ir import context
from ...session import CompileError
from .partition import PartitionReader

_partitioner: Any = import_module("torch.fx.passes.infra.partitioner")

_PREFIX = "static_runtime_"
"""How the names of partitions in a graph begin."""


RECURRENT = {f"aten.{each}.input" for each in ("lstm", "gru", "rnn_tanh", "rnn_relu")}
"""Operators of whole recurrent layers."""


class Readable:
    """The nodes of a graph that the readers of the front end can read."""

    def __init__(self, graph: fx.Graph, bounds: Mapping[str, int]):
        """
        What is readable in `graph`, which is found by reading all of it. Outputs that
        share memory in torch get view operators of their own, which torch runs.
        """
        views = _share_memory(graph)
        try:
            with alone():
                reader = PartitionReader(graph, context(), {}, bounds)
                readable = reader.readable()
            self.reasons = {each.op: each.reason for each in reader.found}
        except CompileError as error:
            readable, self.reasons = set[fx.Node](), {"graph": str(error)}
        taken = {each for each in readable - views if _is_of_tensors(each)}
        # Several results are of use where each of them can be read.
        self.nodes = {each for each in taken if _result_items(each) <= taken}

    def is_node_supported(self, submodules: Mapping[str, Any], node: fx.Node) -> bool:
        """Whether a node may be in a partition."""
        return node in self.nodes


def split(
    module: fx.GraphModule, support: Readable, min_size: int
) -> tuple[fx.GraphModule, list[str]]:
    """
    The module with partitions of `min_size` operators or more, or of a recurrent layer,
    which is as good as many, as modules within, and their names.
    """
    partitioner = _partitioner.CapabilityBasedPartitioner(
        module, support, allows_single_node_partition=True
    )
    kept = [
        each
        for each in partitioner.propose_partitions()
        if sum(map(computes, each.nodes)) >= min_size
        or any(str(node.target) in RECURRENT for node in each.nodes)
    ]
    fused = partitioner.fuse_partitions(kept, prefix=_PREFIX)
    calls = fused.graph.find_nodes(op="call_module")
    return fused, [each.target for each in calls if each.target.startswith(_PREFIX)]


def computes(node: fx.Node) -> bool:
    """Whether a node is an operator that makes elements, and not a view of some."""
    if not isinstance(node.target, OpOverload | HigherOrderOperator) or _is_view(node):
        return False
    results = pytree.tree_leaves(node.meta.get("val"))
    return any(isinstance(each, Tensor) for each in results)


def _share_memory(graph: fx.Graph) -> set[fx.Node]:
    """
    Makes those outputs views that are views of another output, or of an input, and not
    of what a partition computes; the nodes that do so.
    """
    (end,) = graph.find_nodes(op="output")
    outputs = dict.fromkeys(each for each in end.args[0] if isinstance(each, fx.Node))
    bases = Counter(map(_base, outputs))
    made: dict[fx.Node, fx.Node] = {}

    def copied(node: fx.Node) -> fx.Node:
        """A node with its own chain of views."""
        if _base(node) is node:
            return node
        if node not in made:
            before = copied(node.all_input_nodes[0])

            def replaced(each: fx.Node) -> fx.Node:
                return before if each is node.all_input_nodes[0] else each

            with graph.inserting_before(end):
                made[node] = graph.node_copy(node, replaced)
        return made[node]

    for each in outputs:
        base = _base(each)
        if bases[base] > 1 or base.op == "placeholder":
            end.replace_input_with(each, copied(each))
    graph.eliminate_dead_code()
    return {*made.values()}


def _base(node: fx.Node) -> fx.Node:
    """The node whose memory a node shares by view operators; or the node itself."""
    while node.target is operator.getitem or _is_view(node):
        source = node.all_input_nodes[0]
        if node.target is operator.getitem and not _is_view(source):
            break
        node = source
    return node


def _is_view(node: fx.Node) -> bool:
    """Whether a node is an operator whose results share memory with its operand."""
    return isinstance(node.target, OpOverload) and node.target.is_view


def _result_items(node: fx.Node) -> set[fx.Node]:
    """The nodes that take a result of several."""
    return {each for each in node.users if each.target is operator.getitem}


def _is_of_tensors(node: fx.Node) -> bool:
    """Whether the results of a node are tensors in the memory of this processor."""
    results = pytree.tree_leaves(node.meta.get("val"))
    return bool(results) and all(
        isinstance(each, Tensor) and each.device.type == "cpu" for each in results
    )
