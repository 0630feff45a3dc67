"""
The call graph of a model's functions, and its number of nodes after inlining.

Functions that are called often make a short file a long model. So nodes are counted
before any is built, and without recursion, since a file may nest calls to any depth.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from onnx import FunctionProto, ModelProto, NodeProto

from ...session import CompileError

Key: TypeAlias = tuple[str, str, str]
"""The key of a function: domain, name and overload."""

MOST_NODES = 1 << 17
"""The most nodes that inlined functions and unrolled loops may add."""

MOST_REGIONS = 32
"""The deepest nesting of graphs; protobuf reads no file with more."""


def key_of(node: NodeProto) -> Key:
    """The key of the function that a node calls, if it calls one."""
    return node.domain, node.op_type, node.overload


def functions_of(model: ModelProto) -> dict[Key, FunctionProto]:
    """The functions of a model; raises `CompileError` when they cannot be inlined."""
    functions: dict[Key, FunctionProto] = {}
    for each in model.functions:
        key = each.domain, each.name, each.overload
        if key in functions:
            raise CompileError(f"expected functions that differ, got two of {key}")
        functions[key] = each
    counter = _Counter(functions)
    for key in functions:
        counter.count(key)
    own = list(nodes_in(model.graph.node))
    count = sum(counter.counts.get(key_of(each), 0) for each in own)
    if count > MOST_NODES:
        raise CompileError(
            f"expected at most {MOST_NODES} nodes in calls of functions, got {count}"
        )
    return functions


def nodes_in(nodes: Iterable[NodeProto]) -> Iterator[NodeProto]:
    """
    Nodes and the nodes of their graphs; raises `CompileError` for too deep graphs.
    """
    waiting = [(each, 0) for each in nodes]
    for node, depth in waiting:
        yield node
        if depth > MOST_REGIONS:
            raise CompileError(
                f"onnx node {node.name!r} ({node.op_type}): expected graphs at most "
                f"{MOST_REGIONS} deep"
            )
        for attribute in node.attribute:
            for graph in (attribute.g, *attribute.graphs):
                waiting += [(each, depth + 1) for each in graph.node]


@dataclass
class _Counter:
    """Counts the nodes of each function with those of its callees."""

    functions: Mapping[Key, FunctionProto]
    counts: dict[Key, int] = field(default_factory=dict[Key, int])

    def count(self, key: Key) -> None:
        """Counts a function after all of its callees."""
        path = {key: self.called(key)}
        while path:
            caller, rest = next(reversed(path.items()))
            callee = next(rest, None)
            if callee is None:
                self.counts[caller] = self.total(caller)
                del path[caller]
            elif callee in path:
                names = [name for _, name, _ in path]
                cycle = names[names.index(callee[1]) :]
                raise CompileError(
                    "expected functions that do not call themselves, got "
                    f"{' -> '.join([*cycle[:8], callee[1]])}"
                )
            elif callee not in self.counts:
                path[callee] = self.called(callee)

    def called(self, key: Key) -> Iterator[Key]:
        """The callees of a function."""
        for node in nodes_in(self.functions[key].node):
            if key_of(node) in self.functions:
                yield key_of(node)

    def total(self, key: Key) -> int:
        """The nodes of a function whose callees have been counted."""
        nodes = nodes_in(self.functions[key].node)
        return sum(1 + self.counts.get(key_of(each), 0) for each in nodes)
