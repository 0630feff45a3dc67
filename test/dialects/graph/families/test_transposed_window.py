"""The phases of a transposed window have each tap once, where it adds."""

from __future__ import annotations

from itertools import product

import pytest

from static_runtime.dialects.graph.families.transposed_window import TransposedWindow


def window(kernel: int, stride: int, dilation: int) -> TransposedWindow:
    """A window of one axis."""
    return TransposedWindow.of([kernel], [stride], [0, 0], [0], [dilation])


@pytest.mark.parametrize("dilation", [1, 2, 3, 4, 6])
def test_each_tap_adds_to_its_phase(dilation: int):
    for kernel, stride in product(range(1, 7), range(1, 9)):
        found = window(kernel, stride, dilation).phases(0)
        assert sum(len(each.taps) for each in found) == stride
        taps: dict[int, tuple[int, int]] = {}
        phase = 0
        for group in found:
            for row in group.taps:
                for at, tap in enumerate(row):
                    # Element i of the phase reads element i + offset - at * step.
                    taps[int(tap)] = phase, group.offset - at * group.step
                phase += 1
        assert taps == {
            tap: (tap * dilation % stride, -(tap * dilation // stride))
            for tap in range(kernel)
        }


def test_phases_without_taps_are_one_group():
    found = window(3, 1 << 40, 2).phases(0)
    assert [len(each.taps) for each in found] == [1, 1, 1, 1, 1, (1 << 40) - 5]
    assert [each.taps.size for each in found] == [1, 0, 1, 0, 1, 0]
