"""
Lower the entry of a program: the function that Python calls, which reads arrays itself.

    PyObject *sr_call(self, PyObject **arguments, size_t flags, PyObject *names)

It takes a call whose arguments are numpy arrays of just the declared dtypes and shapes,
contiguous and aligned, with symbols that have a plan or can get one. It makes the
outputs, or writes to those that the caller gave as `out`, borrows a context from the
module's free list, and runs. An output whose shape is known only after the run is made
flat, with room for the most elements that it may have, and then copied to an array of
its shape. Everything else goes to the module's Python callable with
the arguments as they came, which converts or explains. A run that ends in an error is
explained by another callable, which is given the context and what the run returned.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.utils.exceptions import VerifyException

from ...dialects import Dim, Tensor, greatest, product, sizes
from ...dialects.loop import ProgramOp
from ...runtime.abi import State
from ...runtime.hostcode import ADDRESS, NULL, Function, Op, Value
from . import python_api as api
from .call import CallBuilder, bare_symbol, descriptor_field
from .new_arrays import MAKE_ARRAY
from .python_calls import DROP, IS_APART, IS_ARRAY, TUPLE

_FEW_OUTPUTS = 4
"""The most outputs whose tuple is made in line."""

_MAX_UNROLLED_PAIRS = 6
"""Pairs of ranges of memory that are compared without a table and a loop."""


def lower_entry(program: ProgramOp) -> tuple[list[Function], tuple[Dim, ...]]:
    """`sr_call` for a program, and the dimensions that it computes."""
    entry = _Entry(program)
    entry.build()
    return [entry.made()], tuple(entry.sizes.computed)


class _Entry(CallBuilder):
    """Builds the checks, the outputs and the run of one call."""

    def build(self) -> None:
        """Builds all but the way to Python."""
        b = self.b
        if not self.begin(may_be_late=True):
            return
        arrays = [self.argument(at) for at in range(len(self.inputs))]
        for array, type in zip(arrays, self.inputs, strict=True):
            self.require_array(array, type)
        row = self.bind(arrays)
        given = self.read_outputs(arrays)
        context = self.borrow(row)
        made, elements = self.make_missing(context, given)
        for at, address in enumerate([*map(self.data, arrays), *elements]):
            b.store(address, context, self.layout.HEAD + at)
        status = self.run(context)
        with b.when(b.ne(status, 0)):
            for each in made:
                b.call(api.DECREF, each)
            self.explain(context, status)
        if self.late:
            made = self.shaped(context, made)
        self.give_back(context)
        self.answer(made)

    def bind(self, arrays: Sequence[Value]) -> Value:
        """
        Binds symbols to sizes of the arrays, checks every dimension against them, and
        returns their plan row; null without symbols.

        No plan is made where a size would exceed 64 bits, so sizes are computed only
        after a row was found.
        """
        later: list[tuple[Op, Dim]] = []
        for array, type in zip(arrays, self.inputs, strict=True):
            for actual, size in self.dimensions(array, type):
                name = bare_symbol(size)
                if name is not None and name not in self.sizes.symbols:
                    self.sizes.symbols[name] = actual
                else:
                    later.append((actual, size))
        row = self.find_row() if self.symbols else NULL
        self.require_sizes(later)
        return row

    def find_row(self) -> Value:
        """The plan row of the values of the symbols, which the last call often had."""
        b, last = self.b, api.field(self.b, State.LAST)
        same: Value = True
        for at, name in enumerate(self.symbols):
            value = self.sizes.symbols.get(name)
            if value is None:
                raise VerifyException(f"expected an input of size {name}, got none")
            b.store(value, self.wanted, at)
            same = b.both(same, b.eq(b.load(last, self.row.first_symbol + at), value))
        with b.when(b.ne(same, True), row=last) as other:
            other.row = self.search()
        return other.row

    def read_outputs(self, arrays: Sequence[Value]) -> list[Value]:
        """
        The addresses of the elements of the arrays that the caller gave as `out`, null
        if it gave none. They are checked as inputs are, and that none overlaps another
        array. Arrays of shapes that nobody knows yet are left to Python, which refuses
        them.
        """
        b, count = self.b, len(self.outputs)
        if self.late:
            self.require(b.eq(self.out, NULL))
            return [NULL] * count
        names = [f"at{each}" for each in range(count)]
        carried: dict[str, Value] = dict.fromkeys(names, NULL)
        with b.when(b.ne(self.out, NULL), **carried) as named:
            given = [self.out]
            if count != 1:
                kind = b.load(b.offset(self.out, api.TYPE), type=ADDRESS)
                self.require(b.eq(kind, api.field(b, State.TUPLE_TYPE)))
                self.require(b.eq(b.call(api.TUPLE_SIZE, self.out), count))
                given = [b.call(api.GET_ITEM, self.out, at) for at in range(count)]
            for array, type in zip(given, self.outputs, strict=True):
                self.require_written(array, type)
            self.require_apart([*map(self.data, given)], [*map(self.data, arrays)])
            for name, array in zip(names, given, strict=True):
                setattr(named, name, self.data(array))
        return [getattr(named, each) for each in names]

    def require_written(self, array: Value, type: Tensor) -> None:
        """
        Continues if an output may be written to an array. It is a call, as calls that
        give their outputs are a copy of others in all but these checks.
        """
        b, field = self.b, descriptor_field(type)
        rank = len(sizes(type))
        self.require(b.call(IS_ARRAY, array, field, rank, api.WRITTEN_FLAGS))
        self.require_sizes(self.dimensions(array, type))

    def require_apart(self, outputs: Sequence[Op], inputs: Sequence[Op]) -> None:
        """Continues if no output shares memory with another array."""
        b, own = self.b, len(outputs)
        counts = [*map(self.sizes.bytes, (*self.outputs, *self.inputs))]
        for each in self.program.donations:
            input, output = each.input.data, each.output.data
            # Nothing of the input counts where it is the memory of its output.
            same = b.eq(inputs[input], outputs[output])
            counts[own + input] = b.select(same, 0, counts[own + input])
        starts = [b.number_of(each) for each in (*outputs, *inputs)]
        ends = [b.add(*each) for each in zip(starts, counts, strict=True)]
        pairs = [(x, y) for x in range(own) for y in range(x + 1, len(starts))]
        if len(pairs) <= _MAX_UNROLLED_PAIRS:
            for x, y in pairs:
                before = b.binary("ule", ends[x], starts[y])
                after = b.binary("ule", ends[y], starts[x])
                self.require(b.either(before, after))
            return
        table = b.alloca(2 * len(starts))
        for at, (start, end) in enumerate(zip(starts, ends, strict=True)):
            b.store(start, table, 2 * at)
            b.store(end, table, 2 * at + 1)
        self.require(b.call(IS_APART, table, own, len(starts)))

    def make_missing(
        self, context: Value, given: Sequence[Value]
    ) -> tuple[list[Value], list[Value]]:
        """
        The arrays that are made unless the caller gave some, null if it did, and the
        addresses of the outputs' elements, which are at `given` if it did.
        """
        b, count = self.b, len(self.outputs)
        carried: dict[str, Value] = {f"made{at}": NULL for at in range(count)}
        carried |= {f"at{at}": each for at, each in enumerate(given)}
        with b.when(b.eq(self.out, NULL), **carried) as none:
            for at, array in enumerate(self.make_outputs(context)):
                setattr(none, f"made{at}", array)
                setattr(none, f"at{at}", self.data(array))
        made = [getattr(none, f"made{at}") for at in range(count)]
        return made, [getattr(none, f"at{at}") for at in range(count)]

    def make_outputs(self, context: Value) -> list[Value]:
        """Makes an array for each output; without memory, Python says for which."""
        b = self.b
        made: list[Value] = []
        dims = b.alloca(max((len(sizes(each)) for each in self.outputs), default=0))
        for at, type in enumerate(self.outputs):
            new = self.flat_array if at in self.late else self.new_array
            made.append(new(at, type, dims))
            b.go_unless(b.ne(made[at], NULL), f"failed.{at}")
        # Each lets go of the array before, and goes on as if that had failed.
        for at in range(len(made)):
            with b.exit(f"failed.{at}"):
                if at:
                    b.call(api.DECREF, made[at - 1])
                    b.go(f"failed.{at - 1}")
                else:
                    self.leave_call(context)
        return made

    def flat_array(self, _: int, type: Tensor, dims: Value) -> Op:
        """An array of one axis for the most elements that an output may have."""
        most = greatest(product(sizes(type)), self.program.ranges)
        self.b.store(self.sizes.size(most), dims)
        return self.b.call(MAKE_ARRAY, descriptor_field(type), 1, dims)

    def shaped(self, context: Value, made: Sequence[Value]) -> list[Value]:
        """
        The outputs after a run, those that were made flat in their shapes, which the
        run defined. Without memory for one, Python says for which.
        """
        b, count = self.b, len(made)
        for at, name in enumerate(self.program.defined, self.layout.first_defined):
            self.sizes.symbols[name] = b.load(context, at)
        held = b.alloca(count + len(self.late))
        for at, each in enumerate((*made, *[NULL] * len(self.late))):
            b.store(each, held, at)
        dims = b.alloca(max(len(sizes(self.outputs[at])) for at in self.late))
        results = [*made]
        for place, at in enumerate(self.late, count):
            results[at] = self.new_array(at, self.outputs[at], dims)
            b.store(results[at], held, place)
            b.go_unless(b.ne(results[at], NULL), "unshaped")
        with b.exit("unshaped"):
            b.call(DROP, held, count + len(self.late))
            self.leave_call(context)
        for at in self.late:
            bytes = self.sizes.bytes(self.outputs[at])
            b.call(api.COPY, self.data(results[at]), self.data(made[at]), bytes)
            b.call(api.DECREF, made[at])
        return results

    def answer(self, made: Sequence[Value]) -> None:
        """Returns what the caller gave, or the only output, or a tuple of several."""
        b = self.b
        with b.when(b.ne(self.out, NULL)):
            b.call(api.INCREF, self.out)
            b.leave(self.out)
        if len(made) == 1:
            b.leave(made[0])
            return
        if len(made) > _FEW_OUTPUTS:
            # A table is less code for many.
            table = b.alloca(len(made))
            for at, each in enumerate(made):
                b.store(each, table, at)
            b.leave(b.call(TUPLE, table, len(made)))
            return
        whole = b.call(api.NEW_TUPLE, len(made))
        with b.when(b.eq(whole, NULL)):
            for each in made:
                b.call(api.DECREF, each)
            b.leave(NULL)
        for at, each in enumerate(made):
            b.call(api.SET_ITEM, whole, at, each)
        b.leave(whole)
