"""
Estimate whether ops that have no order among them are worth a thread each.

Work is counted in multiply-adds, as `parallelize-loops` counts it on loops: a kernel
with enough of it is shared by threads anyway, and gains nothing beside others. What
gains is a chain of small kernels, as the steps of a recurrence.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from heapq import heapify, heappop, heappush

from ...dialects import Dim, guess, product
from ...dialects.graph import UNLIMITED, GraphOp, IfOp, LoopOp, ParallelOp
from ...dialects.kernel import KernelNest, group_of
from ...runtime.abi import GRAIN

_CALL = 1 << 12
"""The work of calling a kernel, some tens of nanoseconds."""

_MOVED = 16
"""The work of an iteration that multiplies nothing, in multiply-adds."""

_WAIT = 3
"""The work of a multiply-add whose weight is read for one row."""

_THREADS = (1, 2, 4, 8)
"""Counts of threads that times are estimated for."""

_LIMITS = (0.85, 1.2, 1.2)
"""
The part of the time of ops in turn that branches may take at most, on each count of
threads above one; chosen by hand, for two threads.
"""

_FORK = GRAIN
"""The work that letting threads begin takes as long as."""

_JOIN = GRAIN // 2
"""The same of a kernel that they share."""

_ASSUMED_TRIPS = 64
"""Trips that are assumed of a loop which its condition alone ends."""


@dataclass(frozen=True)
class Work:
    """How long something takes, as work, on each of `_THREADS`, which share kernels."""

    times: tuple[int, ...] = (0,) * len(_THREADS)

    @property
    def whole(self) -> int:
        """What one thread has to do."""
        return self.times[0]

    @staticmethod
    def of_kernel(work: int) -> Work:
        """A kernel of some work, which threads share if it is enough."""
        parts = [min(work // GRAIN, threads) for threads in _THREADS]
        times = (work // each + _JOIN if each > 1 else work for each in parts)
        return Work(tuple(each + _CALL for each in times))


def total(works: Iterable[Work], trips: int = 1) -> Work:
    """The work of several, one after the other, and that some times."""
    columns = zip(*(each.times for each in (Work(), *works)), strict=True)
    return Work(tuple(sum(each) * trips for each in columns))


def work_of(op: GraphOp) -> Work:
    """The work of an op; symbols count as one large number."""
    if not op.results or op.IS_VIEW:
        return Work()
    if isinstance(op, LoopOp | IfOp | ParallelOp):
        parts = [
            total(work_of(each) for each in block.ops if isinstance(each, GraphOp))
            for block in op.blocks
        ]
        if isinstance(op, IfOp):
            return min(parts, key=lambda each: each.whole)
        trips = guess(op.limit) if isinstance(op, LoopOp) else 1
        return total(parts, _ASSUMED_TRIPS if trips == UNLIMITED else trips)
    group = group_of(op)
    return Work.of_kernel(0 if group is None else sum(map(_work_of_nest, group.nests)))


def _work_of_nest(nest: KernelNest) -> int:
    """The work of the loops of a nest."""
    points = max(guess(product(nest.bounds)), 0)
    if not nest.is_contraction:
        return points * _MOVED
    rows: Dim = product(nest.bounds[: len(nest.bounds) - nest.reductions - 1])
    return points * max(-(-_WAIT // max(guess(rows), 1)), 1)


def distributed(works: Sequence[Work], count: int) -> list[list[int]]:
    """
    The numbers of the works of each of `count` threads, the greatest works first; each
    thread has one at least where there are as many.
    """
    threads = [(0, at) for at in range(count)]
    heapify(threads)
    found: list[list[int]] = [[] for _ in range(count)]
    for number in sorted(range(len(works)), key=lambda at: -works[at].whole):
        load, at = heappop(threads)
        found[at].append(number)
        heappush(threads, (load + works[number].whole, at))
    return [each for each in found if each]


def pays(works: Sequence[Work]) -> bool:
    """Whether threads that have these works are faster than threads that share each."""
    in_turn = total(works).times[1:]
    for threads, limit, time in zip(_THREADS[1:], _LIMITS, in_turn, strict=True):
        loads = [
            sum(works[at].whole for at in each) for each in distributed(works, threads)
        ]
        if max(loads) + _FORK > limit * time:
            return False
    return True
