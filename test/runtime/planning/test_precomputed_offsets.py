"""Offsets that were placed for some sizes are kept by all that fit."""

from __future__ import annotations

import random
from copy import copy

from static_runtime.runtime.planning import Record, plan, plan_lasting
from static_runtime.runtime.planning.precomputed_offsets import PrecomputedOffsets


def chain(*sizes: int) -> list[Record]:
    """Values one after the other, each alive until the next."""
    return [Record(size, op, op + 1) for op, size in enumerate(sizes)]


def test_the_first_sizes_are_placed_by_size():
    records = chain(16, 8, 64, 32, 8)
    assert plan_lasting(records, PrecomputedOffsets(), 1) == plan(
        records, "greedy-by-size", 1
    )


def test_smaller_sizes_keep_the_offsets():
    planner = PrecomputedOffsets()
    large = plan_lasting(chain(16, 8, 64), planner, 1)
    small = plan_lasting(chain(16, 8, 1), planner, 1)
    assert (small.offsets, small.size) == (large.offsets, large.size)
    assert (small.lower_bound, planner.version) == (24, 1)


def test_a_greater_size_is_placed_anew_with_the_greatest_of_each():
    planner = PrecomputedOffsets()
    planner(chain(16, 8, 64))
    made = plan_lasting(chain(8, 32, 16), planner, 1)
    assert made.offsets == plan(chain(16, 32, 64), "greedy-by-size", 1).offsets
    assert (made.size, planner.version) == (96, 2)
    # All that was met before fits.
    assert planner(chain(16, 8, 64)) == [*made.offsets]
    assert planner.version == 2


def test_other_lives_have_other_offsets():
    planner = PrecomputedOffsets()
    planner(chain(64, 64))
    at_once = [Record(8, 0, 3), Record(8, 0, 3), Record(8, 1, 2)]
    made = plan_lasting(at_once, planner, 1)
    assert (made.size, made.lower_bound) == (24, 24)
    assert plan_lasting(chain(64, 64), planner, 1).size == 128


def test_a_copy_is_what_it_was():
    planner = PrecomputedOffsets()
    planner(chain(16, 8))
    before = copy(planner)
    planner(chain(64, 64))
    assert plan_lasting(chain(16, 8), before, 1).size == 24
    assert plan_lasting(chain(16, 8), planner, 1).size == 128


def test_random_series_hold():
    made = random.Random(1)
    planner = PrecomputedOffsets()
    for _ in range(100):
        lives = [(at, at + made.randrange(3)) for at in range(9)]
        records = [Record(made.randrange(500), *each) for each in lives]
        # Plans are verified where they are made.
        assert plan_lasting(records, planner).size >= plan(records, "naive").size / 9
