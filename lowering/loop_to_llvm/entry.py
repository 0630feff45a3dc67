"""
Write the entry of a program: the function that Python calls, which reads arrays itself.

    PyObject *sr_call(self, PyObject **arguments, Py_ssize_t count, PyObject *names)

It takes a call whose arguments are numpy arrays of just the declared dtypes and shapes,
contiguous and aligned, with the symbols of the last plan; it makes the outputs, lends a
context from the module's free list, and runs. Everything else, and every error, goes to
the module's Python callable with the arguments as they came, which converts or
explains.

The fields of an array and the slots of numpy's C interface are stable; the runtime
checks them once against arrays that it knows. The GIL is held while the free list
changes hands, and released around a run that is long enough to be worth it.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import StringAttr

from ...dialects.dims import Dim, Symbol, dim, symbols_of
from ...dialects.graph.shape import Tensor, dtype, sizes, tensor_type
from ...dialects.loop.ops.program import ProgramOp
from ...runtime.layout import DTYPE_NAMES, WORD, State
from .function import FunctionWriter
from .words import defined_by, entry_list, layout_of, symbols_of_program

# Where the fields of a numpy array are, in bytes.
TYPE, DATA, RANK, DIMS, DTYPE, FLAGS = 8, 16, 24, 32, 56, 64
# NPY_ARRAY_C_CONTIGUOUS and NPY_ARRAY_ALIGNED.
WANTED_FLAGS = 0x1 | 0x100

WORTH_RELEASING = 32768
"""Points of loops from which on a run is some two microseconds long."""

DECLARATIONS = """@sr_state = external global i8
declare ptr @PyObject_Vectorcall(ptr, ptr, i64, ptr)
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


def write_entry(program: ProgramOp) -> str:
    """The text of `sr_call` for a program."""
    return DECLARATIONS + _EntryWriter(program).write() + FREE_LIST


