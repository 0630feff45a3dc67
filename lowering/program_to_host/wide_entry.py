"""
Lower `sr_call` of a program with many inputs and outputs: what `entry.py` builds, in
functions of a few arrays each, and with loops over tables.

LLVM takes longer than in proportion over a function that is long, and what is to be
undone at each array grows with those before it; so one function would take minutes for
a thousand arrays. A call that gives `out` is left to Python, as is every call where
shapes of outputs are known only after the run.

What is read of the inputs is kept in tables on the stack: the values of the symbols, by
which their plan row is found, and the addresses of the elements.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ...dialects import Dim, Tensor, sizes
from ...dialects.loop import ProgramOp
from ...runtime.abi import ContextLayout
from ...runtime.hostcode import (
    ADDRESS,
    BIT,
    NULL,
    Builder,
    Function,
    Signature,
    Value,
)
from .call import ArrayBuilder, CallBuilder, bare_symbol
from .python_calls import DROP, TUPLE

MIN_WIDE_ARRAYS = 64
"""Inputs and outputs from which on an entry is wide: one function of them is quick."""

ARRAYS_PER_FUNCTION = 16
"""Arrays of one function."""


def is_wide(program: ProgramOp) -> bool:
    """Whether a program has many inputs and outputs."""
    return len(program.inputs) + len(program.outputs) > MIN_WIDE_ARRAYS


def lower_wide_entry(program: ProgramOp) -> tuple[list[Function], tuple[Dim, ...]]:
    """`sr_call` for a wide program with what it calls, and the dimensions computed."""
    entry = _WideEntry(program)
    entry.build()
    functions = [entry.made(), *(each.b.function for each in entry.parts)]
    every = [entry.sizes.computed, *(each.sizes.computed for each in entry.parts)]
    return functions, tuple({size: None for each in every for size in each})


class _Part(ArrayBuilder):
    """Builds a function that checks or makes a few arrays; it returns a success."""

    def __init__(self, name: str, symbols: Sequence[str] = (), first: int = 0):
        """
        A function of three addresses. The symbols, if any, are in the row that is the
        last of these, from its field `first` on.
        """
        signature = Signature(name, (ADDRESS,) * 3, BIT)
        super().__init__(Builder(signature, "nounwind noinline", "internal"))
        self.name = signature
        row = self.b.parameters[2]
        for at, each in enumerate(symbols, first):
            self.sizes.symbols[each] = self.b.load_constant(row, at)

    def end(self) -> None:
        """Ends the function."""
        self.b.leave(True)
        with self.b.exit("slow"):
            self.b.leave(False)


class _WideEntry(CallBuilder):
    """Builds functions of a few arrays, and what calls them."""

    def __init__(self, program: ProgramOp):
        super().__init__(program)
        self.parts: list[_Part] = []

    def part(self, name: str, has_row: bool) -> _Part:
        """A function of a few arrays, which is called where `build` is."""
        symbols = self.symbols if has_row else ()
        self.parts.append(_Part(name, symbols, self.row.first_symbol))
        return self.parts[-1]

    def build(self) -> None:
        """Builds all but the way to Python."""
        b = self.b
        if not self.begin(may_be_late=False):
            return
        self.require(b.eq(self.out, NULL))
        data = b.alloca(len(self.inputs))
        self.read(data)
        row: Value = self.search() if self.symbols else NULL
        self.compare(row)
        context = self.borrow(row)
        with b.loop(0, len(self.inputs)) as each:
            address = b.load(b.at(data, each.index), type=ADDRESS)
            first = b.offset(context, 8 * self.layout.HEAD)
            b.store(address, b.at(first, each.index))
        # The row that was found may be gone if Python lent the context.
        row = b.load(context, ContextLayout.PLAN, ADDRESS)
        made = self.make(context, row)
        self.finish(context, row, made)

    def read(self, data: Value) -> None:
        """
        Checks the kinds of inputs, and notes their symbols and where their elements
        are.
        """
        numbers = {name: at for at, name in enumerate(self.symbols)}
        for first, types in _few(self.inputs):
            part = self.part(f"read.{first}", False)
            arguments, wanted, elements = part.b.parameters
            for at, type in enumerate(types, first):
                array = part.b.load(arguments, at, ADDRESS)
                part.require_array(array, type)
                for actual, size in part.dimensions(array, type):
                    number = numbers.pop(bare_symbol(size) or "", None)
                    if number is not None:
                        part.b.store(actual, wanted, number)
                part.b.store(part.data(array), elements, at)
            part.end()
            self.require(self.b.call(part.name, self.placed, self.wanted, data))

    def compare(self, row: Value) -> None:
        """Checks that inputs have the sizes that follow from the symbols in the row."""
        for first, types in _few(self.inputs):
            part = self.part(f"compare.{first}", True)
            for at, type in enumerate(types, first):
                array = part.b.load(part.b.parameters[0], at, ADDRESS)
                part.require_sizes(part.dimensions(array, type))
            part.end()
            self.require(self.b.call(part.name, self.placed, NULL, row))

    def make(self, context: Value, row: Value) -> Value:
        """Makes the outputs; without memory for one, Python says for which."""
        b, count = self.b, len(self.outputs)
        made = b.alloca(count)
        with b.loop(0, count) as each:
            b.store(0, b.at(made, each.index))
        for first, types in _few(self.outputs):
            part = self.part(f"make.{first}", True)
            table, own, _ = part.b.parameters
            dims = part.b.alloca(max(len(sizes(type)) for type in types))
            for at, type in enumerate(types, first):
                array = part.new_array(at, type, dims)
                part.require(part.b.ne(array, NULL))
                part.b.store(array, table, at)
                part.b.store(part.data(array), own, self.layout.first_output + at)
            part.end()
            b.go_unless(b.call(part.name, made, context, row), "none")
        with b.exit("none"):
            b.call(DROP, made, count)
            self.leave_call(context)
        return made

    def finish(self, context: Value, row: Value, made: Value) -> None:
        """Runs, and returns the outputs."""
        b, count = self.b, len(self.outputs)
        for at, name in enumerate(self.symbols, self.row.first_symbol):
            self.sizes.symbols[name] = b.load_constant(row, at)
        status = self.run(context)
        with b.when(b.ne(status, 0)):
            b.call(DROP, made, count)
            self.explain(context, status)
        self.give_back(context)
        if count == 1:
            b.leave(b.load(made, type=ADDRESS))
        else:
            b.leave(b.call(TUPLE, made, count))


def _few(types: Sequence[Tensor]) -> Iterator[tuple[int, Sequence[Tensor]]]:
    """A few tensors at a time, each time with the number of the first."""
    for first in range(0, len(types), ARRAYS_PER_FUNCTION):
        yield first, types[first : first + ARRAYS_PER_FUNCTION]
