"""The function that places slots does what the planner in Python does."""

from __future__ import annotations

import ctypes
from functools import cache
from typing import Any

import numpy as np
import pytest

from static_runtime.runtime.elf import Image
from static_runtime.runtime.hostcode import placing_text
from static_runtime.runtime.machine.llvm_text import link_text
from static_runtime.runtime.planning import Record, plan_in_order

pytestmark = pytest.mark.usefixtures("runs_host")


@cache
def linked() -> Image:
    """The function, compiled."""
    return link_text(placing_text(), ["sr_place"])


def place(records: list[Record], orders: list[list[int]]) -> tuple[int, list[int]]:
    """The bytes and the offsets that the function finds."""
    count = len(records)
    sizes = np.array([each.size for each in records], np.int64)
    firsts = np.array([each.first for each in records], np.int64)
    lasts = np.array([each.last for each in records], np.int64)
    given = np.array(orders, np.int32)
    offsets = np.full(count, -1, np.int64)
    word = ctypes.c_int64
    made: Any = ctypes.CFUNCTYPE(
        word, *[ctypes.c_void_p] * 4, word, word, ctypes.c_void_p
    )
    function = made(linked()["sr_place"])
    addresses = (each.ctypes.data for each in (sizes, firsts, lasts, given))
    top = function(*addresses, count, len(orders), offsets.ctypes.data)
    return top, offsets.tolist()


@pytest.mark.parametrize("count", [0, 1, 2, 3, 10, 60, 300])
@pytest.mark.parametrize("known", [0, 1, 4])
def test_offsets_are_those_of_the_planner(count: int, known: int):
    random = np.random.default_rng(count)
    for _ in range(30 if count < 100 else 3):
        firsts = random.integers(0, max(count, 1), count)
        lasts = firsts + random.integers(0, 6, count)
        # Few sizes, so that many are equal and the order of equal ones decides.
        sizes = random.integers(0, 9, count) * 64
        rows = zip(sizes, firsts, lasts, strict=True)
        records = [Record(*map(int, row)) for row in rows]
        orders = [random.permutation(count).tolist() for _ in range(known)]
        wanted = plan_in_order(records, orders)
        assert place(records, orders) == (wanted.size, [*wanted.offsets])


def test_sizes_may_be_as_large_as_addresses():
    huge = 2**62 - 2**12
    records = [Record(huge, 0, 1), Record(64, 1, 2), Record(huge, 2, 3)]
    wanted = plan_in_order(records, [[0, 1, 2]])
    assert place(records, [[0, 1, 2]]) == (wanted.size, [*wanted.offsets])
