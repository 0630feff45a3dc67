"""Threads that call, change, compile, drop and fork at once end no process."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent


def race(seed: int, turns: int) -> dict[str, int]:
    """What a process of its own counted, which must end well."""
    done = subprocess.run(
        [sys.executable, str(HERE), "--race", f"{seed}", "--count", f"{turns}"],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONFAULTHANDLER": "1"},
        check=False,
    )
    assert done.returncode == 0, done.stderr[-4000:]
    counts: dict[str, int] = json.loads(done.stdout)
    return counts


@pytest.mark.full(
    beside="runtime/call/test_module_threads.py::test_threads_with_batches_of_their_own"
)
@pytest.mark.usefixtures("runs_host")
def test_threads_at_once():
    counts = race(0, 400)
    assert counts["calls"] == 4 * 400
    assert counts["look-ups"] == 3 * 400
    assert counts["compiles"]
    assert counts["forks"]


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(1, 21))
def test_threads_at_once_for_long(seed: int):
    assert race(seed, 20_000)["calls"] == 80_000
