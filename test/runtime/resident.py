"""How much memory this process has."""

from __future__ import annotations

import ctypes
import gc
import resource
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

STATM = Path("/proc/self/statm")


def resident_bytes() -> int:
    """Bytes of this process in memory now; the most there ever were, off Linux."""
    if STATM.exists():
        return int(STATM.read_text().split()[1]) * resource.getpagesize()
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024


class MallocInfo(ctypes.Structure):
    """`struct mallinfo2` of glibc."""

    _fields_ = tuple(
        (name, ctypes.c_size_t)
        for name in (
            *("arena", "ordblks", "smblks", "hblks", "hblkhd"),
            *("usmblks", "fsmblks", "uordblks", "fordblks", "keepcost"),
        )
    )


def allocated_bytes() -> int:
    """Bytes that malloc gave this thread and were not freed, without what is mapped."""
    ask = getattr(ctypes.CDLL(None), "mallinfo2", None)
    if ask is None:
        pytest.skip("no mallinfo2 in this system's C library")
    ask.restype = MallocInfo
    return ask().uordblks


def growth(times: int, call: Callable[[], Any]) -> float:
    """
    The bytes of malloc that each of a number of calls leaves behind, in the median of
    three rounds, since what is kept for a while comes and goes at any time.
    """
    rounds: list[float] = []
    for _ in range(3):
        gc.collect()
        before = allocated_bytes()
        for _ in range(times):
            call()
        gc.collect()
        rounds.append((allocated_bytes() - before) / times)
    return sorted(rounds)[1]
