"""The machine is measured on one thread and several, for each size of memory once."""

from __future__ import annotations

import pytest

from static_runtime.compiler.profiling import limits
from static_runtime.compiler.profiling.limits import LARGEST, SMALLEST, Limits

pytestmark = pytest.mark.usefixtures("runs_host")


@pytest.mark.parametrize("threads", [1, 2])
def test_several_threads_are_measured(threads: int):
    found = Limits(threads)
    assert found.operations_a_second() > 0
    for size in (0, 1, 1 << 16):
        assert found.bytes_a_second(size) > 0


def test_sizes_are_rounded_up_and_measured_once(monkeypatch: pytest.MonkeyPatch):
    asked: list[tuple[int, int]] = []

    class Noted(Limits):
        """Notes what is measured, and measures nothing."""

        def __init__(self, threads: int = 1, largest: int = LARGEST):
            asked.append((threads, largest))

        def bytes_a_second(self, size: int) -> float:
            return float(size)

    monkeypatch.setattr(limits, "Limits", Noted)
    limits._bytes_a_second.cache_clear()  # pyright: ignore[reportPrivateUsage]
    sizes = (0.0, 17.5, SMALLEST, SMALLEST + 1, 4 * SMALLEST, LARGEST, 2.0**40)
    found = [limits.bytes_a_second(1, each) for each in sizes]
    assert found == [*[SMALLEST] * 3, *[4 * SMALLEST] * 2, *[LARGEST] * 2]
    assert asked == [(1, SMALLEST), (1, 4 * SMALLEST), (1, LARGEST)]
    limits.bytes_a_second(2, SMALLEST)
    assert asked[-1] == (2, SMALLEST)
    limits._bytes_a_second.cache_clear()  # pyright: ignore[reportPrivateUsage]