class _EntryWriter:
    """Writes the checks, the outputs and the run of one call."""

    def __init__(self, program: ProgramOp):
        self.layout = layout_of(program)
        self.inputs = [tensor_type(each) for each in entry_list(program, "inputs")]
        self.outputs = [tensor_type(each) for each in entry_list(program, "outputs")]
        self.names = symbols_of_program(program)
        work = program.entries.data.get("work")
        self.work = dim(work.data) if isinstance(work, StringAttr) else 0
        defined = {*defined_by(program)}
        self.is_cut = any(
            symbols_of(size) & defined for type in self.outputs for size in sizes(type)
        )
        """Whether the shapes of outputs are known only after the run."""
        # Symbols have no value before the inputs were read: they are not of the entry.
        self.w = FunctionWriter({})
        self.known: dict[str, str] = {}

    def write(self) -> str:
        """The whole function."""
        w = self.w
        if self.is_cut:
            self.call_slowly()
            return self.text()
        count = len(self.inputs)
        right = w.emit(f"icmp eq i64 %count, {count}")
        plain = w.emit("icmp eq ptr %names, null")
        self.require(w.emit(f"and i1 {right}, {plain}"))
        arrays = [self.argument(at) for at in range(count)]
        self.bind(arrays)
        context = self.borrow()
        results = self.make_outputs(context)
        for at, array in enumerate(arrays):
            data = w.emit(f"load ptr, ptr {self.field(array, DATA)}, align {WORD}")
            self.set(context, self.layout.HEAD + at, f"ptr {data}")
        status = self.run(context)
        self.give_back(context)
        failed, done = w.fresh("failed"), w.fresh("done")
        bad = w.emit(f"icmp ne i32 {status}, 0")
        w.do(f"br i1 {bad}, label %{failed}, label %{done}")
        w.start(failed)
        for result in results:
            w.do(f"call void @Py_DecRef(ptr {result})")
        w.do("br label %slow")
        w.start(done)
        self.answer(results)
        w.start("slow")
        self.call_slowly()
        return self.text()

    def text(self) -> str:
        """The text of the function."""
        return self.w.text(
            "define ptr @sr_call(ptr %self, ptr %arguments, i64 %count, ptr %names)"
        )

    def call_slowly(self) -> None:
        """Leaves the call to Python."""
        w = self.w
        callable = self.state(State.SLOW)
        answer = w.emit(
            f"call ptr @PyObject_Vectorcall(ptr {callable}, ptr %arguments, "
            "i64 %count, ptr %names)"
        )
        w.do(f"ret ptr {answer}")

    def require(self, condition: str) -> None:
        """Goes on when a condition holds, else to Python."""
        on = self.w.fresh("on")
        self.w.do(f"br i1 {condition}, label %{on}, label %slow")
        self.w.start(on)

    def state(self, word: int) -> str:
        """The pointer that a word of the module's state holds."""
        at = f"getelementptr inbounds (i64, ptr @sr_state, i64 {word})"
        return self.w.emit(f"load ptr, ptr {at}, align {WORD}")

    def field(self, array: str, offset: int) -> str:
        """The address of a field of an array."""
        return self.w.emit(f"getelementptr inbounds i8, ptr {array}, i64 {offset}")

    def equal(self, type: str, address: str, value: str) -> str:
        """Whether what an address holds is `value`."""
        got = self.w.emit(f"load {type}, ptr {address}")
        return self.w.emit(f"icmp eq {type} {got}, {value}")

    def descriptor(self, type: Tensor) -> str:
        """The descriptor of a tensor's dtype."""
        return self.state(State.DTYPES + DTYPE_NAMES.index(dtype(type).name))

    def argument(self, at: int) -> str:
        """An argument, after the checks that do not depend on symbols."""
        w, type = self.w, self.inputs[at]
        place = w.emit(f"getelementptr inbounds ptr, ptr %arguments, i64 {at}")
        array = w.emit(f"load ptr, ptr {place}, align {WORD}")
        kind = self.state(State.ARRAY_TYPE)
        self.require(self.equal("ptr", self.field(array, TYPE), kind))
        rank = len(sizes(type))
        same_rank = self.equal("i32", self.field(array, RANK), str(rank))
        same_type = self.equal("ptr", self.field(array, DTYPE), self.descriptor(type))
        flags = w.emit(f"load i32, ptr {self.field(array, FLAGS)}")
        kept = w.emit(f"and i32 {flags}, {WANTED_FLAGS}")
        plain = w.emit(f"icmp eq i32 {kept}, {WANTED_FLAGS}")
        both = w.emit(f"and i1 {same_rank}, {same_type}")
        self.require(w.emit(f"and i1 {both}, {plain}"))
        return array

    def bind(self, arrays: Sequence[str]) -> None:
        """Gives the symbols their values, and checks every dimension against them."""
        w = self.w
        later: list[tuple[str, Dim]] = []
        for array, type in zip(arrays, self.inputs, strict=True):
            if not sizes(type):
                continue
            dims = w.emit(f"load ptr, ptr {self.field(array, DIMS)}, align {WORD}")
            for axis, size in enumerate(sizes(type)):
                place = w.emit(f"getelementptr inbounds i64, ptr {dims}, i64 {axis}")
                actual = w.emit(f"load i64, ptr {place}, align {WORD}")
                name = bare_symbol(size)
                if name is not None and name not in self.known:
                    self.known[name] = actual
                else:
                    later.append((actual, size))
        w.symbols = self.known
        for actual, size in later:
            self.require(w.emit(f"icmp eq i64 {actual}, {self.size(size)}"))

    def size(self, size: Dim) -> str:
        """The i64 that a dimension is, computed here and not at the entry."""
        start = len(self.w.entry)
        text = self.w.size(size)
        self.w.lines += self.w.entry[start:]
        del self.w.entry[start:]
        return text

    def borrow(self) -> str:
        """Takes a context off the free list; one whose plan is of these symbols."""
        w = self.w
        context = self.state(State.FREE)
        self.require(w.emit(f"icmp ne ptr {context}, null"))
        for at, name in enumerate(self.names):
            word = self.word(context, self.layout.first_symbol + at)
            self.require(self.equal("i64", word, self.known[name]))
        following = w.emit(f"load ptr, ptr {self.word(context, self.layout.NEXT)}")
        w.do(f"store ptr {following}, ptr @sr_state, align {WORD}")
        return context

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
        """
        Makes an array for each output, and lets the context point to its elements.
        """
        w = self.w
        results: list[str] = []
        most = max((len(sizes(type)) for type in self.outputs), default=0)
        dims = w.entered(f"alloca [{max(most, 1)} x i64], align {WORD}")
        for at, type in enumerate(self.outputs):
            for axis, size in enumerate(sizes(type)):
                place = w.emit(f"getelementptr inbounds i64, ptr {dims}, i64 {axis}")
                w.do(f"store i64 {self.size(size)}, ptr {place}, align {WORD}")
            described = self.descriptor(type)
            w.do(f"call void @Py_IncRef(ptr {described})")
            make = self.state(State.EMPTY)
            array = w.emit(
                f"call ptr {make}(i32 {len(sizes(type))}, ptr {dims}, "
                f"ptr {described}, i32 0)"
            )
            self.keep_or_leave(array, results, context)
            data = w.emit(f"load ptr, ptr {self.field(array, DATA)}, align {WORD}")
            self.set(context, self.layout.first_output + at, f"ptr {data}")
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
        if isinstance(self.work, int):
            if self.work < WORTH_RELEASING:
                return w.emit(f"call i32 @sr_run(ptr {context})")
            return self.run_released(context)
        long, short, after = w.fresh("long"), w.fresh("short"), w.fresh("after")
        work = self.size(self.work)
        worth = w.emit(f"icmp sge i64 {work}, {WORTH_RELEASING}")
        w.do(f"br i1 {worth}, label %{long}, label %{short}")
        w.start(long)
        released = self.run_released(context)
        w.do(f"br label %{after}")
        w.start(short)
        held = w.emit(f"call i32 @sr_run(ptr {context})")
        w.do(f"br label %{after}")
        w.start(after)
        return w.emit(f"phi i32 [{released}, %{long}], [{held}, %{short}]")

    def run_released(self, context: str) -> str:
        """Runs the program without the GIL; its status."""
        thread = self.w.emit("call ptr @PyEval_SaveThread()")
        status = self.w.emit(f"call i32 @sr_run(ptr {context})")
        self.w.do(f"call void @PyEval_RestoreThread(ptr {thread})")
        return status

    def answer(self, results: Sequence[str]) -> None:
        """Returns the only output, or a tuple of several."""
        w = self.w
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
