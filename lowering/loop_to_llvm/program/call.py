"""
Write one call of a program: the run, and what is left to Python.

The two forms of the entry have this in common (`entry.py`, `wide_entry.py`), beside
how they borrow a context (`lending.py`): the GIL is released around a run that is long
enough to be worth it; a call that the entry does not take, and the error of a run, go
to Python callables.
"""

from __future__ import annotations

from collections.abc import Sequence

from ....dialects import Dim, Symbol, Tensor, dtype, sizes, symbols_of
from ....dialects.loop import ProgramOp
from ....runtime import INTERRUPTED, WORD, State
from .interrupts import length_of
from .lending import LendingWriter
from .python_objects import STATE, state_field

_WORTH_RELEASING = 32768
"""Points of loops from which on a run is some two microseconds long."""

_RUNS = ("sr_run", "sr_enter")
"""What runs the program with the GIL, and without it."""

COUNT = 2**63 - 1
"""The bits of the flags that count the arguments by position."""

_SLOW = "@PyObject_Vectorcall(ptr %slow, ptr %arguments, i64 %count, ptr %names)"

# Leaves a call to Python, unless something was raised. The flags have a bit besides the
# number of arguments.
SLOW = f"""declare ptr @PyErr_Occurred()
define ptr @sr_slow(ptr %arguments, i64 %flags, ptr %names) nounwind {{
entry:
  %error = call ptr @PyErr_Occurred()
  %raised = icmp ne ptr %error, null
  br i1 %raised, label %ended, label %left
ended:
  ret ptr null
left:
  %slow = load ptr, ptr {state_field(State.SLOW)}, align {WORD}
  %count = and i64 %flags, {COUNT}
  %answer = call ptr {_SLOW}
  ret ptr %answer
}}
"""

_FAILURE = (
    "@PyObject_CallFunction(ptr %callable, ptr @sr_failure, ptr %context, i32 %status)"
)

# Leaves the error of a run to Python, which also gives the context back. The exception
# of an interruption is set already, and needs no explanation.
EXPLAIN = f"""@sr_failure = private constant [3 x i8] c"ni\\00"
define ptr @sr_explain(ptr %context, i32 %status) nounwind {{
  %interrupted = icmp eq i32 %status, {INTERRUPTED}
  br i1 %interrupted, label %ended, label %wrong
ended:
  call void @sr_give_back(ptr %context)
  ret ptr null
wrong:
  %callable = load ptr, ptr {state_field(State.EXPLAIN)}, align {WORD}
  %answer = call ptr (ptr, ptr, ...) {_FAILURE}
  ret ptr %answer
}}
"""


class CallWriter(LendingWriter):
    """Writes what both entries do: take a context, run, leave calls to Python."""

    def __init__(self, program: ProgramOp):
        """A function that calls a program, of which nothing is written yet."""
        super().__init__(program)
        self.inputs, self.outputs = program.input_types, program.output_types
        self.length = length_of(program)
        self.donations = [(d.input.data, d.output.data) for d in program.donations]
        defined = {*program.defined}
        self.is_cut = any(
            symbols_of(size) & defined for type in self.outputs for size in sizes(type)
        )
        """Whether the shapes of outputs are known only after the run."""
        self.known: dict[str, str] = {}

    def text(self) -> str:
        """The text of the function."""
        head = "define ptr @sr_call(ptr %self, ptr %arguments, i64 %flags, ptr %names)"
        return STATE + self.w.text(head, '"few-passes" ')

    def call_slowly(self) -> None:
        """Leaves the call to Python."""
        arguments = "ptr %arguments, i64 %flags, ptr %names"
        self.w.do(f"ret ptr {self.w.emit(f'call ptr @sr_slow({arguments})')}")

    def leave(self, context: str) -> None:
        """Leaves the call to Python after there was no memory for an output."""
        self.w.do(f"call void @sr_give_back(ptr {context})")
        self.w.do("call void @PyErr_Clear()")
        self.w.do("br label %slow")

    def explain(self, context: str, status: str, made: Sequence[str]) -> None:
        """Ends the call after a run that failed."""
        w = self.w
        for each in made:
            w.do(f"call void @Py_DecRef(ptr {each})")
        w.do("ret ptr " + w.emit(f"call ptr @sr_explain(ptr {context}, i32 {status})"))

    def size(self, size: Dim) -> str:
        """The i64 that a dimension is, computed here and not at the entry."""
        start = len(self.w.entry)
        text = self.w.size(size)
        self.w.lines += self.w.entry[start:]
        del self.w.entry[start:]
        return text

    def bytes(self, type: Tensor) -> str:
        """How many bytes a tensor has."""
        total = str(dtype(type).itemsize)
        for each in map(self.size, sizes(type)):
            total = self.w.mul(total, each)
        return total

    def run(self, context: str) -> str:
        """Runs the program, without the GIL when it is long; its status."""
        w = self.w
        held, released = (f"call i32 @{each}(ptr {context})" for each in _RUNS)
        work = self.length.work
        if self.length.is_endless:
            return w.emit(released)
        if isinstance(work, int):
            return w.emit(held if work < _WORTH_RELEASING else released)
        long, short, after = w.fresh("long"), w.fresh("short"), w.fresh("after")
        worth = w.emit(f"icmp sge i64 {self.size(work)}, {_WORTH_RELEASING}")
        w.do(f"br i1 {worth}, label %{long}, label %{short}")
        ends: list[str] = []
        for label, run in ((long, released), (short, held)):
            w.start(label)
            ends.append(f"[{w.emit(run)}, %{label}]")
            w.do(f"br label %{after}")
        w.start(after)
        return w.emit(f"phi i32 {', '.join(ends)}")


def bare_symbol(size: Dim) -> str | None:
    """The name of the symbol that a dimension is, if it is nothing else."""
    if isinstance(size, int) or len(size.terms) != 1:
        return None
    ((monomial, factor),) = size.terms
    match monomial:
        case (Symbol(name),) if factor == 1:
            return name
        case _:
            return None
