"""
Write `sr_call` for a program with many inputs and outputs: what `entry.py` writes, in
functions of a few arrays each, and with loops over tables.

LLVM takes longer than in proportion over a function that is long, and what is to be
undone at each array grows with those before it; so one function would take minutes for
a thousand arrays. A call that gives `out` is left to Python.

What is read of the inputs is kept in tables on the stack: the values of the symbols, by
which their plan row is found, and the addresses of the elements.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ....dialects import Dim, Tensor, sizes, symbols_of
from ....dialects.loop import ProgramOp
from ....runtime import WORD
from .call import COUNT, CallWriter, bare_symbol
from .python_objects import WANTED_FLAGS, ObjectWriter

MANY = 64
"""Inputs and outputs from which on an entry is wide: one function of them is quick."""

PART = 16
"""Arrays of one function."""

# What is done with the arrays that were made, null for those that were not.
MADE = f"""define void @sr_drop(ptr %made, i64 %count) nounwind {{
entry:
  br label %look
look:
  %at = phi i64 [0, %entry], [%next, %one]
  %more = icmp slt i64 %at, %count
  br i1 %more, label %one, label %done
one:
  %place = getelementptr inbounds ptr, ptr %made, i64 %at
  %array = load ptr, ptr %place, align {WORD}
  call void @Py_DecRef(ptr %array)
  %next = add nuw nsw i64 %at, 1
  br label %look
done:
  ret void
}}
define ptr @sr_tuple(ptr %made, i64 %count) nounwind {{
entry:
  %whole = call ptr @PyTuple_New(i64 %count)
  %none = icmp eq ptr %whole, null
  br i1 %none, label %missing, label %look
missing:
  call void @sr_drop(ptr %made, i64 %count)
  ret ptr null
look:
  %at = phi i64 [0, %entry], [%next, %one]
  %more = icmp slt i64 %at, %count
  br i1 %more, label %one, label %done
one:
  %place = getelementptr inbounds ptr, ptr %made, i64 %at
  %array = load ptr, ptr %place, align {WORD}
  %set = call i32 @PyTuple_SetItem(ptr %whole, i64 %at, ptr %array)
  %next = add nuw nsw i64 %at, 1
  br label %look
done:
  ret ptr %whole
}}
"""


def is_wide(program: ProgramOp) -> bool:
    """Whether a program has many inputs and outputs."""
    return len(program.inputs) + len(program.outputs) > MANY


def write_wide_entry(program: ProgramOp) -> tuple[str, tuple[Dim, ...]]:
    """The text of `sr_call` for a wide program, and the dimensions that it computes."""
    writer = _WideEntryWriter(program)
    return writer.write(), (*writer.w.sizes, *writer.compared)


class _PartWriter(ObjectWriter):
    """Writes a function that checks or makes a few arrays; it returns a success."""

    def __init__(self, entry: _WideEntryWriter, types: Sequence[Tensor] = ()):
        """A function that reads the symbols of these types from `%row`."""
        super().__init__()
        used = {name for t in types for size in sizes(t) for name in symbols_of(size)}
        symbols: dict[str, str] = {}
        for at, name in enumerate(entry.names):
            if name in used:
                number = entry.row.first_symbol + at
                address = f"getelementptr inbounds i64, ptr %row, i64 {number}"
                value = f"load i64, ptr {self.w.entered(address)}, align {WORD}"
                symbols[name] = self.w.entered(value)
        self.w.symbols = symbols

    def keep(self, value: str, table: str, number: int) -> None:
        """Writes a value to a table of values of 8 bytes."""
        field = self.w.emit(f"getelementptr inbounds i64, ptr {table}, i64 {number}")
        self.w.do(f"store {value}, ptr {field}, align {WORD}")

    def text(self, name: str, arguments: str) -> str:
        """The text of the function."""
        self.w.do("ret i1 true")
        self.w.start("slow")
        self.w.do("ret i1 false")
        return self.w.text(
            f"define internal i1 @{name}({arguments})", "nounwind noinline "
        )


class _WideEntryWriter(CallWriter):
    """Writes functions of a few arrays, and what calls them."""

    def __init__(self, program: ProgramOp):
        super().__init__(program)
        self.compared: dict[Dim, None] = {}
        """The dimensions that the functions of a few arrays compute."""

    def write(self) -> str:
        """The whole text."""
        w = self.w
        if self.is_cut:
            self.call_slowly()
            return self.text()
        count = w.emit(f"and i64 %flags, {COUNT}")
        self.require(w.emit(f"icmp eq i64 {count}, {len(self.inputs)}"))
        self.require(w.emit("icmp eq ptr %names, null"))
        data = w.entered(f"alloca [{max(len(self.inputs), 1)} x ptr], align {WORD}")
        readers, comparers = dict(self.readers()), dict(self.comparers())
        for name in readers:
            arguments = f"ptr %arguments, ptr {self.wanted}, ptr {data}"
            self.require(w.emit(f"call i1 @{name}({arguments})"))
        row = self.search() if self.is_open else "null"
        for name in comparers:
            self.require(w.emit(f"call i1 @{name}(ptr %arguments, ptr {row})"))
        context = self.borrow(row)
        w.do(
            "call void @llvm.memcpy.p0.p0.i64(ptr "
            f"{self.context_field(context, self.layout.HEAD)}, ptr {data}, "
            f"i64 {WORD * len(self.inputs)}, i1 false)"
        )
        # The row that was found may be gone if Python lent the context.
        plan = self.context_field(context, self.layout.PLAN)
        row = w.emit(f"load ptr, ptr {plan}, align {WORD}")
        makers = dict(self.makers())
        made = self.make_all(context, row, list(makers))
        self.finish(context, row, made)
        w.start("slow")
        self.call_slowly()
        parts = (*readers.values(), *comparers.values(), *makers.values())
        return "".join([self.text(), *parts])

    def readers(self) -> Iterator[tuple[str, str]]:
        """
        The functions that check the kinds of inputs, and note their symbols and where
        their elements are.
        """
        numbers = {name: at for at, name in enumerate(self.names)}
        for first, types in parts(self.inputs):
            part = _PartWriter(self)
            for at, type in enumerate(types, first):
                array = part.argument(at)
                part.require_array(array, type, WANTED_FLAGS)
                dims = part.dimensions(array, len(sizes(type)))
                for actual, size in zip(dims, sizes(type), strict=True):
                    number = numbers.pop(bare_symbol(size) or "", None)
                    if number is not None:
                        part.keep(f"i64 {actual}", "%wanted", number)
                part.keep(f"ptr {part.data(array)}", "%data", at)
            arguments = "ptr %arguments, ptr %wanted, ptr %data"
            yield f"read.{first}", part.text(f"read.{first}", arguments)

    def comparers(self) -> Iterator[tuple[str, str]]:
        """The functions that compare the sizes of inputs with those of the row."""
        for first, types in parts(self.inputs):
            part = _PartWriter(self, types)
            for at, type in enumerate(types, first):
                dims = part.dimensions(part.argument(at), len(sizes(type)))
                for actual, size in zip(dims, sizes(type), strict=True):
                    wanted = part.w.size(size)
                    part.require(part.w.emit(f"icmp eq i64 {actual}, {wanted}"))
            self.compared.update(dict.fromkeys(part.w.sizes))
            text = part.text(f"compare.{first}", "ptr %arguments, ptr %row")
            yield f"compare.{first}", text

    def makers(self) -> Iterator[tuple[str, str]]:
        """The functions that make outputs, and note where their elements are."""
        for first, types in parts(self.outputs):
            part = _PartWriter(self, types)
            w = part.w
            most = max(1, *(len(sizes(type)) for type in types))
            dims = w.entered(f"alloca [{most} x i64], align {WORD}")
            for at, type in enumerate(types, first):
                array = part.new_array(type, dims)
                part.require(w.emit(f"icmp ne ptr {array}, null"))
                part.keep(f"ptr {array}", "%made", at)
                field = self.layout.first_output + at
                part.keep(f"ptr {part.data(array)}", "%context", field)
            self.compared.update(dict.fromkeys(part.w.sizes))
            arguments = "ptr %made, ptr %context, ptr %row"
            yield f"make.{first}", part.text(f"make.{first}", arguments)

    def make_all(self, context: str, row: str, makers: Sequence[str]) -> str:
        """Makes the outputs; without memory for one, Python says for which."""
        w, count = self.w, len(self.outputs)
        made = w.entered(f"alloca [{count} x ptr], align {WORD}")
        w.do(
            f"call void @llvm.memset.p0.i64(ptr {made}, i8 0, i64 {WORD * count}, "
            "i1 false)"
        )
        none = w.fresh("none")
        for name in makers:
            arguments = f"ptr {made}, ptr {context}, ptr {row}"
            good = w.emit(f"call i1 @{name}({arguments})")
            some = w.fresh("some")
            w.do(f"br i1 {good}, label %{some}, label %{none}")
            w.start(some)
        after = w.fresh("made")
        w.do(f"br label %{after}")
        if makers:
            w.start(none)
            self.drop(made)
            self.leave(context)
        w.start(after)
        return made

    def drop(self, made: str) -> None:
        """Lets go of the outputs that were made."""
        self.w.do(f"call void @sr_drop(ptr {made}, i64 {len(self.outputs)})")

    def finish(self, context: str, row: str, made: str) -> None:
        """Runs, and returns the outputs."""
        w = self.w
        needed = symbols_of(self.length.work)
        for at, name in enumerate(self.names):
            if name in needed:
                self.known[name] = self.loaded(row, self.row.first_symbol + at)
        w.symbols = self.known
        status = self.run(context)
        failed, done = w.fresh("failed"), w.fresh("done")
        bad = w.emit(f"icmp ne i32 {status}, 0")
        w.do(f"br i1 {bad}, label %{failed}, label %{done}")
        w.start(failed)
        self.drop(made)
        self.explain(context, status, ())
        w.start(done)
        self.give_back(context)
        if len(self.outputs) == 1:
            w.do(f"ret ptr {w.emit(f'load ptr, ptr {made}, align {WORD}')}")
            return
        whole = w.emit(f"call ptr @sr_tuple(ptr {made}, i64 {len(self.outputs)})")
        w.do(f"ret ptr {whole}")


def parts(types: Sequence[Tensor]) -> Iterator[tuple[int, Sequence[Tensor]]]:
    """A few tensors at a time, each time with the number of the first."""
    for first in range(0, len(types), PART):
        yield first, types[first : first + PART]
