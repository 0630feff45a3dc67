"""The faster of two wins, unless it is within what the rounds differ by."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import cycle

import pytest

from static_runtime.compiler.tuning.race import (
    BUDGET,
    FINAL,
    MARGIN,
    ROUNDS,
    Run,
    race,
)


def taking(*seconds: float, calls: list[int] | None = None) -> Run:
    """What takes given seconds a run, burst after burst, and notes how many ran."""
    each: Iterator[float] = cycle(seconds)

    def run(times: int) -> float:
        if calls is not None:
            calls.append(times)
        return next(each) * times

    return run


def test_the_fastest_wins():
    times = (1e-3, 1.1e-3, 0.5e-3, 0.7e-3)
    assert race([taking(each) for each in times]) == 2


def test_the_first_wins_a_tie():
    assert race([taking(1e-3)]) == 0
    assert race([taking(1e-3), taking(1e-3), taking(1e-3 * (1 - MARGIN / 2))]) == 0
    assert race([taking(1e-3), taking(1e-3 * (1 - 2 * MARGIN))]) == 1


def test_what_differs_from_round_to_round_must_win_by_more():
    steady = [taking(1e-3), taking(0.9e-3)]
    noisy = [taking(1e-3), taking(0.5e-3, 0.9e-3, 1.3e-3)]
    assert (race(steady), race(noisy)) == (1, 0)


def test_what_is_faster_only_when_it_is_slow_is_not():
    # In the median it takes less, and never less than the first at its best.
    first = taking(*[1e-3] * 9, 0.8e-3)
    assert race([first, taking(0.8e-3)]) == 0
    assert race([taking(1e-3), taking(0.8e-3)]) == 1


def test_what_is_clearly_slow_leaves():
    slow, close = list[int](), list[int]()
    race([taking(1e-3), taking(2e-3, calls=slow), taking(1.01e-3, calls=close)])
    assert len(slow) == 1 + 2
    assert len(close) == 1 + ROUNDS + FINAL


def test_the_best_of_many_must_prove_it():
    # It was lucky in the rounds with all, and is not faster in those with the first.
    lucky = taking(1e-3, *[0.85e-3] * ROUNDS, *[1e-3] * FINAL)
    assert race([taking(1e-3), lucky, taking(0.9e-3)]) == 2
    assert race([taking(1e-3), lucky, taking(1e-3)]) == 0


def test_a_short_run_is_repeated():
    calls: list[int] = []
    race([taking(1e-6, calls=calls), taking(1e-6)])
    assert calls[:2] == [1, 1]
    assert {*calls[2:]} == {2000}


@pytest.mark.parametrize("other", [1.0, 0.5])
def test_a_long_run_is_not_repeated_for_ever(other: float):
    calls: list[int] = []
    race([taking(BUDGET, calls=calls), taking(BUDGET * other)])
    # Twice to begin with, one round, and the least of the final.
    assert 3 <= len(calls) <= 3 + ROUNDS < 3 + FINAL


def test_a_clock_that_tells_nothing_changes_nothing():
    def still(_: int) -> float:
        return 0.0

    assert race([still, still, still]) == 0
