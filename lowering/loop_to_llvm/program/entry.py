"""
Write the entry of a program: the function that Python calls, which reads arrays itself.

    PyObject *sr_call(self, PyObject **arguments, size_t flags, PyObject *names)

It takes a call whose arguments are numpy arrays of just the declared dtypes and shapes,
contiguous and aligned, with the symbols of the last plan. It makes the outputs, or
writes to those that the caller gave as `out`, lends a context from the module's free
list, and runs. Everything else goes to the module's Python callable with the arguments
as they came, which converts or explains.

A run that ends in an error is explained by another callable, which is given the context
and what the run returned. The GIL is held while the free list changes hands, and
released around a run that is long enough to be worth it (`interrupts.py`).
"""

from __future__ import annotations

from collections.abc import Sequence

from ....dialects.dims import Dim, Symbol, symbols_of
from ....dialects.loop.ops.program import ProgramOp
from ....dialects.shape import Tensor, dtype, sizes, tensor_type
from ....runtime.layout import INTERRUPTED, WORD, State
from . import python_objects as objects
from .context_layout import defined_by, entry_list, layout_of, symbols_of_program
from .interrupts import length_of
from .python_objects import TYPE, WANTED_FLAGS, WRITTEN_FLAGS, ObjectWriter

WORTH_RELEASING = 32768
"""Points of loops from which on a run is some two microseconds long."""

RUNS = ("sr_run", "sr_enter")
"""What runs the program with the GIL, and without it."""

COUNT = 2**63 - 1
"""The bits of the flags that count the arguments by position."""

# How `PyObject_CallFunction` passes a context and a status.
DECLARATIONS = """@sr_failure = private constant [3 x i8] c"ni\\00"
declare ptr @PyObject_Vectorcall(ptr, ptr, i64, ptr)
declare ptr @PyObject_CallFunction(ptr, ptr, ...)
declare ptr @PyEval_SaveThread()
declare void @PyEval_RestoreThread(ptr)
declare void @Py_IncRef(ptr)
declare void @Py_DecRef(ptr)
declare ptr @PyTuple_New(i64)
declare i32 @PyTuple_SetItem(ptr, i64, ptr)
"""

