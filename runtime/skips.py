"""
Decide for the sizes of a call which results are other memory as it lies.

A kernel that would only copy its operand is not run: its result is where the operand
is (`dialects/loop/skip.py`). So the operand lives as long as the result does, and the
two take the memory of one. This is decided once, for a plan, and never in a call.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from .planning import Record
from .program import Program, Way
from .size import Symbols, evaluate


@dataclass(frozen=True)
class Skipped:
    """A kernel that a call did not run."""

    source: str
    """The op of the model."""

    kernel: str
    reason: str
    """The sizes that made it a copy."""


def holds(way: Way, symbols: Symbols) -> bool:
    """Whether a slot is what `way` says for these sizes."""
    return all(
        any(evaluate(quantity, symbols) == 0 for quantity in clause)
        for clause in way.when
    )


def taken_ways(program: Program, symbols: Symbols) -> tuple[int, ...]:
    """For each skip the first of its ways that holds, from 1; 0 where none does."""
    return tuple(
        next((at for at, way in enumerate(skip.ways, 1) if holds(way, symbols)), 0)
        for skip in program.skips
    )


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
            reason = " and ".join(f"{each} = 0" for each in zeros)
            found.append(Skipped(skip.source, skip.kernel, reason))
    return tuple(found)


def skipped_bytes(program: Program, taken: Sequence[int], symbols: Symbols) -> int:
    """The bytes of the results that were not copied."""
    return sum(
        evaluate(program.slots[skip.slot].bytes, symbols)
        for skip, number in zip(program.skips, taken, strict=True)
        if number
    )


@dataclass
class United:
    """The records of slots of which some are parts of others."""

    records: list[Record]
    homes: dict[int, tuple[int, int]]
    """Of a slot that is part of another: that, and the bytes from its first on."""

    def offsets(self, placed: Sequence[int]) -> list[int]:
        """The offset of every slot, from those of the records."""
        found = list(placed)
        for slot, (home, start) in self.homes.items():
            found[slot] = placed[home] + start
        return found


def united(
    program: Program,
    records: Sequence[Record],
    taken: Sequence[int],
    symbols: Symbols,
) -> United:
    """
    The records for these ways: a slot that is another's memory takes none of its own,
    and the other lives as long as both. What is an input or a constant takes none.
    """
    made = United(list(records), {})
    for skip, number in zip(program.skips, taken, strict=True):
        if not number:
            continue
        way, slot = skip.ways[number - 1], skip.slot
        own = made.records[slot]
        made.records[slot] = replace(own, size=0)
        if way.region != "activations":
            continue
        start = evaluate(way.offset, symbols)
        # What a slot is was decided before, as its op comes before.
        home, more = made.homes.get(way.number, (way.number, 0))
        start += more
        made.homes[slot] = home, start
        whole = made.records[home]
        made.records[home] = Record(
            max(whole.size, start + own.size) if whole.size else 0,
            min(whole.first, own.first),
            max(whole.last, own.last),
        )
    return made
