"""
Write the entry of a program: the function that Python calls, which reads arrays itself.

    PyObject *sr_call(self, PyObject **arguments, size_t flags, PyObject *names)

It takes a call whose arguments are numpy arrays of just the declared dtypes and shapes,
contiguous and aligned, with symbols of which there is a plan. It makes the outputs, or
writes to those that the caller gave as `out`, borrows a context from the module's free
list (`lending.py`), and runs. Everything else goes to the module's Python callable with
the arguments as they came, which converts or explains.

A run that ends in an error is explained by another callable, which is given the context
and what the run returned. The GIL is held while the free list changes hands, and
released around a run that is long enough to be worth it (`interrupts.py`).
"""

from __future__ import annotations

from collections.abc import Sequence

from ....dialects import Dim, sizes
from ....dialects.loop import ProgramOp
from ....runtime import WORD, State
from .call import COUNT, CallWriter, bare_symbol
from .python_objects import TYPE, WANTED_FLAGS

_FEW_OUTPUTS = 4
"""Outputs up to which a tuple of them is made in line."""


def write_entry(program: ProgramOp) -> tuple[str, tuple[Dim, ...]]:
    """The text of `sr_call` for a program, and the dimensions that it computes."""
    writer = _EntryWriter(program)
    return writer.write(), tuple(writer.w.sizes)


class _EntryWriter(CallWriter):
    """Writes the checks, the outputs and the run of one call."""

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
        row = self.bind(arrays)
        # What both ways to the outputs use is computed before they part.
        for type in self.outputs:
            self.bytes(type)
        out, given = self.read_outputs(arrays)
        context = self.borrow(row)
        made, elements = self.make_missing(context, out, given)
        for at, address in enumerate([*map(self.data, arrays), *elements]):
            self.set(context, self.layout.HEAD + at, f"ptr {address}")
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

    def bind(self, arrays: Sequence[str]) -> str:
        """
        Binds symbols to sizes of the arrays, checks every dimension against them, and
        returns their plan row; none without symbols.

        No plan is made where a size would exceed 64 bits, so sizes are computed only
        after a row was found.
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
        row = ""
        if self.is_open:
            row = self.find_row([self.known[name] for name in self.names])
        for actual, size in later:
            self.require(w.emit(f"icmp eq i64 {actual}, {self.size(size)}"))
        return row

    def read_outputs(self, arrays: Sequence[str]) -> tuple[str, list[str]]:
        """
        What the caller gave as `out`, null if nothing, and the addresses of its arrays'
        elements. They are checked as inputs are, and that none overlaps another array.
        """
        w = self.w
        named, ready, before = w.fresh("named"), w.fresh("ready"), w.label
        plain = w.emit("icmp eq ptr %names, null")
        w.do(f"br i1 {plain}, label %{ready}, label %{named}")
        w.start(named)
        self.require(w.emit("call i1 @sr_is_out(ptr %names)"))
        out = self.argument(len(arrays))
        given = [out]
        if len(self.outputs) != 1:
            kind = self.state(State.TUPLE_TYPE)
            self.require(self.equal("ptr", self.field(out, TYPE), kind))
            given = self.elements(out, len(self.outputs))
        for array, type in zip(given, self.outputs, strict=True):
            self.require_written(array, type)
            dims = self.dimensions(array, len(sizes(type)))
            for actual, size in zip(dims, sizes(type), strict=True):
                self.require(w.emit(f"icmp eq i64 {actual}, {self.size(size)}"))
        types = [*self.outputs, *self.inputs]
        elements = [self.data(each) for each in (*given, *arrays)]
        counts = [*map(self.bytes, types)]
        for input, output in self.donations:
            # Nothing of the input counts where it is the memory of its output.
            same = w.emit(
                f"icmp eq ptr {elements[len(given) + input]}, {elements[output]}"
            )
            count = counts[len(given) + input]
            counts[len(given) + input] = w.emit(f"select i1 {same}, i64 0, i64 {count}")
        self.require_apart(len(given), [*zip(elements, counts, strict=True)])
        end = w.label
        w.do(f"br label %{ready}")
        w.start(ready)
        each_or_null = [
            w.emit(f"phi ptr [null, %{before}], [{each}, %{end}]")
            for each in (out, *elements[: len(given)])
        ]
        return each_or_null[0], each_or_null[1:]

    def make_missing(
        self, context: str, out: str, given: Sequence[str]
    ) -> tuple[list[str], list[str]]:
        """
        The arrays that are made unless the caller gave some, null if it did, and the
        addresses of the outputs' elements, which are at `given` if it did.
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
            w.emit(f"phi ptr [{old}, %{before}], [{each}, %{end}]")
            for old, each in zip(given, new, strict=True)
        ]

    def make_outputs(self, context: str) -> list[str]:
        """Makes an array for each output; without memory, Python says for which."""
        w = self.w
        results: list[str] = []
        most = max((len(sizes(type)) for type in self.outputs), default=0)
        dims = w.entered(f"alloca [{max(most, 1)} x i64], align {WORD}")
        failed = [w.fresh("failed") for _ in self.outputs]
        for type, none in zip(self.outputs, failed, strict=True):
            array, some = self.new_array(type, dims), w.fresh("some")
            missing = w.emit(f"icmp eq ptr {array}, null")
            w.do(f"br i1 {missing}, label %{none}, label %{some}")
            w.start(some)
            results.append(array)
        after = w.fresh("made")
        w.do(f"br label %{after}")
        # Each lets go of the array before, and goes on as if that had failed.
        for at in reversed(range(len(failed))):
            w.start(failed[at])
            if at:
                w.do(f"call void @Py_DecRef(ptr {results[at - 1]})")
                w.do(f"br label %{failed[at - 1]}")
            else:
                self.leave(context)
        w.start(after)
        return results

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
        if len(results) > _FEW_OUTPUTS:
            self.answer_many(results)
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

    def answer_many(self, results: Sequence[str]) -> None:
        """Returns a tuple, which is made of a table: that is less code for many."""
        w = self.w
        table = w.entered(f"alloca [{len(results)} x ptr], align {WORD}")
        for at, result in enumerate(results):
            address = w.emit(f"getelementptr inbounds ptr, ptr {table}, i64 {at}")
            w.do(f"store ptr {result}, ptr {address}, align {WORD}")
        whole = w.emit(f"call ptr @sr_tuple(ptr {table}, i64 {len(results)})")
        w.do(f"ret ptr {whole}")
