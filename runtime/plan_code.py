"""
Plans as code: bytecode that fills a plan row for the sizes of a call.

Python plans by what the `Program` says (`plan_table.py`), in a millisecond where its
own code is in no cache. The compiler writes the same as bytecode, which takes some
microseconds. It returns zero, or the number of a refusal; then Python says what is
wrong, or knows a plan all the same.
"""

from __future__ import annotations

import ctypes
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from .abi import PLAN_ARGUMENTS, PlanLayout, Words, check_bytecode


@dataclass(frozen=True)
class PlanCode:
    """The bytecode of a program's plans, which calls `sr_plan_slots` alone."""

    code: Words
    registers: int
    layout: PlanLayout

    def __post_init__(self) -> None:
        """Raises `ValueError` for what is no code of such plans."""
        layout, row = self.layout, self.layout.row
        arguments = PLAN_ARGUMENTS + 4 * row.slots + 3 * row.skips
        check_bytecode(self.code, self.registers, [arguments], layout.size, 1)

    def to_bytes(self) -> bytes:
        """The registers and the code, as an artifact keeps them."""
        return np.array([self.registers, *self.code], "<i8").tobytes()

    @staticmethod
    def of_bytes(data: bytes, layout: PlanLayout) -> PlanCode:
        """What `to_bytes` made; raises `ValueError` for what is none."""
        words = np.frombuffer(data, "<i8").astype(np.int64)
        if not words.size:
            raise ValueError("expected the code of plans, got none")
        return PlanCode(words[1:], int(words[0]), layout)


class Planner:
    """Makes plan rows by machine code."""

    def __init__(
        self,
        made: PlanCode,
        orders: Sequence[Sequence[int]],
        functions: tuple[int, int],
    ):
        """
        The planner that tries these orders of slots, with the addresses of
        `sr_interpret` and `sr_plan_slots`, which are there as long as it.
        """
        self.layout, self.lock = made.layout, threading.Lock()
        interpret, plan = functions
        self.kept = made.code, np.array(orders, np.int32), np.array([plan], np.uint64)
        self.blank = np.zeros(self.layout.size, np.uint64)
        self.blank[self.layout.orders] = self.kept[1].ctypes.data
        self.registers = np.zeros(made.registers, np.int64)
        each = made.code, self.registers, self.kept[2]
        self.addresses = [array.ctypes.data for array in each]
        # PYFUNCTYPE keeps the GIL, which a few microseconds are not worth leaving.
        kind: Any = ctypes.PYFUNCTYPE(ctypes.c_int, *[ctypes.c_void_p] * 4)
        self.function = kind(interpret)

    def row(self, symbols: Sequence[int]) -> npt.NDArray[np.uint64] | None:
        """The row for these sizes, or None where Python is to say what is wrong."""
        row = self.layout.row
        memory = self.blank.copy()
        made = memory[self.layout.first_row : self.layout.orders]
        made[row.first_symbol : row.first_slot] = symbols
        code, registers, functions = self.addresses
        with self.lock:
            status = self.function(memory.ctypes.data, code, registers, functions)
        return None if status else made
