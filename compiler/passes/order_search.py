"""
Search an order of ops in which less memory is alive at one time (arXiv 1910.05110).

What has been done is a set of ops, and the bytes that are alive follow from it, not
from the order. So the search goes from set to set, one op at a time, and keeps for
each set the order with the lowest peak. An op that frees as much as it takes, without
a new peak, is done at once: later it would free no more, and take no less. Where
there are more sets than a beam holds, only the best stay, by peak and then by bytes;
up to then the search is exact. Work is counted, not timed: the same ops always have
the same order.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

_WIDTH = 32
"""Sets of ops of one size that are kept."""

_MAX_STEPS_PER_OP = 48
"""Steps in all, for each op, after which only the best set of each size is kept."""


@dataclass(frozen=True)
class Work:
    """An op as the search sees it."""

    after: frozenset[int]
    """The ops that come before it in any order."""

    buffers: frozenset[int]
    """The buffers that must be there while it runs."""

    extra: int = 0
    """Bytes that it needs for itself while it runs."""


class _State(NamedTuple):
    """A set of ops that are done, and the best order of them so far."""

    done: int
    """A bit for each op."""
    live: int
    """The bytes that are alive after them."""
    peak: int
    """The most that were alive at one time."""
    ready: list[int]
    last: int = -1
    before: _State | None = None

    def order(self) -> list[int]:
        """The ops in the order in which they are done."""
        found: list[int] = []
        state: _State | None = self
        while state is not None and state.last >= 0:
            found.append(state.last)
            state = state.before
        return found[::-1]


def may_be_lower(ops: Sequence[Work], sizes: Sequence[int]) -> bool:
    """Whether some order of the ops may have a lower peak than the one they are in."""
    search = _Search(ops, sizes)
    peaks = search.peaks()
    peak = max(peaks, default=0)
    return all(
        search.least_at(at) < peak for at, each in enumerate(peaks) if each == peak
    )


def better_order(ops: Sequence[Work], sizes: Sequence[int]) -> list[int] | None:
    """
    An order of the ops with a lower peak than the order in which they are; None if none
    is found. `sizes` are the bytes of the buffers.
    """
    search = _Search(ops, sizes)
    return search.run(max(search.peaks(), default=0))


class _Search:
    """The steps from sets of ops to larger ones."""

    def __init__(self, ops: Sequence[Work], sizes: Sequence[int]):
        self.ops, self.sizes = ops, sizes
        self.users = [0] * len(sizes)
        """The ops that need each buffer, as bits."""
        self.needs = [0] * len(ops)
        """The ops before each op, as bits."""
        self.next: list[list[int]] = [[] for _ in ops]
        for at, op in enumerate(ops):
            for buffer in op.buffers:
                self.users[buffer] |= 1 << at
            for other in op.after:
                self.needs[at] |= 1 << other
                self.next[other].append(at)
        self.steps = 0
        ready = [at for at, op in enumerate(ops) if not op.after]
        self.start = _State(0, 0, 0, ready)

    def peaks(self) -> list[int]:
        """The bytes that are alive at each op in the order in which the ops are."""
        state, found = self.start, list[int]()
        for op in range(len(self.ops)):
            # The peak of one step from here alone.
            state = self.step(state._replace(peak=0), op)
            found.append(state.peak)
        return found

    def least_at(self, op: int) -> int:
        """
        The bytes that are alive at an op in any order: of each buffer that is needed by
        it, or both by one that is always before it and by one that is always after it.
        """
        before = after = 1 << op
        for at in reversed(range(op)):
            if any(before >> each & 1 for each in self.next[at]):
                before |= 1 << at
        for at in range(op + 1, len(self.ops)):
            if self.needs[at] & after:
                after |= 1 << at
        return self.ops[op].extra + sum(
            size
            for size, users in zip(self.sizes, self.users, strict=True)
            if users & before and users & after
        )

    def run(self, peak: int) -> list[int] | None:
        """The order of the lowest peak below `peak`."""
        states = [self.start]
        for _ in self.ops:
            found: dict[int, _State] = {}
            for state in states:
                for new in self.steps_from(state):
                    known = found.get(new.done)
                    if new.peak < peak and (known is None or new.peak < known.peak):
                        found[new.done] = new
            if not found:
                return None
            is_over = self.steps > _MAX_STEPS_PER_OP * len(self.ops)
            width = 1 if is_over else _WIDTH
            ranked = sorted(found.values(), key=lambda state: (state.peak, state.live))
            states = ranked[:width]
        return states[0].order()

    def steps_from(self, state: _State) -> list[_State]:
        """What follows on a state: one step, if one is sure to be no mistake."""
        found: list[_State] = []
        for op in state.ready:
            new = self.step(state, op)
            if new.live <= state.live and new.peak <= state.peak:
                return [new]
            found.append(new)
        return found

    def step(self, state: _State, op: int) -> _State:
        """The state after one more op."""
        self.steps += 1
        done = state.done | 1 << op
        live, freed = state.live, 0
        for buffer in self.ops[op].buffers:
            users, size = self.users[buffer], self.sizes[buffer]
            if not users & state.done:
                live += size
            if not users & ~done:
                freed += size
        ready = [each for each in state.ready if each != op]
        ready += [each for each in self.next[op] if not self.needs[each] & ~done]
        peak = max(state.peak, live + self.ops[op].extra)
        return _State(done, live - freed, peak, sorted(ready), op, state)
