"""Rows that evict each other from the first cache, and when packing them pays."""

from __future__ import annotations

import pytest

from static_runtime.compiler.cost.collisions import panels_that_pay
from static_runtime.dialects import Dim, dim
from static_runtime.dialects.loop import TargetAttr


@pytest.mark.parametrize(
    ("pitch", "with_8_ways", "with_12_ways"),
    [
        (4096, 4, None),
        (3 * 4096, 4, None),
        (2048, None, None),
        (3 * 2048, None, None),
        (1024, None, None),
        (4096 + 64, None, None),
        (4032, None, None),
    ],
)
def test_ways_decide(pitch: int, with_8_ways: int | None, with_12_ways: int | None):
    found = [
        panels_that_pay(
            pitch, 12, TargetAttr.of("x86-64-v4", 512, 32, True, caches=(l1, 1024))
        )
        for l1 in (32, 48)
    ]
    assert found == [with_8_ways, with_12_ways]


def test_few_rows_fit_a_set():
    target = TargetAttr.of("x86-64-v3", 256, 16, True)
    assert panels_that_pay(4096, 6, target) == 16


@pytest.mark.parametrize("pitch", [dim("4 * n"), None])
def test_a_pitch_that_only_the_run_knows_may_collide(pitch: Dim | None):
    target = TargetAttr.of("x86-64-v3", 256, 16, True)
    assert panels_that_pay(pitch, 6, target) == 16


def test_no_pitch_collides_where_a_set_has_a_line_for_each_row():
    target = TargetAttr.of("x86-64-v4", 512, 32, True, caches=(48, 1024))
    assert panels_that_pay(dim("4 * n"), 12, target) is None
    assert panels_that_pay(None, 12, target) == 16
