"""
Memory to run the code of one contraction on, and how long a run takes.

Constants are in many copies, each used after all others: in a model they come from
memory as well, where those of other layers were used meanwhile. What changes is where
it was, as what the op before has just written.
"""

from __future__ import annotations

import ctypes
import time
from collections.abc import Sequence
from itertools import count
from typing import Any

import numpy as np
import numpy.typing as npt

from ...runtime import Cache
from ...runtime.machine import link_functions
from .race import Run
from .subject import Build, Operand

_UNCACHED_BYTES = 1 << 26
"""Bytes of constants that no cache holds: those read next are evicted by then."""

_COPIES = 64
"""Copies of constants at most."""

_MAX_CLOCK_RESOLUTION = 1e-6
"""Seconds that a clock of the processor must tell apart."""

ALIGNED = 64
"""Bytes that memory begins at a multiple of."""


def _clock() -> float:
    """Seconds: of this thread where they are told precisely, else of the day."""
    if time.get_clock_info("thread_time").resolution <= _MAX_CLOCK_RESOLUTION:
        return time.thread_time()
    return time.perf_counter()


class Scratch:
    """Memory for any of several builds of one contraction."""

    def __init__(self, builds: Sequence[Build]):
        """Memory that is enough for each of the builds: random floats, other zeros."""
        self.random = np.random.default_rng(0)
        # Panels of some widths have more columns than others.
        largest = [
            max(each, key=lambda operand: operand.count)
            for each in zip(*(build.operands for build in builds), strict=True)
        ]
        constants = [each for each in largest if each.region == "constants"]
        size = sum(each.count * each.dtype.itemsize for each in constants)
        copies = max(min(_UNCACHED_BYTES // max(size, 1), _COPIES), 1)
        self.arrays = [
            self.make(each, copies if each in constants else 1) for each in largest
        ]
        self.turns = count()
        self.libraries: list[Any] = []
        """The code of builds, which is there as long as it may run."""

    def make(self, operand: Operand, copies: int) -> npt.NDArray[Any]:
        """Rows of random numbers, one for each copy."""
        item = operand.dtype.itemsize
        apart = -(-operand.count * item // ALIGNED) * ALIGNED // item
        made = np.zeros(copies * apart + ALIGNED // item, operand.dtype)
        start = -made.ctypes.data % ALIGNED // item
        rows = made[start : start + copies * apart].reshape(copies, apart)
        if operand.dtype.kind == "f":
            rows[:] = self.random.random(apart, np.float32) * 2 - 1
        return rows

    def run(self, build: Build, cache: Cache | None) -> Run:
        """What runs a build on this memory, with one thread."""
        library = link_functions([build.object(cache)], [build.function])
        self.libraries.append(library)
        rest = [ctypes.c_int64(0), ctypes.c_int64(1)] if build.is_shared else []
        calls = [
            [
                *(
                    ctypes.c_void_p(rows[turn % len(rows)].ctypes.data)
                    for rows in self.arrays
                ),
                *rest,
            ]
            for turn in range(max(map(len, self.arrays)))
        ]
        types = [type(each) for each in calls[0]]
        function = ctypes.CFUNCTYPE(None, *types)(library[build.function])

        def run(times: int) -> float:
            chosen = [calls[next(self.turns) % len(calls)] for _ in range(times)]
            start = _clock()
            for arguments in chosen:
                function(*arguments)
            return _clock() - start

        return run
