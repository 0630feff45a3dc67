"""The operators that a graph of torch names, as a selective build calls them."""

from __future__ import annotations

from torch._ops import HigherOrderOperator, OpOverload
from torch.fx import GraphModule


def operator_names(module: GraphModule) -> set[str]:
    """
    The operators of all nodes, in branches and loops too, but for Python's functions on
    sizes: `aten::add.Tensor`, `aten::relu`, `higher_order::cond`.
    """
    nodes = (
        node
        for each in module.modules()
        if isinstance(each, GraphModule)
        for node in each.graph.nodes
    )
    targets = {node.target for node in nodes if node.op == "call_function"}
    found: set[str] = set()
    for each in targets:
        if isinstance(each, OpOverload):
            found.add(each.name())
        elif isinstance(each, HigherOrderOperator):
            found.add(f"higher_order::{each.name()}")
    return found
