"""Plans of all sizes are in one table, which has a limit."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np
import pytest

from static_runtime.runtime.abi import ContextLayout, State
from static_runtime.runtime.elf import Image
from static_runtime.runtime.hostcode import llvm_text
from static_runtime.runtime.hostcode.rows import rows
from static_runtime.runtime.machine.llvm_text import link_text
from static_runtime.runtime.plan import plan_table
from static_runtime.runtime.plan.plan_table import PlanTable
from static_runtime.runtime.planning import Record, plan_in_order
from static_runtime.runtime.program.program import Program, Slot, TensorInfo
from static_runtime.runtime.program.size import evaluate

pytestmark = pytest.mark.usefixtures("runs_host")

PROGRAM = Program(
    name="main",
    inputs=(TensorInfo("x", "float32", ("m", "n")),),
    outputs=(),
    symbols=("m", "n"),
    ranges={},
    checks=(),
    slots=(
        Slot("m", 0, 1, -1),
        Slot("n", 1, 2, -1),
        Slot("m", 2, 3, -1),
        Slot(64, 0, 3, -1),
    ),
    planner="conflict-driven",
    bytes=0,
    lower_bound=0,
    calls=(),
    call_outs=(),
    orders=((3, 0, 1, 2), (3, 1, 0, 2)),
)


def function(name: str, result: Any, count: int) -> Any:
    """A function of the table, compiled: of some addresses, and two numbers."""
    word, address = ctypes.c_int64, ctypes.c_void_p
    kind: Any = ctypes.PYFUNCTYPE(result, *[address] * count, word, word)
    return kind(linked()[name])


@cache
def linked() -> Image:
    """The functions of the table."""
    return link_text(llvm_text(rows()), ["sr_enter_row", "sr_find"])


def enter_row(*arguments: int) -> None:
    """Writes a row into a table."""
    function("sr_enter_row", None, 2)(*arguments)


def find_row(*arguments: int) -> int | None:
    """The address of a row of some sizes."""
    return function("sr_find", ctypes.c_void_p, 2)(*arguments)


class InOrder:
    """Makes rows by the planner in Python."""

    version = 0

    def row(
        self, symbols: Sequence[int], is_kept: bool = True
    ) -> tuple[plan_table.Words, int]:
        named = dict(zip(PROGRAM.symbols, symbols, strict=True))
        records = [
            Record(evaluate(slot.bytes, named), slot.first, slot.last)
            for slot in PROGRAM.slots
        ]
        if sum(symbols) >= 2**32:
            return np.empty(0, np.uint64), len(symbols) + 1
        made = plan_in_order(records, PROGRAM.orders, 64)
        words = [made.size, 0, made.lower_bound, *symbols, *made.offsets]
        return np.array(words, np.uint64), 0

    def enter(self, table: int, row: int) -> None:
        enter_row(table, row, 2, PROGRAM.row_layout.first_symbol)

    def shrinks(self, context: int, bytes: int) -> bool:
        raise AssertionError("no test here runs anything")


def table() -> tuple[PlanTable, np.ndarray[tuple[int], np.dtype[np.uint64]]]:
    """An empty table, and the state that knows it."""
    state = np.zeros(State.SIZE, np.uint64)
    return PlanTable(PROGRAM, state, InOrder()), state


def context(made: PlanTable) -> np.ndarray[tuple[int], np.dtype[np.uint64]]:
    """A context that the table knows."""
    found = np.zeros(PROGRAM.layout.size, np.uint64)
    made.watch(found)
    return found


def addresses(state: np.ndarray[tuple[int], np.dtype[np.uint64]]) -> set[int]:
    """The addresses of rows that machine code finds."""
    at = int(state[State.PLANS])
    mask = ctypes.c_uint64.from_address(at).value
    words = (ctypes.c_uint64 * (mask + 1)).from_address(at + 8)[:]
    return {*words} - {0}


def test_a_row_holds_the_sizes_and_their_plan():
    made, _ = table()
    row = made.row_for({"m": 200, "n": 70})
    assert made.row_for({"m": 200, "n": 70}) is row
    assert row.tolist() == [64 + 256 + 128, 1, 64 + 256 + 128, 200, 70, 64, 320, 64, 0]


def test_the_order_that_takes_least_is_taken():
    made, _ = table()
    for sizes in ((1, 1000), (1000, 1), (5, 5), (0, 0), (64, 128)):
        plan = made.plan_for(dict(zip("mn", sizes)))
        assert plan.is_optimal


def test_a_context_says_what_it_runs():
    made, _ = table()
    runs = context(made)
    assert made.symbols_of(runs) == {}
    assert made.plan_of(runs).size == 0
    row = made.row_for({"m": 3, "n": 4})
    runs[ContextLayout.PLAN] = row.ctypes.data
    assert made.symbols_of(runs) == {"m": 3, "n": 4}
    assert made.plan_of(runs) == made.plan_for({"m": 3, "n": 4})


def fill(made: PlanTable, sizes: Sequence[int]) -> None:
    """Makes plans of these sizes."""
    for size in sizes:
        made.row_for({"m": size, "n": 1})


def test_the_rows_unused_for_longest_are_dropped(monkeypatch: pytest.MonkeyPatch):
    made, state = table()
    fill(made, range(1))
    monkeypatch.setattr(plan_table, "KEPT_BYTES", 20 * made.nbytes)
    fill(made, range(20))
    assert len(made) == len(addresses(state)) == 20
    kept = made.row_for({"m": 2, "n": 1})
    fill(made, [20])
    assert 10 < len(made) < 20
    assert made.row_for({"m": 2, "n": 1}) is kept
    assert kept.ctypes.data in addresses(state)
    assert len(addresses(state)) == len(made)
    fill(made, range(200))
    assert len(made) <= 20
    assert made.nbytes <= plan_table.KEPT_BYTES


def test_a_new_row_is_kept_when_others_are_dropped(
    monkeypatch: pytest.MonkeyPatch,
):
    made, state = table()
    fill(made, range(1))
    monkeypatch.setattr(plan_table, "KEPT_BYTES", 8 * made.nbytes)
    for size in range(1, 100):
        row = made.row_for({"m": size, "n": 1})
        assert row.ctypes.data in addresses(state)
        assert made.row_for({"m": size, "n": 1}) is row


def test_nothing_is_told_of_a_row_that_is_gone():
    made, _ = table()
    row = made.row_for({"m": 1, "n": 1})
    # No memory of ours is at 8, so that nothing may be read.
    for address in (row.ctypes.data, 8, 0):
        note = np.array([address, 0], np.uint64)
        assert made.skipped_by(note.ctypes.data) == ((), 0)


def test_a_row_in_use_stays_in_memory(monkeypatch: pytest.MonkeyPatch):
    made, state = table()
    runs, waits = context(made), context(made)
    row, last = (made.row_for({"m": size, "n": 2}) for size in (5, 6))
    runs[ContextLayout.PLAN], state[State.LAST] = row.ctypes.data, last.ctypes.data
    monkeypatch.setattr(plan_table, "KEPT_BYTES", 20 * made.nbytes)
    fill(made, range(200))
    assert not {row.ctypes.data, last.ctypes.data} & addresses(state)
    retired = made._retired  # pyright: ignore[reportPrivateUsage]
    assert any(each is row for each in retired)
    assert any(each is last for each in retired)
    assert made.symbols_of(runs) == {"m": 5, "n": 2}
    runs[ContextLayout.PLAN] = waits[ContextLayout.PLAN]
    fill(made, range(200, 400))
    retired = made._retired  # pyright: ignore[reportPrivateUsage]
    assert not any(each is row for each in retired)
    assert any(each is last for each in retired)


def test_refuses_sizes_that_are_too_large():
    made, _ = table()
    with pytest.raises(ValueError, match=r"2\*\*62 bytes, got m = 2147483648"):
        made.row_for({"m": 2**31, "n": 2**31})
    assert len(made) == 0


def test_a_row_is_found_by_its_sizes():
    made, state = table()
    rows = {(m, n): made.row_for({"m": m, "n": n}) for m in range(9) for n in range(9)}
    at, first = int(state[State.PLANS]), PROGRAM.row_layout.first_symbol
    for sizes, row in rows.items():
        wanted = np.array(sizes, np.uint64)
        assert find_row(at, wanted.ctypes.data, 2, first) == row.ctypes.data
    assert find_row(at, np.array([9, 9], np.uint64).ctypes.data, 2, first) is None
