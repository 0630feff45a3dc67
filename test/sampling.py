"""
Which cases a run of the tests has: `make test` those of a quick gate, `make test-rest`
what it leaves out, `make test-all` both.

    @pytest.mark.sampled           each value of each parameter; of three parameters and
                                   more each two values of two parameters together
    @pytest.mark.sampled(times=2)  that, and once more of the cases that are left
    @pytest.mark.sampled(together=1)  each value of each parameter, however many those
                                   are: where what is tested reads them apart
    @pytest.mark.sampled(every=3)  one case of three: of numbers of random models, of
                                   cases that another test has all of, and of a table
                                   with several cases for each kind
    @pytest.mark.sampled(every=3, start=1)  that, from the second on, where the first
                                   takes long
    @pytest.mark.full(beside="test_of_the_quick_gate")
                                   none: the test named, or "runtime/test_x.py::test_y",
                                   runs the code that this one does, and takes less

The rule: whatever the code tells apart has a case in the quick gate: each op, each
refusal, each pass, each form of an option, each bug that was mended. What it treats
alike (sizes of one kind, targets with one layout, more seeds, more models, more options
beside each other) has one or two there, and the rest has the mark `full`. A loop within
a test is sampled by a parameter that says which part of it a case has.

What is left out runs before a change lands (`.ci/run`). The sample depends on the order
of the cases alone, so it is the same in every run and on every machine.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from itertools import combinations
from typing import Any

import pytest

Values = tuple[int, ...]
"""The number of the value that each parameter has in a case."""


def mark_what_is_left_out(items: Sequence[pytest.Item]) -> None:
    """Gives the mark `full` to cases that the samples of their tests leave out."""
    tests: dict[str, list[pytest.Function]] = {}
    for item in items:
        if isinstance(item, pytest.Function) and item.get_closest_marker("sampled"):
            tests.setdefault(item.nodeid.split("[")[0], []).append(item)
    for cases in tests.values():
        mark = cases[0].get_closest_marker("sampled")
        assert mark is not None
        values = [each.callspec.params for each in cases]
        kept = sample(values, **mark.kwargs)
        for at, each in enumerate(cases):
            if at not in kept:
                each.add_marker("full")


def sample(
    cases: Sequence[Mapping[str, Any]],
    times: int = 1,
    every: int | None = None,
    start: int = 0,
    together: int | None = None,
) -> set[int]:
    """The numbers of the cases that a sample has, by the values of their parameters."""
    if every is not None:
        return {*range(start, len(cases), every)}
    columns = [_numbers([each[name] for each in cases]) for name in cases[0]]
    # Parameters that always have one value together are one.
    apart = [*zip(*dict.fromkeys(columns), strict=True)]
    return cover(apart, times, together)


def _numbers(values: Sequence[Any]) -> tuple[int, ...]:
    """Values as numbers, by the order in which they come first."""
    known: dict[Any, int] = {}
    keys = [each if isinstance(each, Hashable) else id(each) for each in values]
    return tuple(known.setdefault(each, len(known)) for each in keys)


def cover(
    cases: Sequence[Values], times: int = 1, together: int | None = None
) -> set[int]:
    """
    The numbers of few cases that have all that any has, some times over: values of a
    parameter, or of two `together`, as by default where there are three or more.
    """
    if together is None:
        together = 1 if len(cases[0]) < 3 else 2
    chosen = set[int]()
    for _ in range(times):
        chosen |= _covering(cases, {*range(len(cases))} - chosen, together)
    return chosen


def _covering(cases: Sequence[Values], left: set[int], together: int) -> set[int]:
    """The numbers of few of the cases that are left which have all that these have."""
    found = {at: _together(cases[at], together) for at in sorted(left)}
    missing = set[object]().union(*found.values())
    chosen = set[int]()
    while missing:
        # The first of the best, so that order alone decides.
        best = max(found, key=lambda at: len(found[at] & missing))
        chosen.add(best)
        missing -= found[best]
    return chosen


def _together(case: Values, count: int) -> set[object]:
    """Each `count` values of a case."""
    return {*combinations(enumerate(case), count)}
