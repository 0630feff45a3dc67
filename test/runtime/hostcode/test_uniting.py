"""Slots that are parts of others become one record, in machine code."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np
import pytest

from static_runtime.runtime.abi import APART, ELSEWHERE, PLAN_ARGUMENTS
from static_runtime.runtime.elf import Image
from static_runtime.runtime.hostcode import PLANNING, placing_text
from static_runtime.runtime.machine.llvm_text import link_text

pytestmark = pytest.mark.usefixtures("runs_host")

Row = tuple[int, int, int]


@cache
def linked() -> Image:
    """The functions, compiled."""
    return link_text(placing_text(), [each.name for each in PLANNING])


class Words:
    """The words of some slots, and of parts of them."""

    def __init__(self, slots: Sequence[Row], parts: Sequence[Row]):
        """Sizes, first and last steps; slots, their wholes, and their offsets."""
        order = np.arange(len(slots), dtype=np.int32)
        self.kept = order
        head = [len(slots), 1, order.ctypes.data, len(parts), 0, 0]
        columns = [*zip(*slots, strict=True), [-1] * len(slots)]
        columns += [*zip(*parts, strict=True)]
        words = [*head, *(word for column in columns for word in column)]
        self.words = np.array(words, np.int64)
        self.count = len(slots)

    def call(self, step: int) -> None:
        """Calls one of the functions."""
        kind: Any = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p)
        function = kind(linked()[PLANNING[step].name])
        assert function(self.words.ctypes.data, None) == 0

    @property
    def columns(self) -> list[list[int]]:
        """Sizes, first steps, last steps and offsets."""
        table = self.words[PLAN_ARGUMENTS:][: 4 * self.count]
        return table.reshape(4, self.count).tolist()


def test_what_is_elsewhere_takes_no_memory():
    slots = [(64, at, at + 1) for at in range(4)]
    words = Words(slots, [(1, ELSEWHERE, 0), (2, 1, 16)])
    words.call(0)
    assert words.columns[0] == [64, 0, 0, 64]


def test_chains_are_parts_of_one_record():
    slots = [(64, 0, 1), (32, 1, 2), (60, 2, 3), (8, 2, 9)]
    words = Words(slots, [(1, 0, 16), (3, 1, 4)])
    words.call(0)
    sizes, firsts, lasts, _ = words.columns
    assert sizes == [64, 0, 64, 0]
    assert (firsts[0], lasts[0]) == (0, 9)
    words.words[PLAN_ARGUMENTS + 3 * 4 :][:4] = 128, 0, 0, 0
    words.call(2)
    assert words.columns[3] == [128, 144, 0, 148]


def test_a_part_may_be_longer_than_what_it_is_part_of():
    words = Words([(10, 0, 1), (100, 1, 2)], [(1, 0, 32)])
    words.call(0)
    assert words.columns[0] == [192, 0]


def test_what_is_not_taken_has_memory_of_its_own():
    slots = [(64, 0, 1), (128, 1, 2), (64, 2, 3)]
    words = Words(slots, [(1, APART, 0), (2, APART, 8)])
    for step in range(len(PLANNING)):
        words.call(step)
    assert words.columns[:3] == [[64, 128, 64], [0, 1, 2], [1, 2, 3]]
    assert words.columns[3] == [0, 64, 0]
    assert words.words[4:6].tolist() == [192, 192]
