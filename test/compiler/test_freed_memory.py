"""Memory that a compilation freed goes back to the system."""

from __future__ import annotations

import platform

import numpy as np
import pytest

import static_runtime as sr
from static_runtime.compiler import compile as compiling
from static_runtime.compiler.freed_memory import give_back_freed_memory

from ..runtime.resident import resident_bytes

MODEL = """
func.func @model(%x: tensor<3xf32>) -> tensor<3xf32> {
  %0 = graph.neg %x : tensor<3xf32> -> tensor<3xf32>
  return %0 : tensor<3xf32>
}
"""

PIECES, BYTES = 500, 100_000
"""Pieces below the size from which glibc maps each by itself."""


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="of glibc alone")
def test_free_pages_go_back():
    pieces = [np.ones(BYTES, np.uint8) for _ in range(PIECES)]
    # The last one stays, and with it all that is before it in the heap.
    del pieces[:-1]
    before = resident_bytes()
    give_back_freed_memory()
    assert before - resident_bytes() > PIECES * BYTES // 2


def test_a_compilation_ends_with_it(monkeypatch: pytest.MonkeyPatch):
    calls: list[None] = []
    monkeypatch.setattr(compiling, "give_back_freed_memory", lambda: calls.append(None))
    sr.compile(MODEL, options=sr.Options(cache=False))
    assert calls == [None]
