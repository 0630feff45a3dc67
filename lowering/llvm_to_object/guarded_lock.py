"""
The lock of llvmlite, such that nobody who is interrupted keeps it.

llvmlite takes and releases its lock in methods in Python. A handler of a signal that
raises there, as that of Ctrl-C does, leaves the lock taken: every other thread that
comes to LLVM then waits for ever, and who joins it. Python runs no handler between
taking a lock of its own and entering the block of a `with`; so that lock is taken in
place of the methods, unless somebody has registered what these are to call besides.
"""

from __future__ import annotations

from functools import partial
from typing import Any

from llvmlite import binding


def _found(kind: Any, method: str) -> Any:
    """What `with` finds as a method: that of Python's own lock, or llvmlite's."""

    own: Any = getattr(kind, method)

    def found(lock: Any) -> Any:
        return partial(own, lock) if lock._cblist else getattr(lock._lock, method)

    return property(found)


def guard_lock() -> None:
    """Changes how the lock is taken, where llvmlite has one that is made like this."""
    lock: Any = getattr(binding.ffi.lib, "_lock", None)
    kind: Any = lock.__class__
    if kind.__name__ != "_LLVMLock" or {*vars(lock)} != {"_lock", "_cblist"}:
        return
    methods = {each: _found(kind, each) for each in ("__enter__", "__exit__")}
    lock.__class__ = type("_GuardedLock", (kind,), methods)
