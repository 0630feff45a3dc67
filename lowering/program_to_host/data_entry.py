"""
The entry of models as data: `sr_call`, `sr_run` and `sr_enter` of any of them.

They do what `wide_entry.py` builds for a program, but read what they must know from a
table (`ModelTable`), in loops, and the sizes of inputs and outputs from words after the
plan row, which Python computes when it adds a row. They are compiled when a library is
built, and linked to the table, the state and the kernels of a model when it is loaded.
A call that gives `out` is left to Python.
"""

from __future__ import annotations

from ...runtime.abi import PAUSED, START, ContextLayout, ModelTable, RowLayout, State
from ...runtime.hostcode import (
    ADDRESS,
    INTERPRET,
    NULL,
    Builder,
    Function,
    Op,
    Value,
)
from . import python_api as api
from .body import RUN
from .call import EntryBuilder
from .lending import note
from .new_arrays import NEW_ARRAY
from .notes import SPEND
from .python_calls import DROP, ENTER, ENTER_IF, IS_ARRAY, TUPLE

_MODEL = "sr_model"
"""The table of the model."""

_PAIR = 16
"""Bytes of a row of two words."""


def data_entry() -> list[Function]:
    """All of the functions."""
    return [_run(), _enter(), _DataEntry().built()]


def _word(b: Builder, number: int) -> Op:
    """A word of the table, which nothing writes."""
    return b.load_constant(b.outside(_MODEL), number)


def _run() -> Function:
    """Runs the bytecode; where it pauses, Python is asked whether the run goes on."""
    b = Builder(RUN, "nounwind")
    (context,) = b.parameters
    code = b.load_constant(b.outside(_MODEL), ModelTable.CODE, ADDRESS)
    kernels = b.load_constant(b.outside(_MODEL), ModelTable.KERNELS, ADDRESS)
    registers = b.at(context, _word(b, ModelTable.CONTEXT))
    b.store(0, registers, START)
    with b.forever():
        status = b.call(INTERPRET, context, code, registers, kernels)
        b.leave_if(b.ne(status, PAUSED), status)
        asked = b.call(SPEND, context, 0)
        b.leave_if(b.ne(asked, 0), asked)
    return b.function


def _enter() -> Function:
    """Runs without the GIL; any run may be long."""
    b = Builder(ENTER)
    b.leave(b.call(ENTER_IF, b.parameters[0], True))
    return b.function


