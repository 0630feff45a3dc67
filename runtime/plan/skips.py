"""
Tell which kernels a call did not run, as their results are other memory.

A kernel that would only copy its operand is not run: its result is where the operand
is (`dialects/loop/skip.py`). So the operand lives as long as the result does, and the
two take the memory of one. This is decided once, for a plan, and never in a call; only
whether indices are 0, 1, 2, … is found out in each.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ..program import Program, Skip, Symbols, Way, evaluate


@dataclass(frozen=True)
class Skipped:
    """A kernel that a call did not run."""

    source: str
    """The op of the model."""

    kernel: str
    reason: str
    """The sizes that made it a copy, and whether indices did."""


_IN_ORDER = "indices in order"
"""The reason of a skip that indices decide."""


def _taken(
    program: Program, taken: Sequence[int], orders: int
) -> Iterator[tuple[Skip, Way]]:
    """The skips that are taken, each with the way."""
    for skip, number in zip(program.skips, taken, strict=True):
        if number and skip.ways[number - 1].holds_in(orders):
            yield skip, skip.ways[number - 1]


def skipped(
    program: Program, taken: Sequence[int], symbols: Symbols, orders: int = 0
) -> tuple[Skipped, ...]:
    """
    The kernels that are not run, each with the reason; `orders` are bits that say which
    indices are in order.
    """
    found: list[Skipped] = []
    for skip, way in _taken(program, taken, orders):
        zeros = [
            next(q for q in clause if evaluate(q, symbols) == 0) for clause in way.when
        ]
        # One size may make several of the clauses hold.
        reasons = [f"{each} = 0" for each in dict.fromkeys(zeros)]
        reasons += [_IN_ORDER] * (way.order >= 0)
        found.append(Skipped(skip.source, skip.kernel, " and ".join(reasons)))
    return tuple(found)


def skipped_bytes(
    program: Program, taken: Sequence[int], symbols: Symbols, orders: int = 0
) -> int:
    """The bytes of the results that were not copied."""
    return sum(
        evaluate(program.slots[skip.slot].bytes, symbols)
        for skip, _ in _taken(program, taken, orders)
    )
