"""`MemoryNotes`: what checks of memory know of a program, kept as JSON values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

Memory: TypeAlias = tuple[str, int]
"""A region of a program's memory, and a number in it."""


@dataclass(frozen=True)
class CheckedCall:
    """What one call runs, and the memory that it works on."""

    name: str
    """The kernel, or the fallback op."""

    source: str
    """The op in the model, and where it is."""

    buffers: tuple[Memory, ...]
    first_written: int
    """The buffers from this one on are written to; others are only read."""


@dataclass(frozen=True)
class MemoryNotes:
    """The calls of a program, and what of its memory may be the same or is over."""

    calls: Mapping[int, CheckedCall]
    """By the numbers that compiled code has for them."""

    groups: Mapping[Memory, int]
    """Slots and outputs that may be the same memory have the same number."""

    last: tuple[int, ...]
    """The last call that needs each slot; -1 where none does."""

    def to_json(self) -> dict[str, Any]:
        """The notes as JSON values."""
        return {
            "calls": [
                [number, each.name, each.source, each.first_written, each.buffers]
                for number, each in self.calls.items()
            ],
            "groups": [[*memory, group] for memory, group in self.groups.items()],
            "last": self.last,
        }

    @staticmethod
    def of_json(made: Mapping[str, Any]) -> MemoryNotes:
        """What `to_json` made."""
        calls: Sequence[Any] = made["calls"]
        groups: Sequence[Any] = made["groups"]
        return MemoryNotes(
            {
                number: CheckedCall(
                    name, source, tuple((one, at) for one, at in buffers), first
                )
                for number, name, source, first, buffers in calls
            },
            {(region, number): group for region, number, group in groups},
            tuple(made["last"]),
        )

    def writer_of(self, memory: Memory) -> str:
        """The op that writes to some memory first."""
        for each in self.calls.values():
            if memory in each.buffers[each.first_written :]:
                return each.source
        return ""
