"""Models that are compiled with quick code first, and a hold of their full compiles."""

from __future__ import annotations

import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import Any

import numpy as np
import pytest

import static_runtime as sr
from static_runtime.compiler.fast_start import Rest

PATIENCE = 300
"""Seconds after which what must happen is taken for never."""

QUICK = sr.Options(tier="fast-start")

MODEL = """
func.func @model(%x: tensor<?x40xf32, ["n"]>, %w: tensor<40x40xf32>)
    -> tensor<?x40xf32, ["n"]> {
  %0 = graph.matmul %x, %w : tensor<?x40xf32, ["n"]>, tensor<40x40xf32>
    -> tensor<?x40xf32, ["n"]>
  %1 = graph.softmax %0 {axis = 1 : i64}
    : tensor<?x40xf32, ["n"]> -> tensor<?x40xf32, ["n"]>
  return %1 : tensor<?x40xf32, ["n"]>
}
"""
"""A product and a softmax, of rows whose number a run knows."""

W = np.random.default_rng(0).standard_normal((40, 40)).astype(np.float32)


def rows(count: int) -> Any:
    """Numbers for a batch."""
    return np.random.default_rng(count).standard_normal((count, 40)).astype(np.float32)


@contextmanager
def held() -> Generator[threading.Event]:
    """Lets full compiles wait for an event, which they have at the end."""
    event, finish = threading.Event(), Rest.finish

    def hold(self: Rest, go_on: Callable[[], None]) -> Any:
        assert event.wait(PATIENCE)
        return finish(self, go_on)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Rest, "finish", hold)
        yield event
        event.set()
        join()


def join() -> None:
    """Waits for the threads of full compiles."""
    for each in threading.enumerate():
        if each.name == "static_runtime-fast-start":
            each.join(PATIENCE)
            assert not each.is_alive()


def tier(module: Any) -> str:
    """Which code answers, as everything that says so agrees."""
    found = module.report.tier
    assert (module.aside is not None) == (found == "fast-start")
    assert ("by fast-start code" in repr(module)) == (found == "fast-start")
    return found
