"""Rows that evict each other from the first cache."""

from __future__ import annotations

import pytest

from static_runtime.compiler.cost.collisions import rows_collide
from static_runtime.dialects import dim
from static_runtime.dialects.loop import TargetAttr


@pytest.mark.parametrize(
    ("pitch", "with_8_ways", "with_12_ways"),
    [
        (4096, True, True),
        (3 * 4096, True, True),
        (2048, True, False),
        (3 * 2048, True, False),
        (1024, False, False),
        (4096 + 64, False, False),
        (4032, False, False),
    ],
)
def test_ways_decide(pitch: int, with_8_ways: bool, with_12_ways: bool) -> None:
    found = [
        rows_collide(
            pitch, TargetAttr.of("x86-64-v4", 512, 32, True, caches=(l1, 1024))
        )
        for l1 in (32, 48)
    ]
    assert found == [with_8_ways, with_12_ways]


def test_a_pitch_that_only_the_run_knows_may_collide() -> None:
    target = TargetAttr.of("x86-64-v3", 256, 16, True)
    assert rows_collide(dim("4 * n"), target)
