"""Records of any sizes are stacked in orders that were found for others."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from static_runtime.runtime.planning import (
    Record,
    lower_bound,
    order_of,
    plan,
    plan_in_order,
)

RANDOM = np.random.default_rng(0)


def records(count: int) -> list[Record]:
    """Records at random."""
    firsts = RANDOM.integers(0, count, count)
    lasts = firsts + RANDOM.integers(0, 6, count)
    sizes = RANDOM.integers(0, 40, count) * 64
    return [Record(*map(int, each)) for each in zip(sizes, firsts, lasts, strict=True)]


@pytest.mark.parametrize("count", [0, 1, 2, 10, 60])
def test_sizes_in_one_ratio_need_no_more_than_the_plan_of_the_order(count: int):
    for _ in range(20):
        known = records(count)
        made = plan(known)
        order = order_of(made.offsets)
        assert sorted(order) == [*range(count)]
        for factor in (0, 1, 2, 1000):
            scaled = [replace(each, size=factor * each.size) for each in known]
            again = plan_in_order(scaled, [order])
            assert again.size <= factor * made.size
            assert again.lower_bound == lower_bound(scaled)


def test_records_that_no_order_suits_are_ordered_anew():
    # Every other record was united with the next: a staircase in the order of before.
    known = [Record(64 * (at % 2), 2 * at, 2 * at + 2) for at in range(100)]
    order = sorted(range(100), key=lambda i: i % 2)
    made = plan_in_order(known, [order])
    assert made.size == made.lower_bound == 64
    known = [Record(64, 0, 1), Record(640, 1, 2), Record(64, 2, 3), Record(64, 0, 3)]
    for orders in ([(0, 1, 2, 3)], [(3, 1, 0, 2)], [(0, 1, 2, 3), (3, 1, 0, 2)]):
        made = plan_in_order(known, orders)
        assert made.size == made.lower_bound == 768


def test_many_records_that_live_long_are_stacked_at_once():
    # A record is compared with the others, however many steps it lives.
    known = [Record(64 + 64 * (at % 3), at, 2500 + at) for at in range(2500)]
    made = plan_in_order(known, [range(2500)], 64)
    assert made.size == made.lower_bound == sum(each.size for each in known)
    assert made.offsets[:4] == (0, 64, 192, 384)


def test_sizes_are_rounded_up():
    made = plan_in_order([Record(1, 0, 1), Record(65, 1, 2)], [(0, 1)], 64)
    assert made.offsets == (0, 64)
    assert made.size == made.lower_bound == 192


def test_a_record_may_be_a_tuple():
    made = plan([(100, 0, 1), (50, 1, 2), (100, 2, 3)], alignment=1)
    assert made.size == made.lower_bound == 150
    assert made.offsets[0] == made.offsets[2]
