"""
What both forms of the entry build (`entry.py`, `wide_entry.py`): how one call checks
arrays, finds its plan row, borrows a context, and runs.

A check that does not hold sends the call to Python, at the exit `slow`. The GIL is held
while the free list of contexts changes hands, and released around a run that is long
enough to be worth it.
"""

from __future__ import annotations

from collections.abc import Sequence

from ...dialects import ELEMENT_TYPES, UNKNOWN, Dim, Symbol, Tensor, sizes, symbols_of
from ...dialects.loop import CHECKED, ProgramOp
from ...runtime.abi import (
    DTYPE_NAMES,
    WORTH_RELEASING,
    ContextLayout,
    RowLayout,
    State,
)
from ...runtime.hostcode import (
    ADDRESS,
    NULL,
    WORD,
    Builder,
    Function,
    Op,
    Signature,
    Value,
    note_need,
)
from . import polls
from . import python_api as api
from .addresses import layout_of, row_of
from .body import RUN
from .lending import GIVE_BACK, RESERVE, ROW, note, put_back, take
from .new_arrays import NEW_ARRAY
from .polls import length_of
from .python_calls import COUNT, ENTER, ENTER_IF, EXPLAIN, MATCH, SLOW, is_like
from .sizes import SizeBuilder

CALL = Signature("sr_call", (ADDRESS, ADDRESS, WORD, ADDRESS), ADDRESS)


def descriptor_field(type: Tensor) -> int:
    """The field of the state that has the descriptor of a tensor's dtype."""
    return State.DTYPES + DTYPE_NAMES.index(ELEMENT_TYPES[type.element_type].numpy)


class ArrayBuilder:
    """Builds what a function asks of the arrays that it is called with."""

    def __init__(self, b: Builder):
        """A function whose symbols have no value before inputs were read."""
        self.b = b
        self.sizes = SizeBuilder(b, {})

    def require(self, condition: Value) -> None:
        """Continues if a condition holds; otherwise leaves the call to Python."""
        self.b.go_unless(condition, "slow")

    def require_array(self, array: Value, type: Tensor) -> None:
        """Continues if an array has the dtype, the rank and the flags of an input."""
        b = self.b
        kind = b.load(b.offset(array, api.TYPE), type=ADDRESS)
        self.require(b.eq(kind, api.field(b, State.ARRAY_TYPE)))
        descriptor = api.field(b, descriptor_field(type))
        rank = len(sizes(type))
        self.require(is_like(b, array, descriptor, rank, api.WANTED_FLAGS))

    def dimensions(self, array: Value, type: Tensor) -> list[tuple[Op, Dim]]:
        """The sizes of an array beside those that a type declares."""
        declared = sizes(type)
        if not declared:
            return []
        dims = self.dims(array)
        return [(self.b.load(dims, axis), each) for axis, each in enumerate(declared)]

    def require_sizes(self, dimensions: Sequence[tuple[Op, Dim]]) -> None:
        """Continues if sizes are those that are declared."""
        for actual, declared in dimensions:
            self.require(self.b.eq(actual, self.sizes.size(declared)))

    def new_array(self, at: int, type: Tensor, dims: Value) -> Op:
        """The array of an output, null without memory; `dims` is to hold its sizes."""
        for axis, size in enumerate(sizes(type)):
            self.b.store(self.sizes.size(size), dims, axis)
        kind = descriptor_field(type), len(sizes(type))
        return self.b.call(NEW_ARRAY, at, *kind, dims)

    def dims(self, array: Value) -> Op:
        """Where the sizes of an array are."""
        return self.b.load(self.b.offset(array, api.DIMS), type=ADDRESS)

    def data(self, array: Value) -> Op:
        """Where the elements of an array are."""
        return self.b.load(self.b.offset(array, api.DATA), type=ADDRESS)


