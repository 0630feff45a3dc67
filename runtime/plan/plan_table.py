"""
The plans of a module for the sizes that its calls had, in a table for machine code.

A plan is a row: the values of the symbols, the offset of each slot, the size of the
block (`layout.py`). A call looks its row up by a hash of the symbols
(`lowering/program_to_host/lending.py`); for sizes that have none Python adds one. The
table has a limit in bytes, and drops the rows that were unused for longest. A row that
a run uses stays in memory: the machine code that knows it holds no reference.
"""

from __future__ import annotations

import ctypes
from collections.abc import Mapping, Sequence
from typing import Protocol, TypeAlias

import numpy as np
import numpy.typing as npt

from ..abi import LIMIT, NOTE_WORDS, NOTES, WORD, ContextLayout, RowLayout, State
from ..machine import More, unforked
from ..planning import Plan
from ..program import Program, Symbols, named
from .block import LOCK
from .skips import Skipped, skipped, skipped_bytes

Words: TypeAlias = npt.NDArray[np.uint64]

KEPT_BYTES = 1 << 20
"""Bytes of rows that a module keeps, with what Python needs for each."""

_OBJECT_BYTES = 512
"""What Python needs for a row: its array, its key, its entries of tables."""

_MOST_NOTED = 64
"""The most sizes that are remembered without a row."""

_NO_SIZE = 2**64 - 1
"""The symbols of the row that no sizes match."""


class _RowMaker(Protocol):
    """What makes rows and enters them into tables, as a `Planner` does."""

    def row(self, symbols: Sequence[int], is_kept: bool = True) -> tuple[Words, int]:
        """The row for these values, and zero or the number of a refusal."""
        ...

    @property
    def version(self) -> int:
        """A number that is another once rows that were made would be others."""
        ...

    def enter(self, table: int, row: int) -> None:
        """Writes the address of a row into the table at an address, which has room."""
        ...

    def shrinks(self, context: int, bytes: int) -> bool:
        """Notes what a call needs of its block; whether this is to shrink."""
        ...


