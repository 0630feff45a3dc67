"""
Run ways of computing the same in turns, and tell which is faster, if any is.

All run once in every round, so that what else the machine does meets them all. What is
clearly slow leaves early. The fastest few of those that are left then run against the
first in rounds of their own, since the best of many looks better than it is. One wins
when it takes less time in the median of these rounds and at its best, by more than what
the rounds differ by; and the first wins a tie.
"""

from __future__ import annotations

import statistics
from collections.abc import Callable, Sequence
from typing import TypeAlias

Run = Callable[[int], float]
"""Runs so often, and tells the seconds."""

_Times: TypeAlias = dict[int, list[float]]
"""The seconds of bursts, by the number of what ran."""

_BURST = 0.002
"""Seconds of a burst of runs, about."""

ROUNDS = 7
"""Rounds with all that are not clearly slow."""

SLOW = 1.15
"""How much longer than the fastest takes what is clearly slow."""

_FINALISTS = 3
"""How many run against the first in the end."""

FINAL = 31
"""Rounds of these."""

MARGIN = 0.03
"""The part of the time that the winner must save, at least."""

BUDGET = 3.0
"""Seconds after which no round begins, of all and of the last few."""


def race(runs: Sequence[Run]) -> int:
    """The number of the fastest; 0 where none is faster than the first beyond noise."""
    for run in runs:
        run(1)
    once = runs[0](1)
    count = max(round(_BURST / once), 1) if once > 0 else 1
    times: _Times = {each: [] for each in range(len(runs))}
    spent = 0.0
    for number in range(ROUNDS):
        spent += _add_round(times, runs, count)
        best = min(min(found) for found in times.values())
        if number:
            times = {
                each: found
                for each, found in times.items()
                if each == 0 or min(found) <= SLOW * best
            }
        if spent > BUDGET:
            break
    order = sorted(times, key=lambda each: statistics.median(times[each]))
    finalists = [each for each in order if each][:_FINALISTS]
    return _final({0: [], **{each: [] for each in finalists}}, runs, count)


def _add_round(times: _Times, runs: Sequence[Run], count: int) -> float:
    """Adds the seconds of a burst of each run to its times; the seconds of all."""
    # In one order and in the other, so that none always comes after the same.
    backward = len(times[0]) % 2 == 1
    order = [*reversed(times)] if backward else [*times]
    for each in order:
        times[each].append(runs[each](count))
    return sum(found[-1] for found in times.values())


def _final(times: _Times, runs: Sequence[Run], count: int) -> int:
    """The fastest of a few, by rounds of their own; 0 where none beats the first."""
    spent, number = 0.0, 0
    while len(times) > 1 and number < FINAL and (spent < BUDGET or number < ROUNDS):
        spent += _add_round(times, runs, count)
        number += 1
    first, ratios = times.pop(0), dict[int, float]()
    for each, found in times.items():
        pairs = zip(found, first, strict=True)
        quotients = [mine / other if other > 0 else 1.0 for mine, other in pairs]
        low, middle, high = statistics.quantiles(quotients)
        # A third of what is between the quartiles is two errors of such a median.
        at_most = 1 - max(MARGIN, (high - low) / 3)
        if middle < at_most and min(found) < min(first) * (1 - MARGIN):
            ratios[each] = middle
    return min(ratios, key=lambda each: ratios[each], default=0)
