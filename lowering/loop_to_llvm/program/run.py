"""
Write a program as an LLVM function: `i32 sr_run(context)`, a straight list of calls.
A long list becomes several functions, as LLVM takes too long over one that is long.

Views become addresses in the memory that the context names (`runtime/layout.py`). A
call that fails ends the run with its status, and says which call it was. A size that
the program defines is a field of the context as well, read again where it is needed.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from xdsl.ir import Operation

from ....dialects import Dim, dim, evaluate, guess, symbols_of
from ....dialects.loop import (
    CallOp,
    CallOutOp,
    DefineOp,
    ElementOp,
    IfOp,
    KernelOp,
    ProgramOp,
    RepeatOp,
    RequireOp,
    ViewOp,
)
from ....runtime import (
    CALL_OUT_ERROR,
    CALLED,
    EQUALITY_ERROR,
    GRAIN,
    INDEX_ERROR,
    INTERRUPTED,
    RANGE_ERROR,
    SHARED,
    SIZE_ERROR,
    WORD,
)
from . import interrupts
from .operands import MARKS, OperandWriter
from .outlining import inlining, outlined, part_name, write_chain, write_declarations


def write_program(
    program: ProgramOp, kernels: Mapping[str, KernelOp], names: Mapping[str, str]
) -> tuple[str, tuple[Dim, ...]]:
    """
    The text of the program, which calls kernels by the names that they are given; and
    the dimensions that it computes.
    """
    writer = _ProgramWriter(program, kernels, names)
    text = writer.write()
    return text, tuple(writer.sizes)


def write_calls(
    program: ProgramOp, kernels: Mapping[str, KernelOp], names: Mapping[str, str]
) -> tuple[str, tuple[Dim, ...]]:
    """`sr_run` alone, which nothing interrupts and no Python is for; its dimensions."""
    writer = _ProgramWriter(program, kernels, names)
    writer.length = interrupts.Length(0, is_endless=False, calls_out=False)
    return writer.write_runs(), tuple(writer.sizes)


class _ProgramWriter(OperandWriter):
    """Writes the ops of a program."""

    def __init__(
        self,
        program: ProgramOp,
        kernels: Mapping[str, KernelOp],
        names: Mapping[str, str],
    ):
        super().__init__(program)
        self.kernels = kernels
        self.names = names
        self.length = interrupts.length_of(program)
        self.calls = 0
        self.spent: Dim = 0
        """Points of loops since the last interruption point."""
        self.share = interrupts.share(program.body.block, kernels)
        """Points of loops after which there is another one."""
        self.parts: dict[str, list[str]] = {}
        """The kernels that threads share, and the types of their arguments."""
        self.is_long = ""
        """The i1 that says whether the run is long; none before it is used."""

    def write(self) -> str:
        """The functions that run the program, or enter it."""
        text = self.write_runs()
        self.begin()
        return "\n".join([text, interrupts.write_enter(self, self.length)])

    def write_runs(self) -> str:
        """The function that runs the program, and declarations of the kernels."""
        lists = list(outlined(self.program.body.block))
        if len(lists) == 1:
            runs = [self.function("define i32 @sr_run", lists[0], inlining(lists[0]))]
        else:
            runs = [
                self.function(f"define internal i32 @run.{at}", ops, "noinline ")
                for at, ops in enumerate(lists)
            ]
            runs.append(write_chain(len(lists)))
        declared = write_declarations(self.kernels, self.names, self.parts)
        marks = [MARKS] if self.is_traced else []
        return "\n".join([*marks, declared, *runs])

    def function(self, head: str, ops: Iterable[Operation], attributes: str) -> str:
        """A function that does what some ops do, one after the other."""
        self.begin()
        self.is_long = ""
        w = self.w
        w.start("body")
        self.add(ops)
        self.sizes.update(dict.fromkeys(w.sizes))
        w.do("ret i32 0")
        if self.is_long:
            w.start("interrupted")
            w.do(f"ret i32 {INTERRUPTED}")
        w.entry.append("  br label %body")
        return w.text(f"{head}(ptr noundef %context)", f"nounwind {attributes}")

    def add(self, ops: Iterable[Operation]) -> None:
        """Writes ops, in order; a view is written where it is first used."""
        for op in ops:
            match op:
                case ViewOp():
                    pass
                case ElementOp():
                    self.addresses[op.result] = self.element(op)
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
                    raise AssertionError(f"a program views and calls, got {op.name}")

    def add_inside(self, ops: Iterable[Operation]) -> None:
        """Writes ops that may not run: what they define is unknown after them."""
        before = {*self.ready}
        self.add(ops)
        self.ready = before

    def choose(self, op: IfOp) -> None:
        """Writes both lists of calls, of which one runs."""
        w = self.w
        labels = [w.fresh(stem) for stem in ("then", "otherwise", "after")]
        chosen = self.is_true(op.condition)
        w.do(f"br i1 {chosen}, label %{labels[0]}, label %{labels[1]}")
        for label, region in zip(labels, op.regions):
            w.start(label)
            self.add_inside(region.block.ops)
            w.do(f"br label %{labels[2]}")
        w.start(labels[2])

    def repeat(self, op: RepeatOp) -> None:
        """Writes the calls of a loop, and its end."""
        w = self.w
        head, body, after = w.fresh("head"), w.fresh("trip"), w.fresh("after")
        limit = self.size(op.limit)
        start = "true" if op.before is None else self.is_true(op.before)
        before = w.label
        w.do(f"br label %{head}")
        w.start(head)
        index, following = f"%{w.fresh('i')}", f"%{w.fresh('i')}"
        goes_on, again = f"%{w.fresh('on')}", "true"
        slot = len(w.lines)
        more = w.emit(f"icmp slt i64 {index}, {limit}")
        runs = w.emit(f"and i1 {more}, {goes_on}")
        w.do(f"br i1 {runs}, label %{body}, label %{after}")
        w.start(body)
        (trip,) = op.body.block.args
        self.addresses[trip] = index
        outside = self.spent, self.share
        self.share = interrupts.share(op.body.block, self.kernels)
        self.spent = interrupts.TRIP
        self.add_inside(op.body.block.ops)
        if self.length.is_ever_long:
            self.may_end(in_trip=True)
        self.spent, self.share = outside
        if op.after is not None:
            again = self.is_true(op.after)
        w.do(f"{following} = add nuw nsw i64 {index}, 1")
        latch = w.label
        w.do(f"br label %{head}")
        w.lines[slot:slot] = [
            f"  {index} = phi i64 [0, %{before}], [{following}, %{latch}]",
            f"  {goes_on} = phi i1 [{start}, %{before}], [{again}, %{latch}]",
        ]
        w.start(after)

    def define(self, op: DefineOp) -> None:
        """Writes a size that the program computed to its field, if it is in range."""
        w = self.w
        # Read once, since another thread may write to it where it is an input.
        value = w.emit(f"load volatile i64, ptr {self.address(op.value)}, align {WORD}")
        low, high = (self.size(each) for each in op.range)
        for number, each in enumerate((value, low, high)):
            field = self.field(self.layout.ERROR + number)
            w.do(f"store i64 {each}, ptr {field}, align {WORD}")
        floor = w.emit(f"call i64 @llvm.smax.i64(i64 {low}, i64 0)")
        below = w.emit(f"icmp slt i64 {value}, {floor}")
        above = w.emit(f"icmp sgt i64 {value}, {high}")
        self.leave_if(w.emit(f"or i1 {below}, {above}"), RANGE_ERROR)
        field = self.defined_field(op.symbol.data)
        w.do(f"store i64 {value}, ptr {field}, align {WORD}")
        self.ready.add(op.symbol.data)
        self.calls += 1

    def require(self, op: RequireOp) -> None:
        """Ends the run when a quantity is below zero."""
        quantity = self.size(dim(op.quantity.data))
        for number, each in enumerate(op.shown):
            field = self.field(self.layout.ERROR + number)
            self.w.do(f"store i64 {self.size(each)}, ptr {field}, align {WORD}")
        below = self.w.emit(f"icmp slt i64 {quantity}, 0")
        self.leave_if(below, EQUALITY_ERROR if op.shown else SIZE_ERROR)
        self.calls += 1

    def call(self, op: CallOp) -> None:
        """Writes the call of a kernel."""
        name = op.kernel_name
        kernel = self.kernels[name]
        callee = self.names[name]
        arguments = [f"ptr {self.address(each)}" for each in op.buffers]
        arguments += [f"i64 {self.size(each)}" for each in op.sizes]
        after = self.guard(op)
        self.mark(op)
        if kernel.work is not None:
            self.fork(op, kernel, callee, arguments)
        elif not kernel.may_fail:
            self.w.do(f"call void {callee}({', '.join(arguments)})")
        else:
            arguments.append(f"ptr {self.field(self.layout.ERROR)}")
            status = self.w.emit(f"call i32 {callee}({', '.join(arguments)})")
            self.leave_if_not(0, status, INDEX_ERROR)
        if after:
            self.w.do(f"br label %{after}")
            self.w.start(after)
        self.calls += 1
        if self.length.is_ever_long:
            self.spent = self.spent + interrupts.weight(op, self.kernels)
            if guess(self.spent) >= self.share:
                self.may_end()

    def guard(self, op: CallOp) -> str:
        """
        Begins what is run only if a call is needed: the buffers of a copy differ, or
        the result is nothing else. The label of what comes after; none if it always
        runs.
        """
        w = self.w
        if op.unless_same is not None:
            one, other = map(self.address, op.buffers)
            needless = w.emit(f"icmp eq ptr {one}, {other}")
        elif op.skip is not None:
            taken = self.planned(self.row.first_skip + op.skip.value.data)
            needless = w.emit(f"icmp ne i64 {taken}, 0")
        else:
            return ""
        needed, after = w.fresh("needed"), w.fresh("after")
        w.do(f"br i1 {needless}, label %{after}, label %{needed}")
        w.start(needed)
        return after

    def may_end(self, in_trip: bool = False) -> None:
        """Lets a run be interrupted here, if it is long."""
        w = self.w
        ask, on = w.fresh("ask"), w.fresh("on")
        if not self.is_long:
            thread = self.pointer(self.layout.THREAD)
            self.is_long = w.entered(f"icmp ne ptr {thread}, null")
        w.do(f"br i1 {self.is_long}, label %{ask}, label %{on}")
        w.start(ask)
        # Only trips are so many that it matters how long each of them is.
        spent: Dim = interrupts.LONG
        if in_trip and symbols_of(self.spent) & self.defined.keys() <= self.ready:
            spent = interrupts.bounded(self.spent)
        work = self.size_here(spent)
        status = w.emit(f"call i32 @sr_spend(ptr %context, i64 {work})")
        ends = w.emit(f"icmp ne i32 {status}, 0")
        w.do(f"br i1 {ends}, label %interrupted, label %{on}")
        w.start(on)
        self.spent = 0

    def fork(
        self, op: CallOp, kernel: KernelOp, callee: str, arguments: Sequence[str]
    ) -> None:
        """Writes the call of a kernel that threads share if there is enough work."""
        w, layout = self.w, self.layout
        assert kernel.work is not None
        work = self.size(evaluate(kernel.work, interrupts.sizes_of(op, kernel)))
        shares = w.emit(f"lshr i64 {work}, {GRAIN.bit_length() - 1}")
        threads = w.entered(f"load i64, ptr {self.field(layout.THREADS)}, align {WORD}")
        parts = w.emit(f"call i64 @llvm.smin.i64(i64 {shares}, i64 {threads})")
        alone, shared, after = (w.fresh(each) for each in ("alone", "shared", "after"))
        several = w.emit(f"icmp sgt i64 {parts}, 1")
        w.do(f"br i1 {several}, label %{shared}, label %{alone}")
        w.start(alone)
        w.do(f"call void {callee}({', '.join([*arguments, 'i64 0', 'i64 1'])})")
        w.do(f"br label %{after}")
        w.start(shared)
        self.mark(op, SHARED)
        block = w.entered(f"alloca [{len(arguments)} x i64], align {WORD}")
        for at, argument in enumerate(arguments):
            slot = w.emit(f"getelementptr inbounds i64, ptr {block}, i64 {at}")
            w.do(f"store {argument}, ptr {slot}, align {WORD}")
        self.parts[callee] = [each.split()[0] for each in arguments]
        w.do(
            f"call void {self.pointer(layout.FORK)}(ptr {self.pointer(layout.POOL)}, "
            f"ptr {part_name(callee)}, ptr {block}, i64 {parts})"
        )
        w.do(f"br label %{after}")
        w.start(after)

    def call_out(self, op: CallOutOp) -> None:
        """Writes the call of the function that runs fallback ops."""
        w, count = self.w, len(op.buffers)
        buffers = w.entered(f"alloca [{count} x ptr], align {WORD}")
        for at, buffer in enumerate(op.buffers):
            slot = w.emit(f"getelementptr inbounds ptr, ptr {buffers}, i64 {at}")
            w.do(f"store ptr {self.address(buffer)}, ptr {slot}, align {WORD}")
        function = self.pointer(self.layout.CALL_OUT)
        # Here, since an exception of a handler is lost where ctypes begins a call.
        asked = w.emit("call i32 @sr_ask(ptr %context)")
        self.leave_if_not(0, asked, INTERRUPTED)
        self.mark(op)
        status = w.emit(
            f"call i32 {function}(ptr %context, i64 {op.number.value.data}, "
            f"ptr {buffers})"
        )
        self.leave_if_not(CALLED, status, CALL_OUT_ERROR)
        self.calls += 1

    def leave_if_not(self, good: int, status: str, result: int) -> None:
        """Ends the run if a status is not the good one."""
        self.leave_if(self.w.emit(f"icmp ne i32 {status}, {good}"), result)