class _DataEntry(EntryBuilder):
    """Builds `sr_call`."""

    def __init__(self) -> None:
        super().__init__()
        b = self.b
        self.inputs, self.outputs, self.symbols = (
            _word(b, at)
            for at in (ModelTable.INPUTS, ModelTable.OUTPUTS, ModelTable.SYMBOLS)
        )
        self.tensors = b.offset(b.outside(_MODEL), 8 * ModelTable.HEAD)
        self.elements, self.wanted, self.results = (
            b.alloca(ModelTable.ARRAYS) for _ in range(3)
        )
        self.places = b.alloca(ModelTable.ARRAYS + 1)

    def built(self) -> Function:
        """The function."""
        b = self.b
        self.order(self.inputs, self.places)
        self.require(b.eq(self.out, NULL))
        self.read()
        row = self.find_row()
        sizes = self.compare(self.more(row))
        context = self.lend(self.wanted, b.load(row, RowLayout.BYTES), row, True)
        first = b.offset(context, 8 * ContextLayout.HEAD)
        with b.loop(0, self.inputs) as each:
            address = b.load(b.at(self.elements, each.index))
            b.store(address, b.at(first, each.index))
        # The row that was found may be gone if Python lent the context.
        more = self.more(b.load(context, ContextLayout.PLAN, ADDRESS))
        rest = b.at(b.offset(more, 8 * ModelTable.SIZES), sizes)
        self.make(context, b.at(first, self.inputs), rest)
        is_short = b.eq(b.load(more, ModelTable.LONG), 0)
        status = self.run_if(is_short, context)
        # A model that looks for no order has another field there, which is null.
        last = b.at(context, b.sub(_word(b, ModelTable.CONTEXT), 1))
        with b.when(b.ne(b.load(last), 0)):
            note(b, context, b.load(last))
        self.finish(context, status)
        return self.made()

    def more(self, row: Value) -> Value:
        """The words after a plan row."""
        return self.b.at(row, _word(self.b, ModelTable.ROW))

    def kind(self, number: Value) -> tuple[Op, Op]:
        """The field of the dtype of an input or an output, and its rank."""
        place = self.b.at(self.tensors, number, _PAIR)
        return self.b.load(place), self.b.load(place, 1)

    def argument_at(self, number: Value) -> Op:
        """The argument of a number."""
        return self.b.load(self.b.at(self.placed, number), type=ADDRESS)

    def read(self) -> None:
        """Checks the kinds of inputs; notes their elements, and their symbols."""
        b = self.b
        with b.loop(0, self.inputs) as each:
            array = self.argument_at(each.index)
            dtype, rank = self.kind(each.index)
            self.require(b.call(IS_ARRAY, array, dtype, rank, api.WANTED_FLAGS))
            b.store(self.data(array), b.at(self.elements, each.index))
        arrays = b.add(self.inputs, self.outputs)
        places = b.at(self.tensors, arrays, _PAIR)
        with b.loop(0, self.symbols) as each:
            place = b.at(places, each.index, _PAIR)
            dims = self.dims(self.argument_at(b.load(place)))
            value = b.load(b.at(dims, b.load(place, 1)))
            b.store(value, b.at(self.wanted, each.index))

    def find_row(self) -> Value:
        """
        The plan row of the values of the symbols, which the last call often had. The
        only row of a model without symbols always was that of the last call.
        """
        b, last = self.b, api.field(self.b, State.LAST)
        own = b.offset(last, 8 * RowLayout.HEAD)
        with b.loop(0, self.symbols, same=True) as each:
            here = b.load(b.at(own, each.index))
            is_same = b.eq(here, b.load(b.at(self.wanted, each.index)))
            each.same = b.both(each.same, is_same)
        with b.when(b.ne(each.same, True), row=last) as other:
            other.row = self.look_up(self.wanted, self.symbols)
        return other.row

    def compare(self, more: Value) -> Value:
        """
        Checks that inputs have the sizes that follow from the symbols; how many these
        are.
        """
        b = self.b
        first = b.offset(more, 8 * ModelTable.SIZES)
        with b.loop(0, self.inputs, count=0) as each:
            dims = self.dims(self.argument_at(each.index))
            wanted = b.at(first, each.count)
            _, rank = self.kind(each.index)
            with b.loop(0, rank) as axis:
                here = b.load(b.at(dims, axis.index))
                self.require(b.eq(here, b.load(b.at(wanted, axis.index))))
            each.count = b.add(each.count, rank)
        return each.count

    def make(self, context: Value, addresses: Value, sizes: Value) -> None:
        """
        Makes the outputs, whose sizes are there, and writes the addresses of their
        elements; without memory for one, Python says for which.
        """
        b = self.b
        with b.loop(0, self.outputs) as each:
            b.store(0, b.at(self.results, each.index))
        with b.loop(0, self.outputs, sizes=sizes) as each:
            dtype, rank = self.kind(b.add(self.inputs, each.index))
            array = b.call(NEW_ARRAY, each.index, dtype, rank, each.sizes)
            b.go_unless(b.ne(array, NULL), "none")
            b.store(array, b.at(self.results, each.index))
            b.store(self.data(array), b.at(addresses, each.index))
            each.sizes = b.at(each.sizes, rank)
        with b.exit("none"):
            b.call(DROP, self.results, self.outputs)
            self.leave_call(context)

    def finish(self, context: Value, status: Value) -> None:
        """Returns the outputs, or explains what went wrong."""
        b = self.b
        with b.when(b.ne(status, 0)):
            b.call(DROP, self.results, self.outputs)
            self.explain(context, status)
        self.give_back(context)
        with b.when(b.eq(self.outputs, 1)):
            b.leave(b.load(self.results, type=ADDRESS))
        b.leave(b.call(TUPLE, self.results, self.outputs))