class PlanTable:
    """The plan rows of a module."""

    def __init__(
        self,
        program: Program,
        state: npt.NDArray[np.uint64],
        planner: _RowMaker | None = None,
        is_strict: bool = False,
        more: More | None = None,
    ):
        """
        An empty table, which the module's state points to from now on; its rows are
        made by a planner, which a program of known sizes needs not. A strict one plans
        the sizes of the first call, and none greater after. An entry may need `more`
        words after each row, and then has a row in a program of known sizes too.
        """
        if program.symbols and planner is None:
            raise ValueError("expected code that plans open sizes, got none")
        self.program = program
        self.planner = planner
        self.is_strict = is_strict
        self.planned_bytes = 0
        """Bytes that each context of a strict table has, once there are plans."""
        self._permitted: list[tuple[int, ...]] = []
        """Values of the symbols that a strict table may not exceed."""
        self.layout = program.row_layout
        self._row_bytes = self.layout.size * WORD + _OBJECT_BYTES
        self._more = more
        self._state = state
        self._version = 0
        self._rows: dict[tuple[int, ...], Words] = {}
        self._greatest: list[tuple[int, ...]] = []
        """Sizes that were met, none less than others, whose rows may be gone."""
        self._retired: list[Words] = []
        """Rows that are no longer in the table, which a run may still use."""
        self._contexts: dict[int, Words] = {}
        self._table = np.zeros(2, np.uint64)
        self._notes = np.zeros(NOTE_WORDS * NOTES, np.uint64)
        state[State.NOTES] = self._notes.ctypes.data
        self._none = np.full(self.layout.size, _NO_SIZE, np.uint64)
        if not program.symbols and more is not None:
            self._none[RowLayout.BYTES] = program.bytes
            self._none = self._whole(self._none, {})
        state[State.LAST] = self._none.ctypes.data
        self._publish()

    @property
    def _maker(self) -> _RowMaker:
        """What makes the rows."""
        assert self.planner is not None, "only sizes that are open have rows"
        return self.planner

    def shrinks(self, context: int, bytes: int) -> bool:
        """Notes what a call needs of its block; whether this is to shrink."""
        return self._maker.shrinks(context, bytes)

    def __len__(self) -> int:
        return len(self._rows)

    def watch(self, context: Words) -> None:
        """Keeps the row that `context` names, also when the table drops it."""
        context[ContextLayout.PLAN] = self._none.ctypes.data
        self._contexts[id(context)] = context

    def forget(self, context: Words) -> None:
        """Ends `watch`, before the context goes."""
        del self._contexts[id(context)]

    @property
    def nbytes(self) -> int:
        """The bytes of all rows, with what Python needs for each."""
        return self._row_bytes * (len(self._rows) + len(self._retired))

    def row_for(self, symbols: Mapping[str, int]) -> Words:
        """
        The row of these sizes: one that was made before, or a new one. Raises
        `ValueError` for sizes that the model cannot take, and `RuntimeError` for some
        that a strict table does not plan.
        """
        key = tuple(symbols[name] for name in self.program.symbols)
        with LOCK:
            row = self._rows.get(key)
        if row is None:
            make = self._permitted_row if self.is_strict else self._new_row
            row = self._whole(make(key), symbols)
            with unforked(), LOCK:
                if key in self._rows:
                    row = self._rows[key]
                else:
                    self._add(key, row)
        row[self.layout.USED] = self._state[State.NOW]
        return row

    def plan_for(self, symbols: Mapping[str, int]) -> Plan:
        """A plan for these sizes, which is not kept; raises as `row_for` does."""
        if not self.program.symbols:
            return self.program.plan
        key = [symbols[name] for name in self.program.symbols]
        return self._plan_in(self._new_row(key, is_kept=False).tolist())

    def plan_as(self, other: PlanTable) -> None:
        """Plans the sizes that another table of the program has plans of."""
        with LOCK:
            keys = sorted({*other._rows, *other._greatest}, key=sum, reverse=True)
        for key in keys:
            with LOCK:
                self._permitted.append(key)
            self.row_for(dict(zip(self.program.symbols, key, strict=True)))

    def _note(self, key: tuple[int, ...]) -> None:
        """Remembers sizes, unless some that were met are no less in any symbol."""
        if not any(all(map(int.__le__, key, each)) for each in self._greatest):
            rest = (
                each for each in self._greatest if not all(map(int.__le__, each, key))
            )
            self._greatest = [key, *rest][:_MOST_NOTED]

    def _permitted_row(self, key: tuple[int, ...]) -> Words:
        """A row for these values, if they were planned or there is room for them."""
        with LOCK:
            is_first = not self._permitted
            if not is_first and not self._is_permitted(key):
                raise self._refusal(key)
            # What a planner remembers is of the sizes that were planned.
            is_planned = is_first or key in self._permitted
            row = self._new_row(key, is_kept=is_planned)
            size = int(row[self.layout.BYTES])
            if is_planned:
                self._permitted += [key] if is_first else []
                self.planned_bytes = max(self.planned_bytes, size)
            elif size > self.planned_bytes:
                raise self._refusal(key)
            return row

    def _is_permitted(self, key: Sequence[int]) -> bool:
        """Whether some planned sizes are no less in any symbol."""
        return any(all(map(int.__le__, key, most)) for most in self._permitted)

    def _refusal(self, key: Sequence[int]) -> RuntimeError:
        """The error of a call whose sizes a strict table does not plan."""
        names = self.program.symbols
        got = named(dict(zip(names, key, strict=True)))
        most = [dict(zip(names, each, strict=True)) for each in self._permitted[:4]]
        planned = " or ".join(map(named, most))
        return RuntimeError(
            f"expected sizes that fit in the {self.planned_bytes} bytes of {planned}, "
            f"as strict=True plans no greater ones after the first call, got {got}; "
            "make that call with the greatest sizes, or call one that is not strict"
        )

    def _new_row(self, key: Sequence[int], is_kept: bool = True) -> Words:
        """A row for these values of the symbols."""
        # What 63 bits do not hold is refused for what they do.
        row, status = self._maker.row([min(each, LIMIT) for each in key], is_kept)
        if status:
            symbols = dict(zip(self.program.symbols, key, strict=True))
            raise self.program.refusal(status, symbols)
        return row

    def _whole(self, row: Words, symbols: Mapping[str, int]) -> Words:
        """A row with the words after it."""
        if self._more is None:
            return row
        more = np.array(self._more(symbols), np.uint64)
        self._row_bytes = (row.size + more.size) * WORD + _OBJECT_BYTES
        return np.concatenate([row, more])

    def symbols_of(self, context: Words) -> dict[str, int]:
        """What the symbols are in the row of a context; none before its first run."""
        row = self._read(context)
        first = self.layout.first_symbol
        values = row[first : first + self.layout.symbols]
        if not values or values[0] == _NO_SIZE:
            return {}
        return dict(zip(self.program.symbols, values, strict=True))

    def plan_of(self, context: Words) -> Plan:
        """The plan in the row of a context; an empty one before its first run."""
        if not self.program.symbols:
            return self.program.plan
        if not self.symbols_of(context):
            return Plan((), 0, 0)
        return self._plan_in(self._read(context))

    def _plan_in(self, row: Sequence[int]) -> Plan:
        """The plan in a row."""
        layout = self.layout
        offsets = tuple(row[layout.first_slot : layout.first_skip])
        return Plan(offsets, row[layout.BYTES], row[layout.LOWER_BOUND])

    def skipped_by(self, note: int) -> tuple[tuple[Skipped, ...], int]:
        """
        What the run skipped that is noted at an address, and the bytes of those
        results; nothing if its row is gone.
        """
        address, orders = (ctypes.c_uint64 * (NOTE_WORDS - 1)).from_address(note)[:]
        if not self.program.symbols:
            return self._skipped([1] * len(self.program.skips), {}, orders)
        with LOCK:
            kept = (*self._rows.values(), *self._retired)
            if not any(each.ctypes.data == address for each in kept):
                return (), 0
            row = self._at(address)
        layout, program = self.layout, self.program
        values = row[layout.first_symbol : layout.first_slot]
        symbols = dict(zip(program.symbols, values, strict=True))
        taken = row[layout.first_skip : layout.size]
        return self._skipped(taken, symbols, orders)

    def _skipped(
        self, taken: Sequence[int], symbols: Symbols, orders: int
    ) -> tuple[tuple[Skipped, ...], int]:
        """What is skipped in ways that are taken, and the bytes of those results."""
        known = self.program, taken, symbols, orders
        return skipped(*known), skipped_bytes(*known)

    def _read(self, context: Words) -> Sequence[int]:
        """The fields of the row that a context names, which is kept."""
        return self._at(int(context[ContextLayout.PLAN]))

    def _at(self, address: int) -> Sequence[int]:
        """The fields of the row at an address."""
        return (ctypes.c_uint64 * self.layout.size).from_address(address)[:]

    def _add(self, key: tuple[int, ...], row: Words) -> None:
        """Adds a row, and drops others when there are too many."""
        self._state[State.NOW] += np.uint64(1)
        if self._version != self._maker.version:
            self._renew()
        # A new row is the last to be dropped.
        row[self.layout.USED] = self._state[State.NOW]
        self._rows[key] = row
        self._note(key)
        if self.nbytes > KEPT_BYTES:
            self._drop()
            self._publish()
        elif 2 * len(self._rows) > self._table.size - 1:
            self._publish()
        else:
            self._maker.enter(int(self._state[State.PLANS]), row.ctypes.data)

    def _renew(self) -> None:
        """Drops all rows, which are made again, as the planner has grown."""
        self._version = self._maker.version
        self._retired += self._rows.values()
        self._rows.clear()
        self._publish()
        # Calls look here before they look in the table.
        self._state[State.LAST] = self._none.ctypes.data

    def _drop(self) -> None:
        """Drops rows that were unused for longest, a quarter of all."""
        by_use = sorted(
            self._rows, key=lambda key: int(self._rows[key][RowLayout.USED])
        )
        for key in by_use[: len(by_use) // 4]:
            self._retired.append(self._rows.pop(key))

    def _publish(self) -> None:
        """Makes a table of the rows, and lets go of retired ones that nobody uses."""
        size = max(8, 1 << (4 * len(self._rows)).bit_length())
        table = np.zeros(size + 1, np.uint64)
        table[0] = size - 1
        at = table.ctypes.data
        for row in self._rows.values():
            self._maker.enter(at, row.ctypes.data)
        self._state[State.PLANS] = at
        self._table = table
        # A retired row is found no more. So who uses one has it from `LAST` or has it
        # already, and this order of reading misses nobody.
        used = {int(self._state[State.LAST])}
        used |= {int(each) for each in self._notes[1::NOTE_WORDS]}
        used |= {int(each[ContextLayout.PLAN]) for each in [*self._contexts.values()]}
        self._retired = [row for row in self._retired if row.ctypes.data in used]
