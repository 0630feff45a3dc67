"""The operators that an ONNX model names, as a selective build calls them."""

from __future__ import annotations

from collections.abc import Iterable

from onnx import GraphProto, ModelProto, NodeProto

from .model_file import ONNX


def operator_names(model: ModelProto) -> set[str]:
    """
    The operators of all nodes, in subgraphs too: `onnx::Conv`, `com.microsoft::Gelu`.

    A function of the model itself needs no library; where it is called, its nodes do.
    """
    own = {
        _name_of(each.domain, each.name, each.overload): each.node
        for each in model.functions
    }
    waiting: list[Iterable[NodeProto]] = [model.graph.node]
    found: set[str] = set()
    for nodes in waiting:
        for node in nodes:
            name = _name_of(node.domain, node.op_type, node.overload)
            if name not in found:
                found.add(name)
                waiting.append(own.get(name, ()))
            for attribute in node.attribute:
                graphs: list[GraphProto] = [*attribute.graphs]
                if attribute.HasField("g"):
                    graphs.append(attribute.g)
                waiting += [each.node for each in graphs]
    return found - own.keys()


def _name_of(domain: str, op: str, overload: str) -> str:
    """The name of an operator."""
    namespace = "onnx" if domain in ONNX else domain
    return f"{namespace}::{op}" + (f".{overload}" if overload else "")
