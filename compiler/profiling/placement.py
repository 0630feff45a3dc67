"""Where the activations of a run lie in their block, and how long they live."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ...runtime.program import evaluate
from .twin import Twin


@dataclass(frozen=True)
class Placed:
    """A slot of a plan."""

    number: int
    name: str
    """The kernels that write to it."""

    offset: int
    bytes: int
    first: int
    """The first step, in the order of the ops of the model, in which it lives."""

    last: int

    def overlaps(self, other: Placed) -> bool:
        """Whether the two share bytes of the block."""
        ends = self.offset + self.bytes, other.offset + other.bytes
        return self.offset < ends[1] and other.offset < ends[0]


def placed(twin: Twin, symbols: Mapping[str, int]) -> tuple[Placed, ...]:
    """The slots in the plan of the last run, whose symbols had these values."""
    program, plan = twin.module.program, twin.module.plan
    writers: dict[int, dict[str, None]] = {}
    for each in twin.calls:
        if each.slot is not None:
            writers.setdefault(each.slot, {})[each.name] = None
    return tuple(
        Placed(
            number,
            ", ".join(writers.get(number, ())) or slot.source or f"slot {number}",
            offset,
            evaluate(slot.bytes, symbols),
            slot.first,
            slot.last,
        )
        for number, (slot, offset) in enumerate(
            zip(program.slots, plan.offsets, strict=False)
        )
    )


def reused(slots: Sequence[Placed]) -> int:
    """The slots that lie in memory which a slot before them had."""
    return sum(
        any(each.first > other.last and each.overlaps(other) for other in slots)
        for each in slots
    )
