"""Nodes in the order in which they can be built, whatever their order in the file."""

from __future__ import annotations

from collections.abc import Iterator

from onnx import NodeProto

from ...session import CompileError
from .messages import label
from .scope import Scope

_MOST_SHOWN = 8
"""The most nodes of a cycle that a message names."""


def in_order(scope: Scope) -> Iterator[tuple[int, NodeProto]]:
    """
    The nodes of a scope with their numbers, each after those whose results it uses,
    else in the order of the file; raises `CompileError` for nodes in a cycle.
    """
    nodes = scope.nodes
    makers = {
        name: number
        for number, node in enumerate(nodes)
        for name in node.output
        if name and name not in scope
    }
    placed: set[int] = set()

    def made_before(number: int) -> Iterator[int]:
        return iter([makers[name] for name in _used(nodes[number]) if name in makers])

    for first in range(len(nodes)):
        path = {} if first in placed else {first: made_before(first)}
        while path:
            number, waiting = next(reversed(path.items()))
            maker = next((each for each in waiting if each not in placed), None)
            if maker is None:
                del path[number]
                placed.add(number)
                yield number, nodes[number]
            elif maker in path:
                numbers = [*path]
                cycle = numbers[numbers.index(maker) :][:_MOST_SHOWN]
                names = (f"{label(nodes[each], each)!r}" for each in [*cycle, maker])
                raise CompileError(
                    "expected nodes of which none needs its own result, got a cycle of "
                    f"onnx nodes {' <- '.join(names)}"
                )
            else:
                path[maker] = made_before(maker)


def _used(node: NodeProto) -> dict[str, None]:
    """The names of values outside of a node that it and its graphs use, in order."""
    found = dict.fromkeys(node.input)
    for attribute in node.attribute:
        for graph in (attribute.g, *attribute.graphs):
            made = {each.name for each in (*graph.input, *graph.initializer)}
            made |= {each.values.name for each in graph.sparse_initializer}
            made.update(name for each in graph.node for name in each.output)
            names = [name for each in graph.node for name in _used(each)]
            names += [each.name for each in graph.output]
            found |= {name: None for name in names if name not in made}
    return found
