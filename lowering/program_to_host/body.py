"""
Lower a program to `i32 sr_run(context)`: its calls in order, as a host function.

A call that fails ends the run with its status, and says which call it was. A size that
the program defines is a field of the context as well. A long list becomes several
functions where that is asked for, as LLVM takes too long over one that is long.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from xdsl.dialects.builtin import IntAttr, IntegerAttr
from xdsl.ir import Operation
from xdsl.utils.exceptions import VerifyException

from ...dialects import Dim, dim, guess, symbols_of
from ...dialects.loop import (
    PROFILED,
    TRACED,
    CallOp,
    CallOutOp,
    DefineOp,
    ElementOp,
    IfOp,
    ProgramOp,
    RepeatOp,
    RequireOp,
    ViewOp,
)
from ...runtime.abi import (
    CALL_OUT_ERROR,
    CALLED,
    EQUALITY_ERROR,
    INTERRUPTED,
    RAN,
    RANGE_ERROR,
    SHARED,
    SIZE_ERROR,
    ContextLayout,
)
from ...runtime.hostcode import (
    ADDRESS,
    INT32,
    WORD,
    Builder,
    Function,
    Signature,
    Value,
)
from . import polls
from .addresses import AddressBuilder, layout_of
from .outlining import inlining, outlined
from .profile import BEGIN, LAP, lower_laps

RUN = Signature("sr_run", (ADDRESS,), INT32)
SPEND = Signature("sr_spend", (ADDRESS, WORD), INT32)
ASK = Signature("sr_ask", (ADDRESS,), INT32)
_CALL_OUT = Signature("", (ADDRESS, WORD, ADDRESS), INT32)

_MARKS = "sr_marks"
"""The marks of calls that are traced, a byte each."""


@dataclass(frozen=True)
class Body:
    """The functions of a program, and the dimensions that they compute."""

    functions: Sequence[Function]
    sizes: tuple[Dim, ...]


def lower_body(program: ProgramOp, is_polled: bool, linkage: str = "") -> Body:
    """
    The functions that run a program: several where it is long. Where it is polled, a
    long run can be interrupted.
    """
    lowering = _Lowering(program, is_polled)
    lists = [*outlined(program.body.block)]
    if len(lists) == 1:
        made = [lowering.function(RUN, lists[0], False)]
    else:
        parts = [Signature(f"run.{at}", (ADDRESS,), INT32) for at in range(len(lists))]
        made = [
            lowering.function(part, ops, True)
            for part, ops in zip(parts, lists, strict=True)
        ]
        made.append(_chain(parts))
    made[-1].linkage = linkage
    if lowering.is_profiled:
        made = [*lower_laps(), *made]
    return Body(made, tuple(lowering.computed))


def lower_whole(program: ProgramOp, is_polled: bool = False) -> Body:
    """The one function that runs a program, however long: without marks."""
    lowering = _Lowering(program, is_polled, is_marked=False)
    made = [lowering.function(RUN, [*program.body.block.ops], False)]
    return Body(made, tuple(lowering.computed))


def _chain(parts: Sequence[Signature]) -> Function:
    """The function that calls all others in order, until one fails."""
    b = Builder(RUN, "nounwind")
    for each in parts:
        status = b.call(each, b.parameters[0])
        b.leave_if(b.ne(status, 0), status)
    b.leave(0)
    return b.function


class _Lowering:
    """Lowers the ops of a program, to one function or several."""

    a: AddressBuilder
    b: Builder

    def __init__(self, program: ProgramOp, is_polled: bool, is_marked: bool = True):
        self.program, self.kernels, self.is_marked = program, program.kernels, is_marked
        self.is_polled = is_polled and polls.length_of(program).is_ever_long
        self.is_profiled, self.is_begun = PROFILED in program.attributes, False
        first = layout_of(program).first_defined
        self.fields = {name: first + at for at, name in enumerate(program.defined)}
        self.ready: set[str] = set()
        """The symbols that were defined before what is lowered now."""
        self.computed: dict[Dim, None] = {}
        self.calls = 0
        """The ops so far that may end a run."""
        self.spent: Dim = 0
        """Points of loops since the last poll."""
        self.share = polls.share(program.body.block, self.kernels)
        """Points of loops after which there is another one."""

    def function(
        self, signature: Signature, ops: Sequence[Operation], is_part: bool
    ) -> Function:
        """A function that does what some ops do, one after the other."""
        attributes = "noinline" if is_part else inlining(ops)
        self.b = Builder(
            signature, f"nounwind {attributes}", "internal" if is_part else ""
        )
        known = {name: self.fields[name] for name in sorted(self.ready)}
        self.a = AddressBuilder(self.program, self.b, known)
        if not self.is_begun:
            self.lap(BEGIN)
            self.is_begun = True
        self.add(ops)
        self.b.leave(0)
        self.computed |= self.a.sizes.computed
        return self.b.function

    def add(self, ops: Iterable[Operation]) -> None:
        """Lowers ops, in order; the address of a view is computed where it is used."""
        for op in ops:
            match op:
                case ViewOp():
                    pass
                case ElementOp():
                    self.a.addresses[op.result] = self.a.element(op)
                case CallOp():
                    self.call(op)
                case CallOutOp():
                    self.call_out(op)
                case DefineOp():
                    self.define(op)
                case RequireOp():
                    self.require(op)
                case IfOp():
                    self.choose(op)
                case RepeatOp():
                    self.repeat(op)
                case _:
                    raise VerifyException(
                        f"expected a program that views and calls, got {op.name}"
                    )

    def add_inside(self, ops: Iterable[Operation]) -> None:
        """Lowers ops that may not run: what they define is unknown after them."""
        ready, symbols = {*self.ready}, {**self.a.sizes.symbols}
        self.add(ops)
        self.ready, self.a.sizes.symbols = ready, symbols

    def choose(self, op: IfOp) -> None:
        """Lowers both lists of calls; one of them runs."""
        with self.b.when(self.a.is_true(op.condition)) as branch:
            self.add_inside(op.then.block.ops)
        with branch.otherwise():
            self.add_inside(op.otherwise.block.ops)

    def repeat(self, op: RepeatOp) -> None:
        """Lowers a loop, which goes on while its limit and its condition let it."""
        b, limit = self.b, self.a.sizes.size(op.limit)
        start = True if op.before is None else self.a.is_true(op.before)
        with b.repeat(goes=b.both(b.lt(0, limit), start), trip=0) as loop:
            (trip,) = op.body.block.args
            self.a.addresses[trip] = loop.trip
            outside = self.spent, self.share
            self.share = polls.share(op.body.block, self.kernels)
            self.spent = polls.TRIP
            self.add_inside(op.body.block.ops)
            if self.is_polled:
                self.poll(in_trip=True)
            self.spent, self.share = outside
            again = True if op.after is None else self.a.is_true(op.after)
            loop.trip = b.add(loop.trip, 1)
            loop.goes = b.both(b.lt(loop.trip, limit), again)

    def define(self, op: DefineOp) -> None:
        """Notes a size that the program computed in its field, if it is in range."""
        b, name, size = self.b, op.symbol.data, self.a.sizes.size
        # Read once, since another thread may write to it where it is an input.
        value = b.load(self.a.address(op.value), is_volatile=True)
        low, high = map(size, op.range)
        bad = b.either(b.lt(value, b.max(low, 0)), b.lt(high, value))
        self.leave_if(bad, RANGE_ERROR, (value, low, high))
        b.store(value, self.a.context, self.fields[name])
        self.a.sizes.symbols[name] = value
        self.ready.add(name)
        self.calls += 1

    def require(self, op: RequireOp) -> None:
        """Ends the run when a quantity is below zero."""
        below = self.b.lt(self.a.sizes.size(dim(op.quantity.data)), 0)
        shown = [*map(self.a.sizes.size, op.shown)]
        self.leave_if(below, EQUALITY_ERROR if shown else SIZE_ERROR, shown)
        self.calls += 1

    def leave_if(self, bad: Value, status: int, shown: Sequence[Value] = ()) -> None:
        """Ends the run where something is bad, and notes at which op that was."""
        context = self.a.context
        notes = [
            (each, context, ContextLayout.ERROR + at) for at, each in enumerate(shown)
        ]
        notes.append((self.calls, context, ContextLayout.FAILED))
        self.b.leave_if(bad, status, notes)

    def call(self, op: CallOp) -> None:
        """
        Lowers the call of a kernel, which is only run where it is needed: the buffers
        of a copy differ, or the result is not there already.
        """
        buffers = [*map(self.a.address, op.buffers)]
        is_needed: Value = True
        if op.unless_same is not None:
            is_needed = self.b.ne(*map(self.b.number_of, buffers))
        elif op.skip is not None:
            is_needed = self.b.eq(self.a.skipped(op.skip.value.data), 0)
        if is_needed is True:
            self.run_kernel(op, buffers)
        else:
            with self.b.when(is_needed):
                self.run_kernel(op, buffers)
        self.calls += 1
        if self.is_polled:
            self.spent = self.spent + polls.weight(op, self.kernels)
            if guess(self.spent) >= self.share:
                self.poll()

    def run_kernel(self, op: CallOp, buffers: Sequence[Value]) -> None:
        """Lowers the run of a kernel, and its marks where it is traced."""
        sizes = [*map(self.a.sizes.size, op.sizes)]
        self.mark(op, RAN)
        self.b.kernel(op.kernel_name, self.calls, self.a.context, *buffers, *sizes)
        self.lap(LAP, self.calls)
        if (
            self.is_marked
            and TRACED in op.attributes
            and self.kernels[op.kernel_name].work is not None
        ):
            parts = self.b.load(self.a.context, ContextLayout.PARTS)
            with self.b.when(self.b.lt(1, parts)):
                self.mark(op, SHARED)

    def call_out(self, op: CallOutOp) -> None:
        """Lowers the call of the function that runs fallback ops."""
        b, context = self.b, self.a.context
        table = b.room(len(op.buffers))
        for at, buffer in enumerate(op.buffers):
            b.store(self.a.address(buffer), table, at)
        # Here, since an exception of a handler is lost where ctypes begins a call.
        self.leave_if(b.ne(b.call(ASK, context), 0), INTERRUPTED)
        self.mark(op, RAN)
        function = self.a.pointer(ContextLayout.CALL_OUT)
        number = op.number.value.data
        status = b.call_address(function, _CALL_OUT, context, number, table)
        self.leave_if(b.ne(status, CALLED), CALL_OUT_ERROR)
        self.lap(LAP, self.calls)
        self.calls += 1

    def mark(self, op: CallOp | CallOutOp, bit: int) -> None:
        """Sets a bit of the mark of a call that is traced."""
        match op.attributes.get(TRACED):
            case IntegerAttr(value=IntAttr(data=number)) if self.is_marked:
                marks = self.b.outside(_MARKS)
                # Runs in several threads may set it at once.
                self.b.atomic("or", "monotonic", 1, self.b.offset(marks, number), bit)
            case _:
                pass

    def poll(self, in_trip: bool = False) -> None:
        """Lets a run be interrupted here, if it is long."""
        b, sizes = self.b, self.a.sizes
        thread = self.a.pointer(ContextLayout.THREAD)
        with b.when(b.ne(b.number_of(thread), 0)):
            # The poll of a trip spends the trip's points; others look at the clock.
            spent: Dim = polls.LONG
            if in_trip and symbols_of(self.spent) <= sizes.symbols.keys():
                spent = polls.bounded(self.spent)
            status = b.call(SPEND, self.a.context, sizes.size(spent))
            b.leave_if(b.ne(status, 0), INTERRUPTED)
            self.lap(BEGIN)
        self.spent = 0

    def lap(self, function: Signature, *arguments: Value) -> None:
        """Calls a function that notes the time, if the run has a profile."""
        if self.is_profiled:
            b, profile = self.b, self.a.pointer(self.a.layout.profile)
            with b.when(b.ne(b.number_of(profile), 0)):
                b.call(function, profile, *arguments)
