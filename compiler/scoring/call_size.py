"""`rows_of_call`: how many rows a call has whose activations stay in a cache."""

from __future__ import annotations

from functools import lru_cache

from ...runtime.call import StaticModule
from ...runtime.machine import get_host

_SECOND_CACHE = 1024
"""KiB of a second cache where the machine does not say."""


@lru_cache(maxsize=8)  # it keeps modules alive, as `Carried` does
def rows_of_call(module: StaticModule, most: int) -> int:
    """
    Rows of a call of a module of rows, `most` or fewer, at least one.

    A call computes one op for all its rows, then the next: with more activations than
    the second cache holds, each op fetches from memory what the one before it wrote.
    But each call reads the constants anew, so rows are only taken away while they have
    more bytes of activations than all constants. They are as many as asked for where
    the memory of a call is not known, as that of a module that runs references, and no
    fewer than the model takes.
    """
    symbol = str(module.program.inputs[0].shape[0])
    _, cache = get_host().caches
    found = rows = most
    while True:
        try:
            memory = module.memory_report(**{symbol: rows})
        except ValueError:
            return found
        found, bytes = rows, max((cache or _SECOND_CACHE) << 10, memory.constants)
        if rows == 1 or memory.activations <= bytes:
            return found
        rows = (rows + 1) // 2
