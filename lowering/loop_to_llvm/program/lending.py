"""
Write how a call finds the plan row of its sizes, and borrows a context.

The module's state has a table of plan rows by a hash of the symbols (`layout.py`), to
which a Python callable adds a row for new sizes. A context is taken off the
module's free list while the GIL is held. Where none is free, or its block is smaller
than the plan, a Python callable lends one; it is given the symbols, since the row that
was found may be dropped while Python runs.
"""

from __future__ import annotations

from collections.abc import Sequence

from ....dialects import UNKNOWN
from ....dialects.loop import ProgramOp
from ....runtime import (
    CALLS,
    HASH_FACTOR,
    HASH_SHIFT,
    LITTLE,
    SMALL,
    WORD,
    State,
)
from .context_layout import layout_of, row_of
from .python_objects import ObjectWriter, state_field

# For Python's own way of running; called with the GIL held, as `sr_call` is. NEXT is
# the first field of a context, and FREE that of the state.
FREE_LIST = f"""define ptr @sr_borrow() nounwind {{
entry:
  %first = load ptr, ptr @sr_state, align {WORD}
  %none = icmp eq ptr %first, null
  br i1 %none, label %done, label %take
take:
  %following = load ptr, ptr %first, align {WORD}
  store ptr %following, ptr @sr_state, align {WORD}
  store ptr %first, ptr %first, align {WORD}
  br label %done
done:
  ret ptr %first
}}
define void @sr_give_back(ptr %context) nounwind {{
entry:
  %first = load ptr, ptr @sr_state, align {WORD}
  store ptr %first, ptr %context, align {WORD}
  store ptr %context, ptr @sr_state, align {WORD}
  ret void
}}
"""

_ASK = "@PyObject_CallFunction(ptr %callable, ptr @sr_wanted, ptr %wanted)"

# What a Python callable answers is an integer: the address of a context that is lent.
RESERVE = f"""@sr_wanted = private constant [2 x i8] c"n\\00"
declare ptr @PyLong_AsVoidPtr(ptr)
define ptr @sr_reserve(ptr %wanted) nounwind {{
entry:
  %callable = load ptr, ptr {state_field(State.RESERVE)}, align {WORD}
  %answer = call ptr (ptr, ptr, ...) {_ASK}
  %none = icmp eq ptr %answer, null
  br i1 %none, label %raised, label %lent
raised:
  ret ptr null
lent:
  %context = call ptr @PyLong_AsVoidPtr(ptr %answer)
  call void @Py_DecRef(ptr %answer)
  ret ptr %context
}}
"""

# The plan row of `count` values of symbols, or null; a row has its own from its field
# `first` on.
FIND = f"""define ptr @sr_find(ptr %wanted, i64 %count, i64 %first) nounwind {{
entry:
  %table = load ptr, ptr {state_field(State.PLANS)}, align {WORD}
  %mask = load i64, ptr %table, align {WORD}
  br label %mix
mix:
  %at = phi i64 [0, %entry], [%at.next, %mix]
  %hash = phi i64 [0, %entry], [%hash.next, %mix]
  %value.at = getelementptr inbounds i64, ptr %wanted, i64 %at
  %value = load i64, ptr %value.at, align {WORD}
  %joined = xor i64 %hash, %value
  %spread = mul i64 %joined, {HASH_FACTOR - 2**64}
  %high = lshr i64 %spread, {HASH_SHIFT}
  %hash.next = xor i64 %spread, %high
  %at.next = add nuw nsw i64 %at, 1
  %more = icmp slt i64 %at.next, %count
  br i1 %more, label %mix, label %probe
probe:
  %number = phi i64 [%hash.next, %mix], [%number.next, %other]
  %masked = and i64 %number, %mask
  %after = add nuw nsw i64 %masked, 1
  %place = getelementptr inbounds ptr, ptr %table, i64 %after
  %row = load ptr, ptr %place, align {WORD}
  %none = icmp eq ptr %row, null
  br i1 %none, label %done, label %compare
compare:
  %to = phi i64 [0, %probe], [%to.next, %same]
  %wanted.at = getelementptr inbounds i64, ptr %wanted, i64 %to
  %one = load i64, ptr %wanted.at, align {WORD}
  %field = add nuw nsw i64 %to, %first
  %field.at = getelementptr inbounds i64, ptr %row, i64 %field
  %two = load i64, ptr %field.at, align {WORD}
  %equal = icmp eq i64 %one, %two
  br i1 %equal, label %same, label %other
same:
  %to.next = add nuw nsw i64 %to, 1
  %rest = icmp slt i64 %to.next, %count
  br i1 %rest, label %compare, label %done
other:
  %number.next = add i64 %number, 1
  br label %probe
done:
  ret ptr %row
}}
"""

