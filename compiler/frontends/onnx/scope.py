"""The values that the nodes of a graph may use by name."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from onnx import NodeProto

from ...errors import UnsupportedOp
from .node import Value


@dataclass(frozen=True)
class Lost:
    """A value that the compiler cannot hold, or not compute."""

    report: UnsupportedOp | None = None
    """What is reported once a node uses the value, if nothing is yet."""


Entry: TypeAlias = Value | Lost | None
"""A value by name; None is the input of a function that its caller left out."""


@dataclass
class Scope:
    """The values that nodes may use, and what holds for these nodes."""

    opset: int

    nodes: Sequence[NodeProto]

    entries: dict[str, Entry] = field(default_factory=dict[str, Entry])

    outer: Scope | None = None
    """The scope whose values are seen from here too."""

    caller: str = ""
    """The name of the node whose inside this is."""

    depth: int = 0
    """Calls of functions and graphs that the nodes are inside of."""

    regions: int = 0
    """Graphs that the nodes are inside of, which are regions of the IR."""

    refuses_whole: bool = False
    """Whether it is the caller that is reported when a node is not supported."""

    def find(self, name: str) -> Entry:
        """The value called `name`; raises `KeyError` when there is none."""
        if name in self.entries or self.outer is None:
            return self.entries[name]
        return self.outer.find(name)

    def inside(self, nodes: Sequence[NodeProto], caller: str) -> Scope:
        """The scope of the nodes of a region, which see what is seen here."""
        return Scope(
            self.opset,
            nodes,
            outer=self,
            caller=caller,
            depth=self.depth + 1,
            regions=self.regions + 1,
            refuses_whole=self.refuses_whole,
        )
