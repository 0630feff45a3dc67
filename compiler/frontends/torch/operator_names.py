"""The operators that an exported program names, as a selective build calls them."""

from __future__ import annotations

from torch._ops import HigherOrderOperator, OpOverload
from torch.export import ExportedProgram
from torch.fx import GraphModule


def operator_names(program: ExportedProgram) -> set[str]:
    """
    The operators of all nodes, in branches and loops too, but for Python's functions on
    sizes: `aten::add.Tensor`, `aten::relu`, `higher_order::cond`.
    """
    modules = program.graph_module.modules()
    nodes = (
        node
        for each in modules
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
