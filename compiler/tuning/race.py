"""
Run ways of computing the same in turns, and tell which is faster, if any is.

All run once in every round, so that what else the machine does meets them all. What is
clearly slow leaves early. The fastest of those that are left then runs against the
first alone, in rounds of their own, since the best of many looks better than it is. It
wins when it takes less time in the median of these rounds and at its best, by more than
what the rounds differ by; and the first wins a tie.
"""

from __future__ import annotations

import statistics
from collections.abc import Callable, Sequence

Run = Callable[[int], float]
"""Runs so often, and tells the seconds."""

BURST = 0.002
"""Seconds of a burst of runs, about."""

ROUNDS = 7
"""Rounds with all that are not clearly slow."""

SLOW = 1.15
"""How much longer than the fastest takes what is clearly slow."""

FINAL = 31
"""Rounds of the last two."""

MARGIN = 0.03
"""The part of the time that the winner must save, at least."""

BUDGET = 3.0
"""Seconds after which no round begins, of all and of the last two."""


def race(runs: Sequence[Run]) -> int:
    """The number of the fastest; 0 where none is faster than the first beyond noise."""
    for run in runs:
        run(1)
    once = runs[0](1)
    count = max(round(BURST / once), 1) if once > 0 else 1
    times: dict[int, list[float]] = {each: [] for each in range(len(runs))}
    spent = 0.0
    for number in range(ROUNDS):
        for each in times:
            times[each].append(runs[each](count))
            spent += times[each][-1]
        best = min(min(found) for found in times.values())
        if number:
            times = {
                each: found
                for each, found in times.items()
                if each == 0 or min(found) <= SLOW * best
            }
        if spent > BUDGET:
            break
    fastest = min(times, key=lambda each: statistics.median(times[each]))
    return fastest if fastest and is_faster(runs[fastest], runs[0], count) else 0


def is_faster(run: Run, first: Run, count: int) -> bool:
    """Whether a run takes less time than the first, beyond the noise."""
    ratios: list[float] = []
    best = [float("inf"), float("inf")]
    spent = 0.0
    while len(ratios) < FINAL and (spent < BUDGET or len(ratios) < ROUNDS):
        # Each goes first in every other round.
        if len(ratios) % 2:
            mine, other = run(count), first(count)
        else:
            other, mine = first(count), run(count)
        ratios.append(mine / other if other > 0 else 1.0)
        best = [min(best[0], mine), min(best[1], other)]
        spent += mine + other
    low, middle, high = statistics.quantiles(ratios)
    at_most = 1 - max(MARGIN, (high - low) / 2)
    return middle < at_most and best[0] < best[1] * (1 - MARGIN)
