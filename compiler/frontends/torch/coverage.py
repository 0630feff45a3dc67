"""How much of what `torch.compile` handed over was compiled, and why not the rest."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from math import prod
from typing import Any

from torch import SymInt, Tensor, fx
from torch.utils import _pytree as pytree

from ....runtime.call import COMPILED, Tally
from ....runtime.call import Coverage as Shares
from ..foreign import TORCH
from .splitting import RECURRENT, computes

_formulas: Any = import_module("torch.utils.flop_counter").flop_registry


@dataclass
class Part:
    """A partition of a graph, as it was compiled or not."""

    nodes: int
    flops: int
    compiles: int = 0
    """How often it was compiled: once, and again for changed weights."""

    refused_calls: int = 0
    """Calls that were left to torch, which may then have raised an error."""

    error: str = ""
    """Why it was not compiled."""


@dataclass
class Graph:
    """A graph that torch handed over."""

    nodes: int = 0
    flops: int = 0
    parts: list[Part] = field(default_factory=list[Part])
    left: Counter[str] = field(default_factory=Counter[str])
    """The operators that no part has, and how often they are in the graph."""

    reasons: dict[str, str] = field(default_factory=dict[str, str])
    """Why operators cannot be read."""

    needs_gradients: bool = False
    """Whether torch runs all of it, since gradients may be asked for."""


@dataclass(frozen=True)
class Coverage:
    """What was compiled of some graphs; printed, it is a short report."""

    graphs: Sequence[Graph]

    @property
    def parts(self) -> list[Part]:
        """The partitions that are compiled, or will be at their first call."""
        return [part for each in self.graphs for part in each.parts if not part.error]

    @property
    def ways(self) -> Shares:
        """What is compiled, and what PyTorch runs, of graphs without gradients."""
        nodes = sum(each.nodes for each in self.parts)
        flops = sum(each.flops for each in self.parts)
        left = Tally(
            nodes=sum(each.nodes for each in self.graphs) - nodes,
            flops=sum(each.flops for each in self.graphs) - flops,
        )
        return Shares({COMPILED: Tally(nodes=nodes, flops=flops), TORCH: left})

    @property
    def nodes(self) -> float:
        """The share of operators that is compiled; 1 where there are none."""
        return self.ways.share("nodes")

    @property
    def flops(self) -> float:
        """The share of floating point operations that is compiled."""
        return self.ways.share("flops")

    @property
    def compiles(self) -> int:
        """How many times something was compiled."""
        return sum(each.compiles for graph in self.graphs for each in graph.parts)

    def __str__(self) -> str:
        lines = [
            f"{len(self.graphs)} graphs, {len(self.parts)} parts compiled in "
            f"{self.compiles} compiles: {self.nodes:.0%} of operators, "
            f"{self.flops:.0%} of FLOPs",
        ]
        if training := sum(each.needs_gradients for each in self.graphs):
            lines.append(
                f"{training} graphs run by torch, since an input requires gradients; "
                "call under torch.no_grad() to have them compiled"
            )
        left: Counter[str] = Counter()
        reasons: dict[str, str] = {}
        for each in self.graphs:
            left += each.left
            reasons |= each.reasons
        for op, count in left.most_common():
            why = f" ({reasons[op]})" if reasons.get(op) else ""
            lines.append(f"  left to torch: {count} x {op}{why}")
        for graph in self.graphs:
            for part in graph.parts:
                if part.error:
                    lines.append(f"  a part of {part.nodes} operators: {part.error}")
                if part.refused_calls:
                    lines.append(f"  {part.refused_calls} calls were left to torch")
        return "\n".join(lines)


def measure(nodes: Iterable[fx.Node]) -> tuple[int, int]:
    """How many operators there are among some nodes, and their FLOPs."""
    operators = [each for each in nodes if computes(each)]
    return len(operators), sum(map(_flops_of, operators))


def _flops_of(node: fx.Node) -> int:
    """The FLOPs of an operator; one for each element where torch has no formula."""
    target: Any = node.target
    shapes, named = pytree.tree_map(_shape_of, (node.args, node.kwargs))
    results = node.meta.get("val")
    if str(target) in RECURRENT:  # for which torch has no formula
        place = next(
            i for i, each in enumerate(shapes) if each is True or each is False
        )
        steps, parameters = prod(shapes[0][:2]), shapes[place - 1]
        return 2 * steps * sum(prod(each) for each in parameters if len(each) == 2)
    packet = getattr(target, "overloadpacket", target)
    if (formula := _formulas.get(packet)) is not None:
        out: Any = pytree.tree_map(_shape_of, results)
        return int(formula(*shapes, **named, out_val=out))
    tensors = [each for each in pytree.tree_leaves(results) if isinstance(each, Tensor)]
    return sum(prod(_shape_of(each)) for each in tensors)


def _shape_of(value: Any) -> Any:
    """The shape of a tensor, or the tensor of a node, when it was traced."""
    if isinstance(value, fx.Node):
        return pytree.tree_map(_shape_of, value.meta.get("val"))
    if isinstance(value, SymInt):
        return value.node.hint or 1
    if isinstance(value, Tensor):
        return tuple(map(_shape_of, value.shape))
    return value
