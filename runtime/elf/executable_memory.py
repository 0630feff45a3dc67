"""Memory for code: written first, then read and executed, never both."""

from __future__ import annotations

import ctypes
import mmap
import os
from functools import cache
from typing import Any
from weakref import finalize

from .object_file import ObjectError

_WRITTEN = mmap.PROT_READ | mmap.PROT_WRITE
_EXECUTED = mmap.PROT_READ | mmap.PROT_EXEC
_FAILED = ctypes.c_void_p(-1).value


def rounded(size: int) -> int:
    """The size in whole pages."""
    return -(-size // mmap.PAGESIZE) * mmap.PAGESIZE


@cache
def _c() -> ctypes.CDLL:
    """The C library, with the types of what is called here."""
    library = ctypes.CDLL(None, use_errno=True)
    address, size, number = ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int
    library.mmap.restype = address
    library.mmap.argtypes = [address, size, number, number, number, ctypes.c_long]
    library.mprotect.argtypes = [address, size, number]
    library.munmap.argtypes = [address, size]
    return library


class Memory:
    """
    Whole pages, given back when nobody holds them any more, but not when Python ends:
    threads may still run then.
    """

    def __init__(self, size: int) -> None:
        """Zeros, which can be written; raises `MemoryError` where there is no room."""
        self.size = size
        # MAP_PRIVATE: a child of a fork has pages of its own.
        flags = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS
        self.address: int = _c().mmap(None, size, _WRITTEN, flags, -1, 0)
        if self.address == _FAILED:
            raise MemoryError(f"expected {size} bytes for code, got none")
        finalize(self, _c().munmap, self.address, size).atexit = False

    def fill(self, data: bytearray, code: int) -> None:
        """
        Writes all of it, then lets the first `code` bytes be executed, the others be
        read, and none be written. Raises `ObjectError` where the system refuses that.
        """
        assert len(data) == self.size, "an image has the size of its memory"
        ctypes.memmove(self.address, bytes(data), self.size)
        self._protect(0, code, _EXECUTED)
        self._protect(code, self.size, mmap.PROT_READ)
        if (flush := _flush()) is not None:
            flush(self.address, self.address + code)

    def _protect(self, start: int, end: int, allowed: int) -> None:
        """Says what a part of it is for."""
        if start < end and _c().mprotect(self.address + start, end - start, allowed):
            reason = os.strerror(ctypes.get_errno())
            raise ObjectError(
                f"expected memory that can be executed, got {reason}; allow this "
                "process to execute memory that it has written"
            )


@cache
def _flush() -> Any:
    """
    What makes a processor forget instructions that were at an address: a function of
    the C compiler's library. Linux does that too where it lets a page be executed.
    """
    try:
        found = ctypes.CDLL("libgcc_s.so.1")["__clear_cache"]
    except (OSError, AttributeError):
        return None
    found.argtypes, found.restype = [ctypes.c_void_p, ctypes.c_void_p], None
    return found
