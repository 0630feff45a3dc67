"""How much of a model is compiled, and how much is run in Python."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from math import prod
from typing import Any

from ..program import CallOut, Program, evaluate

COMPILED, FALLBACK, FOREIGN = "compiled", "fallback", "foreign"
"""
How a node runs: as machine code that we made, as the numpy reference of an op of ours,
or by a framework.
"""

_GUESS = 64
"""What a size is that nobody tells, as far as its range allows."""


@dataclass(frozen=True)
class Tally:
    """What runs in one way."""

    nodes: int = 0
    """Ops of the model, as they are after simplification."""

    kernels: int = 0
    """Calls of machine code."""

    flops: float = 0.0
    """Floating-point operations; of what is not compiled, the elements of results."""

    time: float = 0.0
    """Milliseconds, where there is a profile."""


@dataclass(frozen=True)
class Coverage:
    """What runs in which way; printed, it is a short report."""

    ways: Mapping[str, Tally]
    calls: Sequence[CallOut] = field(default=())
    """The calls that Python runs."""

    def share(self, what: str, way: str = COMPILED) -> float:
        """
        The share of `nodes`, `kernels`, `flops` or `time` that runs in one way: 0 to 1,
        and 1 for what is compiled where there is nothing.
        """
        whole = sum(getattr(each, what) for each in self.ways.values())
        if not whole:
            return float(way == COMPILED)
        return getattr(self.ways.get(way, Tally()), what) / whole

    def __str__(self) -> str:
        whole = sum(each.nodes for each in self.ways.values())
        lines: list[str] = []
        for way, found in self.ways.items():
            if not found.nodes and way != COMPILED:
                continue
            parts = [f"{found.nodes} of {whole} nodes ({self.share('nodes', way):.0%})"]
            if found.kernels:
                parts.append(f"{found.kernels} kernels")
            for what, name in (("flops", "FLOPs"), ("time", "time")):
                if any(getattr(each, what) for each in self.ways.values()):
                    parts.append(f"{self.share(what, way):.0%} of {name}")
            lines.append(f"{way}: {', '.join(parts)}")
        for each in self.calls:
            lines.append(f"  run by {each.framework or 'numpy'}: {each.source}")
        return "\n".join(lines)


def way_of(framework: str) -> str:
    """The way of a call that this framework runs, or numpy where it is none."""
    return FOREIGN if framework else FALLBACK


def cover(
    program: Program, report: Any, sizes: Mapping[str, int], profile: Any = None
) -> Coverage:
    """
    The coverage of a program that has a `CompileReport`, in a call of these sizes, with
    the times of the `IndividualMetrics` of a profile.

    Raises `TypeError` for a module without a report, or a size that is none of its own.
    """
    if report is None:
        raise TypeError("expected a module of compile, got one without a report")
    known = {*program.symbols, *program.defined}
    if unknown := sizes.keys() - known:
        raise TypeError(
            f"expected sizes of {', '.join(sorted(known)) or 'no symbols'}, got "
            f"{', '.join(sorted(unknown))}"
        )
    symbols = {name: _guess(program, name) for name in known} | {**sizes}
    calls = program.call_outs
    times: dict[str, float] = {}
    for node in () if profile is None else profile.nodes:
        times[node.way] = times.get(node.way, 0.0) + node.time
    compiled = Tally(
        report.ops - sum(bool(each.inputs) for each in calls),
        report.kernels,
        evaluate(report.operations, symbols),
        times.get(COMPILED, 0.0),
    )
    ways = {COMPILED: compiled}
    for way in (FALLBACK, FOREIGN):
        own = [each for each in calls if way_of(each.framework) == way]
        flops = sum(_elements(own, symbols))
        ways[way] = Tally(len(own), 0, flops, times.get(way, 0.0))
    return Coverage(ways, calls)


def _guess(program: Program, name: str) -> int:
    """A value of a symbol that is in its range."""
    least, most = program.ranges.get(name, (0, _GUESS))
    return max(least, min(most, _GUESS))


def _elements(calls: Iterable[CallOut], symbols: Mapping[str, int]) -> Iterable[int]:
    """The elements of the results of calls."""
    for each in calls:
        for result in each.outputs:
            yield prod(result.sizes(symbols))
