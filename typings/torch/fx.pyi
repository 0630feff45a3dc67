"""Graphs of PyTorch's operators."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from typing import Any, Literal

from .nn import Module

class Node:
    args: tuple[Any, ...]
    graph: Graph
    kwargs: dict[str, Any]
    meta: dict[str, Any]
    name: str
    op: Literal[
        "placeholder",
        "call_function",
        "call_method",
        "call_module",
        "get_attr",
        "output",
        "root",
    ]
    target: Callable[..., Any] | str
    users: dict[Node, None]
    @property
    def all_input_nodes(self) -> list[Node]: ...
    @property
    def next(self) -> Node: ...
    @property
    def prev(self) -> Node: ...
    def replace_input_with(self, old_input: Node, new_input: Node) -> None: ...
    @property
    def stack_trace(self) -> str | None: ...

class Graph:
    @property
    def nodes(self) -> _Nodes: ...
    def find_nodes(
        self, *, op: str, target: Any = None, sort: bool = True
    ) -> Sequence[Node]: ...
    def eliminate_dead_code(self) -> bool: ...
    def inserting_before(
        self, n: Node | None = None
    ) -> AbstractContextManager[Any]: ...
    def lint(self) -> None: ...
    def node_copy(
        self, node: Node, arg_transform: Callable[[Node], Any] = ...
    ) -> Node: ...

class _Nodes:
    def __iter__(self) -> Iterator[Node]: ...
    def __len__(self) -> int: ...

class GraphModule(Module):
    @property
    def code(self) -> str: ...
    @property
    def graph(self) -> Graph: ...
