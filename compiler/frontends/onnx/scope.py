"""The values that the nodes of a graph may use by name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from onnx import NodeProto, TypeProto

from ...session import UnsupportedOp
from ..known import Known
from .node import Value


@dataclass(frozen=True)
class Lost:
    """A value that the compiler cannot represent or compute."""

    report: UnsupportedOp | None = None
    """The report to make when a node uses the value, unless it has been made."""


@dataclass(frozen=True)
class Several:
    """A sequence of tensors."""

    values: tuple[Value, ...]


Entry: TypeAlias = Value | Several | Lost | None
"""A named value; None for an omitted input of a function."""


def is_true(entry: Entry) -> bool:
    """Whether a condition is known to be true."""
    return (
        isinstance(entry, Known)
        and not entry.is_symbolic
        and entry.array.size == 1
        and bool(entry.array.item())
    )


@dataclass
class Scope:
    """The values that nodes may use, and the context of these nodes."""

    opset: int

    nodes: Sequence[NodeProto]

    entries: dict[str, Entry] = field(default_factory=dict[str, Entry])

    outer: Scope | None = None
    """The enclosing scope, whose values are visible too."""

    caller: str = ""
    """The name of the node that contains this scope."""

    depth: int = 0
    """The nesting depth of calls and graphs."""

    regions: int = 0
    """The nesting depth of graphs that are regions of the IR."""

    refuses_whole: bool = False
    """Whether the caller is reported in place of an unsupported node."""

    declared: Mapping[str, TypeProto] = field(default_factory=dict[str, TypeProto])
    """The types that the graph of the nodes declares of values."""

    def find(self, name: str) -> Entry:
        """The value called `name`; raises `KeyError` when there is none."""
        if name in self.entries or self.outer is None:
            return self.entries[name]
        return self.outer.find(name)

    def __contains__(self, name: str) -> bool:
        return name in self.entries or (self.outer is not None and name in self.outer)

    def inside(self, nodes: Sequence[NodeProto], caller: str) -> Scope:
        """
        The scope of the nodes of a region, which may use the values of this scope.
        """
        return Scope(
            self.opset,
            nodes,
            outer=self,
            caller=caller,
            depth=self.depth + 1,
            regions=self.regions + 1,
            refuses_whole=self.refuses_whole,
        )