_PLAN = "@PyObject_CallFunction(ptr %callable, ptr @sr_sizes, ptr %wanted)"

# The same, of a row that Python adds where there is none. Where it adds none, or raises
# something, the row is null.
ROW = f"""@sr_sizes = private constant [2 x i8] c"n\\00"
define ptr @sr_row(ptr %wanted, i64 %count, i64 %first) nounwind {{
entry:
  %known = call ptr @sr_find(ptr %wanted, i64 %count, i64 %first)
  %none = icmp eq ptr %known, null
  br i1 %none, label %ask, label %found
found:
  ret ptr %known
ask:
  %callable = load ptr, ptr {state_field(State.ADD)}, align {WORD}
  %answer = call ptr (ptr, ptr, ...) {_PLAN}
  %raised = icmp eq ptr %answer, null
  br i1 %raised, label %failed, label %added
failed:
  ret ptr null
added:
  %row = call ptr @PyLong_AsVoidPtr(ptr %answer)
  call void @Py_DecRef(ptr %answer)
  ret ptr %row
}}
"""


class LendingWriter(ObjectWriter):
    """Writes how a call finds its plan row, borrows a context and gives it back."""

    def __init__(self, program: ProgramOp):
        """A function that calls a program, of which nothing is written yet."""
        super().__init__()
        self.layout, self.row = layout_of(program), row_of(program)
        self.names = program.symbol_names
        self.bytes_planned = program.plan.bytes.data
        """The size of the block, or `UNKNOWN` while it depends on symbols."""
        self.is_noted = self.row.skips > 0
        """Whether it is noted which row a thread used, as it says what was skipped."""
        self.wanted = "null"
        """The array that holds the values of the symbols; null if there are none."""
        if self.is_open:
            count = len(self.names)
            self.wanted = self.w.entered(f"alloca [{count} x i64], align {WORD}")

    @property
    def is_open(self) -> bool:
        """Whether the program has symbols, and so plan rows."""
        return bool(self.names)

    def find_row(self, values: Sequence[str]) -> str:
        """
        The plan row of these values of the symbols, which the last call often had.
        """
        w, wanted = self.w, self.wanted
        last = self.state(State.LAST)
        same = "true"
        for at, value in enumerate(values):
            address = w.emit(f"getelementptr inbounds i64, ptr {wanted}, i64 {at}")
            w.do(f"store i64 {value}, ptr {address}, align {WORD}")
            field = self.context_field(last, self.row.first_symbol + at)
            equal = self.equal("i64", field, value)
            same = w.emit(f"and i1 {same}, {equal}")
        search, found, before = w.fresh("search"), w.fresh("found"), w.label
        w.do(f"br i1 {same}, label %{found}, label %{search}")
        w.start(search)
        other = self.search()
        end = w.label
        w.do(f"br label %{found}")
        w.start(found)
        return w.emit(f"phi ptr [{last}, %{before}], [{other}, %{end}]")

    def search(self) -> str:
        """The plan row in the table; Python adds one, or explains the call."""
        row = self.w.emit(
            f"call ptr @sr_row(ptr {self.wanted}, i64 {len(self.names)}, "
            f"i64 {self.row.first_symbol})"
        )
        self.require(self.w.emit(f"icmp ne ptr {row}, null"))
        self.w.do(f"store ptr {row}, ptr {state_field(State.LAST)}, align {WORD}")
        return row

    def borrow(self, row: str) -> str:
        """
        A context with memory for the plan of a row (no row without symbols). Nothing
        is left to Python after this, but the end of a call whose memory there is not.
        """
        w = self.w
        first = self.state(State.FREE)
        look, take, ask = w.fresh("look"), w.fresh("take"), w.fresh("ask")
        lent, have = w.fresh("lent"), w.fresh("have")
        none = w.emit(f"icmp eq ptr {first}, null")
        w.do(f"br i1 {none}, label %{ask}, label %{look}")
        w.start(look)
        bytes = self.bytes_of(row)
        room = self.loaded(first, self.layout.ROOM)
        enough = w.emit(f"icmp uge i64 {room}, {bytes}")
        if self.is_open:
            left = self.loaded(first, self.layout.LEFT)
            calls = w.emit(f"icmp ne i64 {left}, 0")
            enough = w.emit(f"and i1 {enough}, {calls}")
        w.do(f"br i1 {enough}, label %{take}, label %{ask}")
        w.start(take)
        self.take(first)
        if self.is_open:
            self.note_use(first, row)
            self.note_need(first, bytes, room)
        end = w.label
        w.do(f"br label %{have}")
        w.start(ask)
        other = w.emit(f"call ptr @sr_reserve(ptr {self.wanted})")
        missing = w.emit(f"icmp eq ptr {other}, null")
        raised = w.fresh("raised")
        w.do(f"br i1 {missing}, label %{raised}, label %{lent}")
        w.start(raised)
        w.do("ret ptr null")
        w.start(lent)
        w.do(f"br label %{have}")
        w.start(have)
        context = w.emit(f"phi ptr [{first}, %{end}], [{other}, %{lent}]")
        if self.is_noted:
            # The row that was found may be gone, if Python lent the context.
            plan = self.context_field(context, self.layout.PLAN)
            used = w.emit(f"load ptr, ptr {plan}, align {WORD}")
            w.do(f"call void @sr_note(ptr {used})")
        return context

    def bytes_of(self, row: str) -> str:
        """The size of the block that a plan needs."""
        if self.bytes_planned != UNKNOWN or not self.is_open:
            return str(max(self.bytes_planned, 0))
        return self.loaded(row, self.row.BYTES)

    def note_use(self, context: str, row: str) -> None:
        """Notes in a context which row it runs, and in the row when it was used."""
        self.set(context, self.layout.PLAN, f"ptr {row}")
        self.set(context, self.layout.TOUCHED, "i64 1")
        self.set(
            row, self.row.USED, f"i64 {self.w.emit(_load(state_field(State.NOW)))}"
        )

    def note_need(self, context: str, bytes: str, room: str) -> None:
        """
        Counts a call that needs little of the block; one that needs more begins the
        count anew.
        """
        w, layout = self.w, self.layout
        little, much, on = w.fresh("little"), w.fresh("much"), w.fresh("on")
        scaled = w.emit(f"shl i64 {bytes}, {LITTLE}")
        kept = w.emit(f"add i64 {scaled}, {SMALL}")
        is_little = w.emit(f"icmp ult i64 {kept}, {room}")
        w.do(f"br i1 {is_little}, label %{little}, label %{much}")
        w.start(much)
        self.set(context, layout.LEFT, f"i64 {CALLS}")
        self.set(context, layout.PEAK, "i64 0")
        w.do(f"br label %{on}")
        w.start(little)
        peak = self.loaded(context, layout.PEAK)
        most = w.emit(f"call i64 @llvm.umax.i64(i64 {peak}, i64 {bytes})")
        self.set(context, layout.PEAK, f"i64 {most}")
        rest = w.emit(f"sub i64 {self.loaded(context, layout.LEFT)}, 1")
        self.set(context, layout.LEFT, f"i64 {rest}")
        w.do(f"br label %{on}")
        w.start(on)

    def take(self, context: str) -> None:
        """Takes the first context off the free list, which nobody changed meanwhile."""
        w = self.w
        address = self.context_field(context, self.layout.NEXT)
        following = w.emit(f"load ptr, ptr {address}, align {WORD}")
        w.do(f"store ptr {following}, ptr @sr_state, align {WORD}")
        w.do(f"store ptr {context}, ptr {address}, align {WORD}")

    def give_back(self, context: str) -> None:
        """Puts a context on the free list."""
        first = self.state(State.FREE)
        self.set(context, self.layout.NEXT, f"ptr {first}")
        self.w.do(f"store ptr {context}, ptr @sr_state, align {WORD}")

    def context_field(self, context: str, number: int) -> str:
        """The address of a field of a context, or of a row."""
        return self.w.emit(f"getelementptr inbounds i64, ptr {context}, i64 {number}")

    def loaded(self, context: str, number: int) -> str:
        """What a field of a context, or of a row, holds."""
        return self.w.emit(_load(self.context_field(context, number)))

    def set(self, context: str, number: int, value: str) -> None:
        """Writes a field of a context, or of a row."""
        self.w.do(
            f"store {value}, ptr {self.context_field(context, number)}, align {WORD}"
        )


def _load(address: str) -> str:
    """The instruction that reads an i64."""
    return f"load i64, ptr {address}, align {WORD}"
