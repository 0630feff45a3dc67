"""A handler that raises, wherever it comes, leaves the lock of llvmlite free."""

from __future__ import annotations

import sys
import threading
from types import FrameType
from typing import Any

import pytest
from llvmlite import binding

from static_runtime.lowering import llvm_to_object

LOCK: Any = binding.ffi.lib._lock  # pyright: ignore[reportPrivateUsage]


class Interrupted(BaseException):
    """What a handler of a signal raises."""


def is_free() -> bool:
    """Whether another thread gets the lock."""
    found: list[bool] = []

    def take() -> None:
        found.append(LOCK._lock.acquire(timeout=1))
        if found[0]:
            LOCK._lock.release()

    thread = threading.Thread(target=take)
    thread.start()
    thread.join()
    return found[0]


def interrupted_at(place: int) -> bool:
    """
    Whether a call of LLVM ended early that is interrupted at this place of it: where
    Python enters a function, or comes back from one in C, as it runs handlers there.
    """
    left = place

    def count(frame: FrameType, event: str, argument: Any) -> None:
        nonlocal left
        if event in ("call", "c_return"):
            left -= 1
            if left == -1:
                sys.setprofile(None)
                raise Interrupted

    try:
        sys.setprofile(count)
        binding.initialize_all_targets()
    except Interrupted:
        return left == -1
    finally:
        sys.setprofile(None)
    return False


def test_an_interruption_anywhere_leaves_the_lock_free():
    assert llvm_to_object.PASSES
    places = 0
    while interrupted_at(places):
        assert is_free(), f"at place {places}"
        places += 1
    assert places > 5


def test_the_lock_is_held_within_a_call_and_by_one_thread():
    with LOCK:
        assert not is_free()
        with LOCK:
            assert not is_free()
        assert not is_free()
    assert is_free()


def test_what_others_registered_is_called_still():
    seen: list[str] = []
    binding.ffi.register_lock_callback(
        take := lambda: seen.append("taken"), give := lambda: seen.append("given")
    )
    try:
        binding.initialize_all_targets()
    finally:
        binding.ffi.unregister_lock_callback(take, give)
    assert seen[:2] == ["taken", "given"]
    assert is_free()


def test_a_lock_that_is_made_otherwise_stays(monkeypatch: pytest.MonkeyPatch):
    class Other:
        """A lock of another llvmlite."""

    other = Other()
    monkeypatch.setattr(binding.ffi.lib, "_lock", other)
    llvm_to_object.guard_lock()
    assert type(other) is Other
