"""
`Area`: memory that a checked run works on, and what each byte of it belongs to.

    red zone | content | red zone

What belongs to no value has a pattern: the red zones, and content that nobody wrote or
whose last use is over.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from ..abi import ALIGNMENT
from .memory_notes import Memory

Array: TypeAlias = npt.NDArray[Any]
Bytes: TypeAlias = npt.NDArray[np.uint8]

_ZONE = ALIGNMENT
"""Bytes of a red zone."""

Range: TypeAlias = tuple[int, int]
"""The first byte and the one after the last."""


@dataclass
class Shadow:
    """The owner of each byte from 0 to `size`."""

    size: int
    ranges: list[tuple[int, int, Memory]] = field(
        default_factory=list[tuple[int, int, Memory]]
    )

    def give(self, begin: int, end: int, owner: Memory) -> None:
        """Lets the bytes from `begin` to `end` belong to an owner from now on."""
        if begin >= end:
            return
        kept: list[tuple[int, int, Memory]] = []
        for first, last, other in self.ranges:
            if last <= begin or end <= first:
                kept.append((first, last, other))
                continue
            if first < begin:
                kept.append((first, begin, other))
            if end < last:
                kept.append((end, last, other))
        kept.append((begin, end, owner))
        self.ranges = sorted(kept)

    def drop(self, is_over: Callable[[Memory], bool]) -> None:
        """Lets bytes belong to nobody whose owner is over."""
        self.ranges = [each for each in self.ranges if not is_over(each[2])]

    def within(self, begin: int, end: int) -> Iterator[tuple[int, int, Memory | None]]:
        """The parts of a range, in order, each with its owner."""
        at = begin
        for first, last, owner in self.ranges:
            first, last = max(first, begin), min(last, end)
            if first < last:
                if at < first:
                    yield at, first, None
                yield first, last, owner
                at = last
        if at < end:
            yield at, end, None

    def gaps(self) -> Iterator[Range]:
        """The ranges of bytes that belong to nobody."""
        for begin, end, owner in self.within(0, self.size):
            if owner is None:
                yield begin, end

    def owner_at(self, byte: int) -> tuple[Memory, int] | None:
        """The owner of a byte, and how many bytes of it are before that one."""
        starts = [first for first, _, _ in self.ranges]
        at = bisect_right(starts, byte) - 1
        if at < 0 or self.ranges[at][1] <= byte:
            return None
        first, _, owner = self.ranges[at]
        return owner, byte - first


@dataclass(eq=False)
class Area:
    """Memory that a run works on, between red zones, and whose each byte is."""

    name: str
    is_fixed: bool
    """Whether no kernel may write to it."""
    memory: Bytes
    size: int
    before: Bytes
    """What was in it before the call."""
    first: Bytes | None = None
    """What the first of two runs of a kernel left in it."""
    shadow: Shadow = field(default_factory=lambda: Shadow(0))

    @staticmethod
    def of(name: str, size: int, is_fixed: bool = False) -> Area:
        """An area of some bytes, which belong to nobody."""
        whole = np.empty(size + 3 * _ZONE, np.uint8)
        start = -whole.ctypes.data % ALIGNMENT
        memory = whole[start : start + size + 2 * _ZONE]
        made = Area(name, is_fixed, memory, size, np.empty_like(memory))
        made.shadow = Shadow(memory.size)
        return made

    @property
    def address(self) -> int:
        """Where it begins after its red zone."""
        return self.memory.ctypes.data + _ZONE

    @property
    def end(self) -> int:
        """The byte after its last, before the red zone that follows."""
        return _ZONE + self.size

    @property
    def content(self) -> Bytes:
        """The bytes between the red zones."""
        return self.memory[_ZONE : self.end]

    def own(self, owner: Memory, content: Array | None = None) -> None:
        """Lets the area belong to an owner, with this content."""
        self.shadow.give(_ZONE, self.end, owner)
        if content is not None:
            flat = np.ascontiguousarray(content).reshape(-1).view(np.uint8)
            self.content[:] = flat

    def fill(self, pattern: int) -> None:
        """Lets bytes that belong to nobody have a pattern, and notes what there is."""
        for begin, end in self.shadow.gaps():
            self.memory[begin:end] = pattern
        np.copyto(self.before, self.memory)

    def changed(self, written: Sequence[Range]) -> Range | None:
        """The first bytes that changed outside of what may be written."""
        at = 0
        for begin, end in [*sorted(written), (self.memory.size,) * 2]:
            if at < begin:
                found = self.memory[at:begin] != self.before[at:begin]
                if (run := first_run(found)) is not None:
                    return at + run[0], at + run[1]
            at = max(at, end)
        return None


def first_run(found: npt.NDArray[np.bool_]) -> Range | None:
    """The first range of true elements."""
    if not found.any():
        return None
    begin = int(found.argmax())
    rest = ~found[begin:]
    return begin, begin + int(rest.argmax()) if rest.any() else found.size
