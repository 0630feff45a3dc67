"""
Plans as code: bytecode that fills a plan row for the sizes of a call.

It checks the sizes, decides which results are other memory, and has the slots of the
others placed: by machine code where orders were searched for all sizes, else by a
planner of Python. It returns zero, or the number of a refusal, which `Program.refusal`
explains.
"""

from __future__ import annotations

import ctypes
import threading
from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ..abi import (
    ALIGNMENT,
    PLAN_ARGUMENTS,
    PLAN_BOUND,
    PLAN_BYTES,
    PlanLayout,
    Words,
    check_bytecode,
)
from ..planning import (
    LASTING,
    LastingPlanner,
    Plan,
    Record,
    in_branches,
    plan,
    plan_in_order,
    plan_lasting,
)
from ..program import Program
from .kept_error import KeptError


@dataclass(frozen=True)
class PlanCode:
    """The bytecode of a program's plans, which calls what plans slots alone."""

    code: Words
    registers: int
    layout: PlanLayout

    def __post_init__(self) -> None:
        """Raises `ValueError` for what is no code of such plans."""
        layout, row = self.layout, self.layout.row
        arguments = PLAN_ARGUMENTS + 4 * row.slots + 3 * row.skips
        check_bytecode(self.code, self.registers, [arguments] * 3, layout.size, 1)

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

    def __init__(self, made: PlanCode, program: Program, functions: Sequence[int]):
        """
        The planner of a program, with the addresses of `PLANNING`, which are there as
        long as it.
        """
        layout, self.lock = made.layout, threading.Lock()
        self.row_fields = slice(layout.first_row, layout.orders)
        self.symbol_fields = slice(layout.row.first_symbol, layout.row.first_slot)
        self.key = layout.row.symbols, layout.row.first_symbol
        self.placing = _Placing(program)
        # It searches no orders beforehand; or there are slots that live at one time
        # though their steps differ.
        is_python = not program.orders or bool(program.branches)
        self.place = _kind(2)(self.placing.place) if is_python else None
        orders = np.array(program.orders, np.int32)
        self.blank = np.zeros(layout.size, np.uint64)
        self.blank[layout.orders] = orders.ctypes.data
        self.registers = np.zeros(made.registers, np.int64)
        self.kept = made.code, orders
        self.call_by(functions)

    def call_by(self, functions: Sequence[int]) -> None:
        """Lets functions at these addresses make rows from now on."""
        interpret, *steps, enter, need = functions
        if self.place is not None:
            steps[1] = _address_of(self.place)
        with self.lock:
            self.steps = np.array(steps, np.uint64)
            each = self.kept[0], self.registers, self.steps
            self.addresses = [array.ctypes.data for array in each]
            self.function = _kind(4)(interpret)
        word = ctypes.c_int64
        self.enter_row = _kind(2, word, word)(enter)
        self.need_of = _kind(1, word)(need)

    def row(
        self, symbols: Sequence[int], is_kept: bool = True
    ) -> tuple[npt.NDArray[np.uint64], int]:
        """
        The row for these sizes, and zero or the number of a refusal; a row that is not
        kept leaves no trace.
        """
        memory = self.blank.copy()
        made = memory[self.row_fields]
        made[self.symbol_fields] = symbols
        with self.lock:
            code, registers, functions = self.addresses
            before, self.placing.error = copy(self.placing.lasting), None
            status = self.function(memory.ctypes.data, code, registers, functions)
            error = self.placing.error
            if status or error is not None or not is_kept:
                self.placing.lasting = before
        if error is not None:
            raise error
        return made, status

    @property
    def version(self) -> int:
        """A number that is another once rows that were made would be others."""
        lasting = self.placing.lasting
        return 0 if lasting is None else lasting.version

    def enter(self, table: int, row: int) -> None:
        """Writes the address of a row into the table at an address, which has room."""
        self.enter_row(table, row, *self.key)

    def shrinks(self, context: int, bytes: int) -> bool:
        """
        Notes how many bytes a call needs of the block of its context; whether many in a
        row needed so little that it is to shrink.
        """
        return bool(self.need_of(context, bytes))


def _kind(count: int, *others: Any) -> Any:
    """
    The kind of function that takes addresses, and other arguments after them, and
    returns a status. It keeps the GIL, which a few microseconds are not worth leaving.
    """
    return ctypes.PYFUNCTYPE(ctypes.c_int, *[ctypes.c_void_p] * count, *others)


def _address_of(function: Any) -> int:
    """The address of a function that C calls."""
    found = ctypes.cast(function, ctypes.c_void_p).value
    assert found is not None, "a function has an address"
    return found


class _Placing:
    """Places records by a planner of Python."""

    def __init__(self, program: Program):
        self.program = program
        self.lasting: LastingPlanner | None = None
        if program.planner in LASTING:
            self.lasting = LASTING[program.planner]()
        self.error: BaseException | None = None
        """What ended the last placing, which machine code cannot raise."""

    def place(self, words: int, context: int) -> int:
        """Places the records in memory (`hostcode/uniting.py`)."""
        with KeptError(self):
            self._place(words)
        return 0

    def _place(self, words: int) -> None:
        """Places the records in the table at an address."""
        count = int(ctypes.c_int64.from_address(words).value)
        table = np.ctypeslib.as_array(
            (ctypes.c_int64 * (PLAN_ARGUMENTS + 4 * count)).from_address(words)
        )
        sizes, firsts, lasts, offsets = table[PLAN_ARGUMENTS:].reshape(4, count)
        columns = (each.tolist() for each in (sizes, firsts, lasts))
        records = [Record(*each) for each in zip(*columns, strict=True)]
        made = self._plan(in_branches(records, self.program.branches))
        offsets[:] = made.offsets
        table[[PLAN_BYTES, PLAN_BOUND]] = made.size, made.lower_bound

    def _plan(self, records: Sequence[Record]) -> Plan:
        """The plan of the records."""
        if self.program.orders:
            return plan_in_order(records, self.program.orders, ALIGNMENT)
        if self.lasting is None:
            return plan(records, self.program.planner, ALIGNMENT)
        return plan_lasting(records, self.lasting, ALIGNMENT)
