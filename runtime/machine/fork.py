"""
`unforked`: blocks that a fork by another thread does not cut in two.

A child of a fork has one thread, which is that which forked. What the others were
changing is left half done in it, and what locks they held nobody lets go of. So a fork
waits until no other thread is in such a block, nor in LLVM by way of llvmlite's lock:
for the one call that each is in, since no block is begun meanwhile. A thread that does
not come out ends the waiting after `_FORK_TIMEOUT`; then LLVM may be torn in the child,
where `check_whole` says so at once. Locks that are held for long are no part of this,
but made new in the child.
"""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

_FORK_TIMEOUT = 10.0
"""Seconds that a fork waits for other threads."""

TORN = (
    "expected a process that was forked while no other thread compiled, got one that "
    "was forked within a call of LLVM; compile before forking, or start it by spawn"
)


@dataclass
class _Fork:
    """A fork that is under way."""

    is_clean: bool = False
    """Whether no other thread is in a block, nor in LLVM."""

    held: Any = None
    """The lock that keeps others out of LLVM."""


class ForkGate:
    """Lets a fork wait for threads that are in a block, and these wait for a fork."""

    def __init__(self) -> None:
        """A gate that is open, with nobody inside."""
        # Taken by `with`: a condition's own methods, in Python, are where a handler of
        # a signal may raise that leaves it taken.
        self.lock = threading.RLock()
        self.condition = threading.Condition(self.lock)
        self.inside: dict[int, int] = {}
        """How many blocks each thread is in, one within the other."""
        self.forking: dict[int, _Fork] = {}
        """What is known of the fork that each of these threads makes."""
        self.is_torn = False

    def enter(self) -> None:
        """Begins a block, when no other thread forks."""
        thread = threading.get_ident()
        with self.lock:
            while self.forking and thread not in {**self.inside, **self.forking}:
                self.condition.wait()
            self.inside[thread] = self.inside.get(thread, 0) + 1

    def leave(self) -> None:
        """Ends a block."""
        thread = threading.get_ident()
        with self.lock:
            self.inside[thread] -= 1
            if not self.inside[thread]:
                del self.inside[thread]
            self.condition.notify_all()

    def close(self) -> None:
        """Waits until no other thread is inside, and lets none in."""
        thread = threading.get_ident()
        with self.lock:
            fork = self.forking[thread] = _Fork()
            if not self.condition.wait_for(
                lambda: self.inside.keys() <= {thread}, _FORK_TIMEOUT
            ):
                return
        lock = _llvm_lock()
        if lock is not None:
            if not lock._lock.acquire(timeout=_FORK_TIMEOUT):
                return
            fork.held = lock._lock
        fork.is_clean = True

    def open(self) -> None:
        """Lets others in again, in the parent."""
        with self.lock:
            fork = self.forking.pop(threading.get_ident())
            if fork.held is not None:
                fork.held.release()
            self.condition.notify_all()

    def renew(self) -> None:
        """Opens the gate in the child, where nobody else is inside."""
        thread = threading.get_ident()
        fork, depth = self.forking[thread], self.inside.get(thread)
        is_torn = self.is_torn or not fork.is_clean
        self.__init__()
        self.is_torn = is_torn
        if depth is not None:
            self.inside[thread] = depth
        if fork.held is not None:
            fork.held.release()
        lock = _llvm_lock()
        if is_torn and lock is not None:
            # What is freed takes the lock, and would wait for a thread that is not.
            lock._lock = threading.RLock()


def _llvm_lock() -> Any:
    """The lock around every call of llvmlite, if it was imported and has one."""
    library = getattr(sys.modules.get("llvmlite.binding.ffi"), "lib", None)
    lock = getattr(library, "_lock", None)
    return lock if hasattr(lock, "_lock") else None


_GATE = ForkGate()


LLVM_LOCK = threading.Lock()
"""LLVM's global state is set up by one thread."""


@contextmanager
def unforked() -> Generator[None]:
    """A block during which no other thread forks this process."""
    _GATE.enter()
    try:
        yield
    finally:
        _GATE.leave()


def check_whole() -> None:
    """Raises `RuntimeError` in a child in which LLVM cannot be used."""
    if _GATE.is_torn:
        raise RuntimeError(TORN)


if hasattr(os, "register_at_fork"):
    os.register_at_fork(
        before=_GATE.close, after_in_parent=_GATE.open, after_in_child=_GATE.renew
    )
