"""
Tell which kernels a call did not run, as their results are other memory.

A kernel that would only copy its operand is not run: its result is where the operand
is (`dialects/loop/skip.py`). So the operand lives as long as the result does, and the
two take the memory of one. This is decided once, for a plan, and never in a call.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ..program import Program, Symbols, evaluate


@dataclass(frozen=True)
class Skipped:
    """A kernel that a call did not run."""

    source: str
    """The op of the model."""

    kernel: str
    reason: str
    """The sizes that made it a copy."""


def skipped(
    program: Program, taken: Sequence[int], symbols: Symbols
) -> tuple[Skipped, ...]:
    """The kernels that are not run, each with the reason."""
    found: list[Skipped] = []
    for skip, number in zip(program.skips, taken, strict=True):
        if number:
            zeros = [
                next(q for q in clause if evaluate(q, symbols) == 0)
                for clause in skip.ways[number - 1].when
            ]
            # One size may make several of the clauses hold.
            reason = " and ".join(f"{each} = 0" for each in dict.fromkeys(zeros))
            found.append(Skipped(skip.source, skip.kernel, reason))
    return tuple(found)


def skipped_bytes(program: Program, taken: Sequence[int], symbols: Symbols) -> int:
    """The bytes of the results that were not copied."""
    return sum(
        evaluate(program.slots[skip.slot].bytes, symbols)
        for skip, number in zip(program.skips, taken, strict=True)
        if number
    )
