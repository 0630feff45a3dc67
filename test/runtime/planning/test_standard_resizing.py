"""Storage groups of a module record their largest size, and only grow."""

from __future__ import annotations

import random
from copy import copy

from static_runtime.runtime.planning import PLANNERS, Record, plan, plan_lasting
from static_runtime.runtime.planning.standard_resizing import StandardResizing


def chain(*sizes: int) -> list[Record]:
    """Values one after the other, each alive until the next."""
    return [Record(size, op, op + 1) for op, size in enumerate(sizes)]


def test_the_first_sizes_are_placed_as_by_storage_groups():
    records = chain(16, 8, 64, 32, 8)
    assert plan_lasting(records, StandardResizing(), 1) == plan(
        records, "storage-groups", 1
    )


def test_groups_grow_by_what_they_lack():
    planner = StandardResizing()
    assert plan_lasting(chain(16, 8, 64), planner, 1).offsets == (0, 64, 0)
    assert (planner.size, planner.version) == (72, 1)
    made = plan_lasting(chain(8, 32, 16), planner, 1)
    assert (made.offsets, made.size, made.lower_bound) == ((0, 64, 0), 96, 48)
    assert planner.version == 2


def test_what_fits_changes_nothing():
    planner = StandardResizing()
    large = plan_lasting(chain(16, 32, 64), planner, 1)
    small = plan_lasting(chain(8, 4, 16), planner, 1)
    assert (small.offsets, small.size) == (large.offsets, large.size)
    assert planner.version == 1


def test_a_copy_is_what_it_was():
    planner = StandardResizing()
    planner(chain(16, 8))
    before = copy(planner)
    planner(chain(64, 64))
    assert (before.size, before.version, planner.size) == (24, 1, 128)


def test_random_series_hold_and_never_shrink():
    made = random.Random(0)
    lives = [(at, at + made.randrange(6)) for at in range(40)]
    planner, size = StandardResizing(), 0
    for _ in range(50):
        records = [Record(made.randrange(500), *each) for each in lives]
        # Plans are verified where they are made.
        found = plan_lasting(records, planner)
        assert found.size >= max(size, plan(records, "storage-groups").size)
        size = found.size


def test_it_is_a_planner_of_the_table():
    records = chain(16, 8, 64, 32, 8)
    assert [*PLANNERS["standard_resizing"](records)] == [0, 64, 0, 64, 0]
