"""
The memory of activations: aligned blocks, and a limit for all of a process together.

A large block is mapped from the system, so that it goes back as soon as nobody has it,
and is made of huge pages where the system has them.
"""

from __future__ import annotations

import mmap
import os
import threading
from collections.abc import Callable
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass, field
from typing import Protocol, TypeAlias
from weakref import WeakSet, finalize

import numpy as np
import numpy.typing as npt

from ..abi import ALIGNMENT
from ..program import integer

Block: TypeAlias = npt.NDArray[np.uint8]

_MIN_MAPPED_BYTES = 1 << 17
"""Bytes from which on a block is mapped."""

_MIN_HUGE_PAGE_BYTES = 1 << 22
"""Bytes from which on a block asks for huge pages, as numpy's arrays do."""


class Releaser(Protocol):
    """What can give memory back that nobody uses at the moment."""

    def release(self) -> None:
        """Gives it back."""
        ...


class _Lock(AbstractContextManager[None]):
    """A lock that a thread may take again, and that is free in the child of a fork."""

    def __init__(self) -> None:
        """A lock that nobody has."""
        self._lock = threading.RLock()
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(after_in_child=self._renew)

    def __enter__(self) -> None:
        self._lock.acquire()

    def __exit__(self, *_: object) -> None:
        self._lock.release()

    def _renew(self) -> None:
        self._lock = threading.RLock()


LOCK = _Lock()
"""
Held while a block or a plan changes hands. It is one for the process, since a module
that needs memory has others give theirs back; a finalizer takes it in any thread.
"""


@dataclass
class _Budget:
    """The bytes of all blocks of the process, and how many they may be."""

    used: int = 0
    limit: int | None = None
    releasers: WeakSet[Releaser] = field(default_factory=WeakSet[Releaser])

    def take(self, size: int, what: Callable[[], str]) -> None:
        """Counts `size` bytes in, or raises `MemoryError`; the lock is held."""
        if self.is_over(size):
            for each in list(self.releasers):
                each.release()
        if self.is_over(size):
            raise MemoryError(
                f"expected at most {self.limit} bytes of activations in all modules "
                f"(set_memory_limit), got {self.used} in use and {size} for {what()}"
            )
        self.used += size

    def is_over(self, size: int) -> bool:
        """Whether `size` bytes more are beyond the limit."""
        return self.limit is not None and self.used + size > self.limit

    def give_back(self, size: int) -> None:
        """Counts `size` bytes out."""
        with LOCK:
            self.used -= size


_budget = _Budget()


def set_memory_limit(bytes: int | None) -> None:
    """
    Limits the bytes of activations of all modules in this process; None lifts it.

    A run that would need more gives back what other modules do not use at the moment,
    and raises `MemoryError` if that is not enough. Memory that is in use already stays.
    Raises `TypeError` for what is no integer, and `ValueError` for a negative limit.
    """
    if bytes is not None:
        bytes = integer(bytes, "a limit in bytes or None")
        if bytes < 0:
            raise ValueError(f"expected a limit of at least 0 bytes, got {bytes}")
    with LOCK:
        _budget.limit = bytes


def memory_in_use() -> int:
    """The bytes of activations that the modules of this process hold."""
    return _budget.used


def fits(size: int) -> bool:
    """Whether `size` bytes more are within the limit."""
    return not _budget.is_over(size)


def watch(releaser: Releaser) -> None:
    """Lets the memory of `releaser` be given back when the limit is reached."""
    _budget.releasers.add(releaser)


NO_BLOCK: Block = np.empty(0, np.uint8)
"""A block of no bytes."""


def aligned_block(size: int, what: Callable[[], str]) -> Block:
    """
    Memory of `size` bytes, which are not zero, at a multiple of the alignment.

    Raises `MemoryError`, which says that it was for `what()`, when there is none.
    """
    with LOCK:
        _budget.take(size, what)
    try:
        memory = _mapped(size) if size >= _MIN_MAPPED_BYTES else _small(size)
    except MemoryError as error:
        _budget.give_back(size)
        raise MemoryError(
            f"expected memory of {size} bytes for {what()}, got none"
        ) from error
    finalize(memory, _budget.give_back, size).atexit = False
    start = -memory.ctypes.data % ALIGNMENT
    return memory[start : start + size]


def _small(size: int) -> Block:
    return np.empty(size + ALIGNMENT, np.uint8)


def _mapped(size: int) -> Block:
    """Memory of this process alone, which begins at a page."""
    try:
        made = mmap.mmap(-1, size, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    except (OSError, OverflowError) as error:
        raise MemoryError(str(error)) from error
    huge: int | None = getattr(mmap, "MADV_HUGEPAGE", None)
    if huge is not None and size >= _MIN_HUGE_PAGE_BYTES:
        # A kernel without huge pages refuses.
        with suppress(OSError):
            made.madvise(huge)
    return np.frombuffer(made, np.uint8)