# For Python's own way of running; called with the GIL held, as `sr_call` is.
FREE_LIST = f"""define ptr @sr_borrow() nounwind {{
entry:
  %first = load ptr, ptr @sr_state, align {WORD}
  %none = icmp eq ptr %first, null
  br i1 %none, label %done, label %take
take:
  %following = load ptr, ptr %first, align {WORD}
  store ptr %following, ptr @sr_state, align {WORD}
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


def write_entry(program: ProgramOp) -> tuple[str, tuple[Dim, ...]]:
    """The text of `sr_call` for a program, and the dimensions that it computes."""
    writer = EntryWriter(program)
    text = writer.write()
    whole = objects.DECLARATIONS + DECLARATIONS + text + objects.APART + FREE_LIST
    return whole, tuple(writer.w.sizes)


class EntryWriter(ObjectWriter):
    """Writes the checks, the outputs and the run of one call."""

    def __init__(self, program: ProgramOp):
        super().__init__()
        self.layout = layout_of(program)
        self.inputs = [tensor_type(each) for each in entry_list(program, "inputs")]
        self.outputs = [tensor_type(each) for each in entry_list(program, "outputs")]
        self.names = symbols_of_program(program)
        self.length = length_of(program)
        defined = {*defined_by(program)}
        self.is_cut = any(
            symbols_of(size) & defined for type in self.outputs for size in sizes(type)
        )
        """Whether the shapes of outputs are known only after the run."""
        self.known: dict[str, str] = {}

    def write(self) -> str:
        """The whole function."""
        w = self.w
        if self.is_cut:
            self.call_slowly()
            return self.text()
        count = w.emit(f"and i64 %flags, {COUNT}")
        self.require(w.emit(f"icmp eq i64 {count}, {len(self.inputs)}"))
        arrays = [self.argument(at) for at in range(len(self.inputs))]
        for array, type in zip(arrays, self.inputs, strict=True):
            self.require_array(array, type, WANTED_FLAGS)
        context = self.bind(arrays)
        # What both ways to the outputs use is computed before they part.
        for type in self.outputs:
            self.bytes(type)
        out, places = self.read_outputs(arrays)
        self.take(context)
        made, places = self.make_missing(context, out, places)
        for at, place in enumerate([*map(self.data, arrays), *places]):
            self.set(context, self.layout.HEAD + at, f"ptr {place}")
        status = self.run(context)
        failed, done = w.fresh("failed"), w.fresh("done")
        bad = w.emit(f"icmp ne i32 {status}, 0")
        w.do(f"br i1 {bad}, label %{failed}, label %{done}")
        w.start(failed)
        self.explain(context, status, made)
        w.start(done)
        self.give_back(context)
        self.answer(out, made)
        w.start("slow")
        self.call_slowly()
        return self.text()

    def text(self) -> str:
        """The text of the function."""
        return self.w.text(
            "define ptr @sr_call(ptr %self, ptr %arguments, i64 %flags, ptr %names)"
        )

    def call_slowly(self) -> None:
        """Leaves the call to Python."""
        w = self.w
        callable = self.state(State.SLOW)
        count = w.emit(f"and i64 %flags, {COUNT}")
        answer = w.emit(
            f"call ptr @PyObject_Vectorcall(ptr {callable}, ptr %arguments, "
            f"i64 {count}, ptr %names)"
        )
        w.do(f"ret ptr {answer}")

    def explain(self, context: str, status: str, made: Sequence[str]) -> None:
        """
        Leaves the error of a run to Python, which gives the context back; but for that
        of an interruption, which Python knows already.
        """
        w = self.w
        for each in made:
            w.do(f"call void @Py_DecRef(ptr {each})")
        if self.length.is_ever_long:
            ended, wrong = w.fresh("ended"), w.fresh("wrong")
            interrupted = w.emit(f"icmp eq i32 {status}, {INTERRUPTED}")
            w.do(f"br i1 {interrupted}, label %{ended}, label %{wrong}")
            w.start(ended)
            self.give_back(context)
            w.do("ret ptr null")
            w.start(wrong)
        callable = self.state(State.EXPLAIN)
        answer = w.emit(
            f"call ptr (ptr, ptr, ...) @PyObject_CallFunction(ptr {callable}, "
            f"ptr @sr_failure, ptr {context}, i32 {status})"
        )
        w.do(f"ret ptr {answer}")

    def bind(self, arrays: Sequence[str]) -> str:
        """
        Gives the symbols their values, and checks every dimension against them; the
        first free context.

        Its plan must be of these symbols: then what is computed from them fits into 64
        bits, as the plan would not have been made otherwise. Nothing is computed before
        that is known.
        """
        w = self.w
        later: list[tuple[str, Dim]] = []
        for array, type in zip(arrays, self.inputs, strict=True):
            dims = self.dimensions(array, len(sizes(type)))
            for actual, size in zip(dims, sizes(type), strict=True):
                name = bare_symbol(size)
                if name is not None and name not in self.known:
                    self.known[name] = actual
                else:
                    later.append((actual, size))
        w.symbols = self.known
        context = self.state(State.FREE)
        self.require(w.emit(f"icmp ne ptr {context}, null"))
        for at, name in enumerate(self.names):
            word = self.word(context, self.layout.first_symbol + at)
            self.require(self.equal("i64", word, self.known[name]))
        for actual, size in later:
            self.require(w.emit(f"icmp eq i64 {actual}, {self.size(size)}"))
        return context

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

    def read_outputs(self, arrays: Sequence[str]) -> tuple[str, list[str]]:
        """
        What the caller gave as `out`, null if nothing, and where the elements of its
        arrays are; they are checked as the inputs are, and share no memory.
        """
        w = self.w
        named, ready, before = w.fresh("named"), w.fresh("ready"), w.label
        plain = w.emit("icmp eq ptr %names, null")
        w.do(f"br i1 {plain}, label %{ready}, label %{named}")
        w.start(named)
        (name,) = self.elements("%names", 1)
        self.require(w.emit(f"icmp eq ptr {name}, {self.state(State.OUT)}"))
        out = self.argument(len(arrays))
        given = [out]
        if len(self.outputs) != 1:
            kind = self.state(State.TUPLE_TYPE)
            self.require(self.equal("ptr", self.field(out, TYPE), kind))
            given = self.elements(out, len(self.outputs))
        for array, type in zip(given, self.outputs, strict=True):
            self.require_array(array, type, WRITTEN_FLAGS)
            dims = self.dimensions(array, len(sizes(type)))
            for actual, size in zip(dims, sizes(type), strict=True):
                self.require(w.emit(f"icmp eq i64 {actual}, {self.size(size)}"))
        types = [*self.outputs, *self.inputs]
        places = [self.data(each) for each in (*given, *arrays)]
        rows = zip(places, map(self.bytes, types), strict=True)
        self.require_apart(len(given), [*rows])
        end = w.label
        w.do(f"br label %{ready}")
        w.start(ready)
        each_or_null = [
            w.emit(f"phi ptr [null, %{before}], [{each}, %{end}]")
            for each in (out, *places[: len(given)])
        ]
        return each_or_null[0], each_or_null[1:]

    def make_missing(
        self, context: str, out: str, places: Sequence[str]
    ) -> tuple[list[str], list[str]]:
        """
        The arrays that are made unless the caller gave some, null if it did, and where
        the elements of the outputs are.
        """
        w = self.w
        make, ready, before = w.fresh("make"), w.fresh("ready"), w.label
        none = w.emit(f"icmp eq ptr {out}, null")
        w.do(f"br i1 {none}, label %{make}, label %{ready}")
        w.start(make)
        made = self.make_outputs(context)
        new = [self.data(each) for each in made]
        end = w.label
        w.do(f"br label %{ready}")
        w.start(ready)
        arrays = [
            w.emit(f"phi ptr [null, %{before}], [{each}, %{end}]") for each in made
        ]
        return arrays, [
            w.emit(f"phi ptr [{given}, %{before}], [{each}, %{end}]")
            for given, each in zip(places, new, strict=True)
        ]

    def take(self, context: str) -> None:
        """Takes the first context off the free list, which nobody changed meanwhile."""
        w = self.w
        following = w.emit(f"load ptr, ptr {self.word(context, self.layout.NEXT)}")
        w.do(f"store ptr {following}, ptr @sr_state, align {WORD}")

    def give_back(self, context: str) -> None:
        """Puts a context on the free list."""
        first = self.state(State.FREE)
        self.set(context, self.layout.NEXT, f"ptr {first}")
        self.w.do(f"store ptr {context}, ptr @sr_state, align {WORD}")

    def word(self, context: str, number: int) -> str:
        """The address of a word of a context."""
        return self.w.emit(f"getelementptr inbounds i64, ptr {context}, i64 {number}")

    def set(self, context: str, number: int, value: str) -> None:
        """Writes a word of a context."""
        self.w.do(f"store {value}, ptr {self.word(context, number)}, align {WORD}")

    def make_outputs(self, context: str) -> list[str]:
        """Makes an array for each output."""
        w = self.w
        results: list[str] = []
        most = max((len(sizes(type)) for type in self.outputs), default=0)
        dims = w.entered(f"alloca [{max(most, 1)} x i64], align {WORD}")
        for type in self.outputs:
            array = self.new_array(type, dims)
            self.keep_or_leave(array, results, context)
            results.append(array)
        return results

    def keep_or_leave(self, array: str, made: Sequence[str], context: str) -> None:
        """Goes on with an array, or ends the call when there was no memory for it."""
        w = self.w
        none, some = w.fresh("none"), w.fresh("some")
        missing = w.emit(f"icmp eq ptr {array}, null")
        w.do(f"br i1 {missing}, label %{none}, label %{some}")
        w.start(none)
        self.give_back(context)
        for each in made:
            w.do(f"call void @Py_DecRef(ptr {each})")
        w.do("ret ptr null")
        w.start(some)

    def run(self, context: str) -> str:
        """Runs the program, without the GIL when it is long; its status."""
        w = self.w
        held, released = (f"call i32 @{each}(ptr {context})" for each in RUNS)
        work = self.length.work
        if self.length.is_endless:
            return w.emit(released)
        if isinstance(work, int):
            return w.emit(held if work < WORTH_RELEASING else released)
        long, short, after = w.fresh("long"), w.fresh("short"), w.fresh("after")
        worth = w.emit(f"icmp sge i64 {self.size(work)}, {WORTH_RELEASING}")
        w.do(f"br i1 {worth}, label %{long}, label %{short}")
        ends: list[str] = []
        for label, run in ((long, released), (short, held)):
            w.start(label)
            ends.append(f"[{w.emit(run)}, %{label}]")
            w.do(f"br label %{after}")
        w.start(after)
        return w.emit(f"phi i32 {', '.join(ends)}")

    def answer(self, out: str, results: Sequence[str]) -> None:
        """Returns what the caller gave, or the only output, or a tuple of several."""
        w = self.w
        given, fresh = w.fresh("given"), w.fresh("new")
        none_given = w.emit(f"icmp eq ptr {out}, null")
        w.do(f"br i1 {none_given}, label %{fresh}, label %{given}")
        w.start(given)
        w.do(f"call void @Py_IncRef(ptr {out})")
        w.do(f"ret ptr {out}")
        w.start(fresh)
        if len(results) == 1:
            w.do(f"ret ptr {results[0]}")
            return
        whole = w.emit(f"call ptr @PyTuple_New(i64 {len(results)})")
        none, some = w.fresh("none"), w.fresh("some")
        missing = w.emit(f"icmp eq ptr {whole}, null")
        w.do(f"br i1 {missing}, label %{none}, label %{some}")
        w.start(none)
        for result in results:
            w.do(f"call void @Py_DecRef(ptr {result})")
        w.do("ret ptr null")
        w.start(some)
        for at, result in enumerate(results):
            w.emit(f"call i32 @PyTuple_SetItem(ptr {whole}, i64 {at}, ptr {result})")
        w.do(f"ret ptr {whole}")


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