class EntryBuilder(ArrayBuilder):
    """Builds what `sr_call` does, whatever it calls."""

    def __init__(self) -> None:
        """A function before anything of it is built."""
        super().__init__(Builder(CALL, '"few-passes"'))
        _, self.arguments, self.flags, self.names = self.b.parameters
        self.placed: Value = self.arguments
        """The arguments in the order of the inputs."""
        self.out: Value = NULL
        """What the caller gave as `out`, null if nothing."""

    def made(self) -> Function:
        """The function, which ends here, but for the way to Python."""
        with self.b.exit("slow"):
            self.b.leave(self.b.call(SLOW, self.arguments, self.flags, self.names))
        return self.b.function

    def order(self, inputs: Value, places: Value) -> None:
        """
        Reads which argument is for which input, and what is given as `out`; there are
        `places` for all of them. Leaves calls that do not give each input once to
        Python.
        """
        b = self.b
        count = b.binary("and", self.flags, COUNT)
        carried = {"placed": self.arguments, "count": count, "out": NULL}
        with b.when(b.ne(self.names, NULL), **carried) as named:
            given = self.arguments, count, self.names
            self.require(b.call(MATCH, *given, inputs, places))
            named.placed, named.count = places, inputs
            named.out = b.load(b.at(places, inputs), type=ADDRESS)
        self.placed, self.out = named.placed, named.out
        self.require(b.eq(named.count, inputs))

    def look_up(self, wanted: Value, symbols: Value) -> Op:
        """
        The plan row in the table for the values of symbols; Python adds one, or
        explains the call.
        """
        b = self.b
        row = b.call(ROW, wanted, symbols, RowLayout.HEAD)
        self.require(b.ne(row, NULL))
        b.store(row, api.state(b), State.LAST)
        return row

    def lend(
        self, wanted: Value, bytes: Value, row: Value | None, is_noted: bool
    ) -> Value:
        """
        A context with memory of some bytes for the plan of a row, if there is one.
        Nothing is left to Python after this, but the end of a call whose memory there
        is not.
        """
        b = self.b
        first = api.field(b, State.FREE)
        with b.when(b.ne(first, NULL), fits=False) as look:
            look.fits = b.binary("ule", bytes, b.load(first, ContextLayout.BLOCK_BYTES))
            if row is not None:
                left = b.load(first, ContextLayout.LEFT)
                look.fits = b.both(look.fits, b.ne(left, 0))
        with b.when(look.fits, context=first) as have:
            take(b, first)
            if row is not None:
                b.store(row, first, ContextLayout.PLAN)
                b.store(1, first, ContextLayout.TOUCHED)
                b.store(b.load(api.state(b), State.NOW), row, RowLayout.USED)
                note_need(b, first, bytes)
        with have.otherwise():
            have.context = b.call(RESERVE, wanted)
            b.leave_if(b.eq(have.context, NULL), NULL)
        if is_noted:
            # The row that was found may be gone, if Python lent the context.
            note(b, have.context, 0)
        return have.context

    def run_if(self, is_short: Value, context: Value) -> Value:
        """Runs the program, without the GIL unless it is short; its status."""
        b = self.b
        with b.when(is_short, status=0) as way:
            way.status = b.call(RUN, context)
        with way.otherwise():
            way.status = b.call(ENTER, context)
        return way.status

    def explain(self, context: Value, status: Value) -> None:
        """Ends the call after a run that failed."""
        self.b.leave(self.b.call(EXPLAIN, context, status))

    def give_back(self, context: Value) -> None:
        """Puts the context on the free list after a run."""
        put_back(self.b, context)

    def leave_call(self, context: Value) -> None:
        """Leaves the call to Python after there was no memory for an output."""
        self.b.call(GIVE_BACK, context)
        self.b.call(api.CLEAR)
        self.b.go("slow")


class CallBuilder(EntryBuilder):
    """Builds `sr_call` for a program."""

    def __init__(self, program: ProgramOp):
        """A function that calls a program, before anything of it is built."""
        super().__init__()
        self.program = program
        self.inputs, self.outputs = program.input_types, program.output_types
        self.layout, self.row = layout_of(program), row_of(program)
        self.symbols = program.symbol_names
        self.length = length_of(program)
        self.wanted: Value = self.b.alloca(len(self.symbols)) if self.symbols else NULL
        """Where the values of the symbols are, in their order."""
        defined = {*program.defined}
        self.late = [
            at
            for at, type in enumerate(self.outputs)
            if any(symbols_of(size) & defined for size in sizes(type))
        ]
        """The outputs whose shapes are known only after the run."""

    def begin(self, may_be_late: bool) -> bool:
        """
        Leaves calls that do not give each input once to Python; false when it leaves
        every call to it, since Python checks memory, or since shapes of outputs are
        known only after the run, unless they `may_be_late`.
        """
        is_left = bool(self.late) and not may_be_late
        if is_left or CHECKED in self.program.attributes:
            self.b.go("slow")
            return False
        self.order(len(self.inputs), self.b.alloca(len(self.inputs) + 1))
        return True

    def argument(self, at: int) -> Op:
        """The argument of a number."""
        return self.b.load(self.placed, at, ADDRESS)

    def search(self) -> Op:
        """The plan row of the values of the symbols, which are at `wanted`."""
        return self.look_up(self.wanted, len(self.symbols))

    def borrow(self, row: Value) -> Value:
        """A context with memory for the plan of a row (no row without symbols)."""
        planned = self.program.plan.bytes.data
        bytes: Value = max(planned, 0)
        if planned == UNKNOWN and self.symbols:
            bytes = self.b.load(row, RowLayout.BYTES)
        known = row if self.symbols else None
        return self.lend(self.wanted, bytes, known, bool(self.program.skips))

    def run(self, context: Value) -> Value:
        """Runs the program, and notes which indices were in order; its status."""
        status = self.enter(context)
        if self.layout.orders:
            note(self.b, context, self.b.load(context, self.layout.order))
        return status

    def enter(self, context: Value) -> Value:
        """Runs the program, without the GIL when it is long; its status."""
        b, work = self.b, self.length.work
        if self.length.is_endless:
            return b.call(ENTER, context)
        if isinstance(work, int):
            return b.call(RUN if work < WORTH_RELEASING else ENTER, context)
        return self.run_if(b.lt(self.sizes.size(work), WORTH_RELEASING), context)


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


def lower_enter(program: ProgramOp) -> list[Function]:
    """`sr_enter` of a program whose runs are long, or may be; none for others."""
    length = length_of(program)
    if not length.is_ever_long:
        return []
    b = Builder(ENTER)
    (context,) = b.parameters
    is_long: Value = True
    if not length.is_always_long:
        row, first = row_of(program), b.load(context, ContextLayout.PLAN, ADDRESS)
        names = enumerate(program.symbol_names, row.first_symbol)
        symbols: dict[str, Value] = {
            name: b.load_constant(first, at) for at, name in names
        }
        is_long = b.le(polls.POINTS_PER_POLL, SizeBuilder(b, symbols).size(length.work))
    b.leave(b.call(ENTER_IF, context, is_long))
    return [b.function]
