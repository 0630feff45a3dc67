"""
Lower a program to `i32 sr_run(context)`: its calls in order, as a host function.

A call that fails ends the run with its status, and says which call it was. A size that
the program defines is a field of the context as well. A long list becomes several
functions where that is asked for, as LLVM takes too long over one that is long. Lists
that may run at once become functions too where threads are to run them (`branches.py`);
elsewhere they are lowered one after the other.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from xdsl.ir import Block, Operation
from xdsl.utils.exceptions import VerifyException

from ...dialects import Dim, dim
from ...dialects.loop import (
    CHECKED,
    TRACED,
    CallOp,
    CallOutOp,
    DefineOp,
    ElementOp,
    IfOp,
    ParallelOp,
    ProgramOp,
    RepeatOp,
    RequireOp,
    ViewOp,
)
from ...runtime.abi import (
    AGAIN,
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
    Builder,
    Function,
    Signature,
    Value,
)
from . import polls
from .addresses import AddressBuilder, layout_of
from .branches import fork, lower_part, may_fork
from .memory_checks import CALL_OUT, MemoryChecks
from .notes import ASK, NotingBuilder
from .orders import Orders
from .outlining import inlining, outlined
from .profile import BEGIN, LAP, lower_laps

RUN = Signature("sr_run", (ADDRESS,), INT32)


@dataclass(frozen=True)
class Body:
    """The functions of a program, and the dimensions that they compute."""

    functions: Sequence[Function]
    sizes: tuple[Dim, ...]


def lower_body(
    program: ProgramOp, is_polled: bool, linkage: str = "", forks: bool = False
) -> Body:
    """
    The functions that run a program: several where it is long. Where it is polled, a
    long run can be interrupted; where it `forks`, threads run lists of calls at once.
    """
    lowering = _Lowering(program, is_polled, forks=forks)
    made = lowering.functions(RUN, program.body.block)
    made[-1].linkage = linkage
    if lowering.is_profiled:
        made = [*lower_laps(), *made]
    return Body(made, tuple(lowering.computed))


def lower_whole(program: ProgramOp, is_polled: bool = False) -> Body:
    """The one function that runs a program, however long: without marks."""
    lowering = _Lowering(program, is_polled, is_marked=False)
    made = [lowering.function(RUN, [*program.body.block.ops], False)]
    return Body(made, tuple(lowering.computed))


def _chain(whole: Signature, parts: Sequence[Signature]) -> Function:
    """The function that calls all others in order, until one fails."""
    b = Builder(whole, "nounwind")
    for each in parts:
        status = b.call(each, b.parameters[0])
        b.leave_if(b.ne(status, 0), status)
    b.leave(0)
    return b.function


class _Lowering(NotingBuilder):
    """Lowers the ops of a program, to one function or several."""

    def __init__(
        self,
        program: ProgramOp,
        is_polled: bool,
        is_marked: bool = True,
        forks: bool = False,
    ):
        super().__init__(program, is_polled, is_marked)
        self.is_begun = False
        self.is_checked = CHECKED in program.attributes
        # Profiles and checks of memory are of one kernel after the other.
        self.forks = forks and not (self.is_profiled or self.is_checked)
        self.orders = Orders()
        self.branches: list[Function] = []
        """What threads run at once, and what they need for that."""
        self.forked = 0
        # Found once: it takes a walk over all of the program.
        self.layout = layout_of(program)
        first = self.layout.first_defined
        self.fields = {name: first + at for at, name in enumerate(program.defined)}
        self.ready: set[str] = set()
        """The symbols that were defined before what is lowered now."""
        self.computed: dict[Dim, None] = {}
        self.share = polls.share(program.body.block, self.kernels)
        """Points of loops after which there is another one."""

    def functions(self, signature: Signature, block: Block) -> list[Function]:
        """
        The functions that do what a block does, the last of them by this signature;
        what they fork comes first.
        """
        lists, is_run = [*outlined(block)], signature is RUN
        if len(lists) == 1:
            made = [self.function(signature, lists[0], not is_run)]
        else:
            stem = signature.name.removeprefix("sr_")
            parts = [
                Signature(f"{stem}.{at}", (ADDRESS,), INT32) for at in range(len(lists))
            ]
            made = [
                self.function(part, ops, True)
                for part, ops in zip(parts, lists, strict=True)
            ]
            made.append(_chain(signature, parts))
            made[-1].linkage = "" if is_run else "internal"
        forked, self.branches = self.branches, []
        return [*forked, *made]

    def function(
        self, signature: Signature, ops: Sequence[Operation], is_part: bool
    ) -> Function:
        """A function that does what some ops do, one after the other."""
        attributes = "noinline" if is_part else inlining(ops)
        self.b = Builder(
            signature, f"nounwind {attributes}", "internal" if is_part else ""
        )
        known = {name: self.fields[name] for name in sorted(self.ready)}
        self.a = AddressBuilder(self.program, self.layout, self.b, known)
        self.orders.begin(self.a)
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
                case ParallelOp():
                    self.run_all(op)
                case _:
                    raise VerifyException(
                        f"expected a program that views and calls, got {op.name}"
                    )

    def add_inside(self, ops: Iterable[Operation]) -> None:
        """Lowers ops that may not run: what they define is unknown after them."""
        ready, symbols = {*self.ready}, {**self.a.sizes.symbols}
        with self.orders.inside(self.a):
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
            self.spent = polls.Spent([polls.TRIP], polls.TRIP)
            self.add_inside(op.body.block.ops)
            if self.is_polled:
                self.poll(in_trip=True)
            self.spent, self.share = outside
            again = True if op.after is None else self.a.is_true(op.after)
            loop.trip = b.add(loop.trip, 1)
            loop.goes = b.both(b.lt(loop.trip, limit), again)

    def run_all(self, op: ParallelOp) -> None:
        """Lowers lists of calls that all run: by threads, or one after the other."""
        if not (self.forks and may_fork(op)):
            for block in op.blocks:
                self.add_inside(block.ops)
            return
        around = self.a, self.b, self.spent, self.share
        number, self.forked = self.forked, self.forked + 1
        branches: list[Signature] = []
        made: list[Function] = []
        for at, block in enumerate(op.blocks):
            branches.append(Signature(f"branch.{number}.{at}", (ADDRESS,), INT32))
            self.spent, self.share = polls.Spent(), polls.share(block, self.kernels)
            made += self.functions(branches[-1], block)
        self.a, self.b, self.spent, self.share = around
        part = lower_part(branches, self.a.layout, number)
        self.branches += [*made, part]
        fork(self.b, self.a.layout, branches, part.signature)

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

    def call(self, op: CallOp) -> None:
        """
        Lowers the call of a kernel, which is only run where it is needed: the buffers
        of a copy differ, or the result is not there already.
        """
        if op.skip is not None:
            self.orders.find(self.a, op, op.skip.value.data)
        buffers = [*map(self.a.address, op.buffers)]
        is_needed: Value = True
        if op.unless_same is not None:
            is_needed = self.b.ne(*map(self.b.number_of, buffers))
        elif op.skip is not None:
            is_needed = self.a.is_needed(op.skip.value.data)
            if self.a.is_on_data(op.skip.value.data):
                # With other indices a run of what was traced needs the kernel.
                self.mark(op, RAN)
        if is_needed is True:
            self.run_kernel(op, buffers)
        else:
            with self.b.when(is_needed):
                self.run_kernel(op, buffers)
        self.calls += 1
        if self.is_polled:
            self.spent.add(polls.weight(op, self.kernels))
            if self.spent.guessed >= self.share:
                self.poll()

    def run_kernel(self, op: CallOp, buffers: Sequence[Value]) -> None:
        """Lowers the run of a kernel, and its marks where it is traced."""
        sizes = [*map(self.a.sizes.size, op.sizes)]
        self.mark(op, RAN)
        operands = (self.calls, self.a.context, *buffers, *sizes)
        if self.is_checked:
            checks = MemoryChecks(self.a, op, self.calls)
            self.leave_if(checks.before(), CALL_OUT_ERROR)
            with self.b.repeat(again=True) as run:
                self.b.kernel(op.kernel_name, *operands)
                status = checks.ask(1)
                self.leave_if(checks.is_bad(status), CALL_OUT_ERROR)
                run.again = self.b.eq(status, AGAIN)
        else:
            self.b.kernel(op.kernel_name, *operands)
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
        table = b.alloca(len(op.buffers))
        for at, buffer in enumerate(op.buffers):
            b.store(self.a.address(buffer), table, at)
        # Here, since an exception of a handler is lost where ctypes begins a call.
        self.leave_if(b.ne(b.call(ASK, context), 0), INTERRUPTED)
        self.mark(op, RAN)
        function = self.a.pointer(ContextLayout.CALL_OUT)
        number = op.number.value.data
        checks = MemoryChecks(self.a, op, self.calls) if self.is_checked else None
        if checks is not None:
            self.leave_if(checks.before(), CALL_OUT_ERROR)
        status = b.call_address(function, CALL_OUT, context, number, table)
        self.leave_if(b.ne(status, CALLED), CALL_OUT_ERROR)
        if checks is not None:
            self.leave_if(checks.is_bad(checks.ask(1)), CALL_OUT_ERROR)
        self.lap(LAP, self.calls)
        self.calls += 1
