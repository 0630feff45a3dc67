"""
The threads of the process, which run the parts of a kernel side by side.

    void sr_fork(state, function, arguments, parts)

runs `function(arguments, part, parts)` for each part, and returns when all are done.
The caller runs the first, then what no worker has taken: so it waits for nobody who is
late, on a machine that is busy. Workers are Python's threads, which run compiled code
and never hold the GIL there. They wait for a call by spinning for some microseconds,
then sleep on a futex; a call wakes them. All modules share one pool: who finds it busy
runs all parts alone. What a part computes does not depend on who runs it.

There are as many threads as the process may use, by its affinity and by the quota of
its control group, or fewer when the system refuses one. After a fork the child has
workers of its own. On a system without futexes there are none, and every call runs all
parts itself.
"""

from __future__ import annotations

import atexit
import ctypes
import os
import platform
import sys
import threading
from functools import cache
from pathlib import Path

import numpy as np

from ..abi import ALIGNMENT, EVERYONE, FUTEX, WAKE, PoolState, aligned
from .code import link_functions
from .host import get_host

_PREBUILT = Path(__file__).parents[1]
"""Where the object of the pool is, in a folder that was built to need no LLVM."""


def object_name(machine: str) -> str:
    """The name of the file of the pool's object for a machine."""
    return f"thread_pool.{machine}.o"


def _pool_object() -> bytes:
    """The functions of the pool for this machine."""
    machine = platform.machine()
    try:
        return (_PREBUILT / object_name(machine)).read_bytes()
    except FileNotFoundError:
        # LLVM, which a pool needs where it was not built before.
        from .llvm_text import pool_object

        return pool_object(machine)


def usable_threads() -> int:
    """How many threads this process may run at once."""
    return get_host().threads


def is_supported() -> bool:
    """Whether this system has what the workers wait with."""
    return sys.platform == "linux" and platform.machine() in FUTEX


class ThreadPool:
    """The workers of this process, which are started when they are first needed."""

    def __init__(self) -> None:
        """A pool without workers."""
        self.library = link_functions([_pool_object()], ("sr_work", "sr_fork"))
        self.fork = self.library["sr_fork"]
        self.work = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(self.library["sr_work"])
        self.state = np.zeros(PoolState.SIZE + ALIGNMENT, np.uint8)
        self.address = aligned(self.state.ctypes.data)
        self.threads: list[threading.Thread] = []
        self.lock = threading.Lock()
        os.register_at_fork(after_in_child=self.start_again)
        atexit.register(self.stop)

    def int32(self, offset: int) -> ctypes.c_int32:
        """A number of the state."""
        return ctypes.c_int32.from_address(self.address + offset)

    def grow(self, threads: int) -> None:
        """
        Starts workers until there are `threads` threads, counting the caller; fewer if
        the system refuses one.
        """
        with self.lock:
            for number in range(len(self.threads) + 1, min(threads, PoolState.MOST)):
                worker = threading.Thread(
                    target=self.work,
                    args=(self.address,),
                    name=f"static_runtime-{number}",
                    daemon=True,
                )
                try:
                    worker.start()
                except RuntimeError:
                    return
                self.threads.append(worker)
                self.int32(PoolState.WORKERS).value = len(self.threads)

    def start_again(self) -> None:
        """Starts workers in the child of a fork, which has none."""
        count, self.threads, self.lock = len(self.threads), [], threading.Lock()
        self.state[:] = 0
        self.grow(count + 1 if count else 0)

    def stop(self) -> None:
        """Ends the workers, and waits for them."""
        self.int32(PoolState.WORKERS).value = 0
        self.int32(PoolState.STOP).value = 1
        self.int32(PoolState.CALLS).value += 1
        if self.threads:
            _wake(self.address + PoolState.CALLS)
        for each in self.threads:
            each.join(1)
        self.threads.clear()


def _wake(address: int) -> None:
    """Wakes all who sleep on a number."""
    library = ctypes.CDLL(None)
    library.syscall(
        ctypes.c_long(FUTEX[platform.machine()]),
        ctypes.c_void_p(address),
        ctypes.c_long(WAKE),
        ctypes.c_int(EVERYONE),
    )


@cache
def thread_pool() -> ThreadPool:
    """The pool of this process; raises `OSError` on a system that has none."""
    if not is_supported():
        raise OSError(f"expected Linux, got {sys.platform} {platform.machine()}")
    return ThreadPool()
