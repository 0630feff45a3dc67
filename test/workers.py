"""Code that runs in a process of its own, which may neither hang nor be ended."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

WATCHDOG = 300
"""Seconds after which a process hangs; none here works for longer than a few."""


def run_apart(code: str, *arguments: str | Path) -> list[str]:
    """The lines that code prints; fails when it hangs, fails, or dies of a signal."""
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code, *map(str, arguments)],
        capture_output=True,
        text=True,
        timeout=WATCHDOG,
        check=False,
    )
    assert done.returncode == 0, f"ended with {done.returncode}: {done.stderr}"
    return done.stdout.splitlines()
