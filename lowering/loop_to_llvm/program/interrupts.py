"""
Write how a run is interrupted: between calls of kernels, and trips of loops.

Python runs the handlers of signals, such as that of Ctrl-C, in its main thread and
between its own instructions, of which a long run has none. So a run that may be long
asks Python for them, four times a second at most. When a handler raises, the run ends
with the status `INTERRUPTED`, and the exception is set where Python looks for it.

`sr_enter` runs the program without the GIL. It notes Python's thread in the context
when the run is long. Where none is noted, as in short runs and in those that keep the
GIL, nothing is asked, and an interruption point is a branch that is not taken.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from xdsl.ir import Block

from ....dialects import Dim, evaluate, greatest, guess, product
from ....dialects.loop import (
    ArgsortOp,
    CallOp,
    CallOutOp,
    ForOp,
    IfOp,
    KernelOp,
    ProgramOp,
    RepeatOp,
    TileOp,
    is_unlimited,
)
from ....runtime import INTERRUPTED, WORD, ContextLayout
from .context_layout import ContextWriter

LONG = 1 << 22
"""
Points of loops after which a run looks at the clock, and from which on it may be
interrupted at all: a tenth of a millisecond of products, or some of other kernels.
"""

_SHARE = 8
"""
The part of the kernels of a program, or of a loop's trip, as 1 / SHARE, after which
there is an interruption point.
"""

LEAST = 1 << 20
"""Points of loops that are worth an interruption point."""

TRIP = 64
"""Points that a trip, or the call of a kernel, is as long as besides its own."""

_MOST = 1 << 40
"""Points that are told apart from more."""

# `sr_ask` runs the handlers of signals that came, if the GIL was let go of; `sr_spend`
# counts points, and asks at most once in a quarter of a second. 6 is the clock that
# takes least to read: CLOCK_MONOTONIC_COARSE of Linux, CLOCK_MONOTONIC of macOS.
ASK = f"""declare i32 @PyErr_CheckSignals()
declare i32 @clock_gettime(i32, ptr)
declare ptr @PyEval_SaveThread()
declare void @PyEval_RestoreThread(ptr)
define i32 @sr_ask(ptr %context) noinline nounwind {{
entry:
  %thread.at = getelementptr inbounds i64, ptr %context, i64 {ContextLayout.THREAD}
  %thread = load ptr, ptr %thread.at, align {WORD}
  %none = icmp eq ptr %thread, null
  br i1 %none, label %on, label %ask
ask:
  call void @PyEval_RestoreThread(ptr %thread)
  %raised = call i32 @PyErr_CheckSignals()
  %same = call ptr @PyEval_SaveThread()
  %ends = icmp ne i32 %raised, 0
  %status = select i1 %ends, i32 {INTERRUPTED}, i32 0
  ret i32 %status
on:
  ret i32 0
}}
define i32 @sr_spend(ptr %context, i64 %points) nounwind {{
entry:
  %time = alloca [2 x i64], align {WORD}
  %fuel.at = getelementptr inbounds i64, ptr %context, i64 {ContextLayout.FUEL}
  %fuel = load i64, ptr %fuel.at, align {WORD}
  %left = sub i64 %fuel, %points
  store i64 %left, ptr %fuel.at, align {WORD}
  %spent = icmp slt i64 %left, 0
  br i1 %spent, label %look, label %on
look:
  store i64 {LONG}, ptr %fuel.at, align {WORD}
  %told = call i32 @clock_gettime(i32 6, ptr %time)
  %seconds = load i64, ptr %time, align {WORD}
  %rest.at = getelementptr inbounds i64, ptr %time, i64 1
  %rest = load i64, ptr %rest.at, align {WORD}
  %quarters = udiv i64 %rest, 250000000
  %whole = mul i64 %seconds, 4
  %now = add i64 %whole, %quarters
  %tick.at = getelementptr inbounds i64, ptr %context, i64 {ContextLayout.TICK}
  %tick = load i64, ptr %tick.at, align {WORD}
  store i64 %now, ptr %tick.at, align {WORD}
  %same = icmp eq i64 %now, %tick
  br i1 %same, label %on, label %ask
ask:
  %status = call i32 @sr_ask(ptr %context)
  ret i32 %status
on:
  ret i32 0
}}
"""


# `sr_enter_if` runs a program without the GIL, and notes the thread if the run is long.
# A program whose runs are never long has the `sr_enter` here, others have their own.
ENTER = f"""declare i32 @sr_run(ptr)
define i32 @sr_enter_if(ptr %context, i1 %long) {{
  %thread = call ptr @PyEval_SaveThread()
  %thread.at = getelementptr inbounds i64, ptr %context, i64 {ContextLayout.THREAD}
  %kept = select i1 %long, ptr %thread, ptr null
  store ptr %kept, ptr %thread.at, align {WORD}
  %status = call i32 @sr_run(ptr %context)
  store ptr null, ptr %thread.at, align {WORD}
  call void @PyEval_RestoreThread(ptr %thread)
  ret i32 %status
}}
define weak i32 @sr_enter(ptr %context) {{
  %thread = call ptr @PyEval_SaveThread()
  %status = call i32 @sr_run(ptr %context)
  call void @PyEval_RestoreThread(ptr %thread)
  ret i32 %status
}}
"""


@dataclass(frozen=True)
class Length:
    """How long the runs of a program are."""

    work: Dim
    """Points of loops, for the greatest of the sizes that the program defines."""

    is_endless: bool
    """Whether there is a loop without a limit, of which `work` has a guess."""

    calls_out: bool
    """Whether Python code is run, which may take any time."""

    @property
    def is_always_long(self) -> bool:
        """Whether every run may be interrupted."""
        long = isinstance(self.work, int) and self.work >= LONG
        return long or self.is_endless or self.calls_out

    @property
    def is_ever_long(self) -> bool:
        """Whether some run may be interrupted."""
        return self.is_always_long or not isinstance(self.work, int)


def length_of(program: ProgramOp) -> Length:
    """How long the runs of a program are."""
    ops = [*program.walk()]
    repeats = [op for op in ops if isinstance(op, RepeatOp)]
    return Length(
        bounded(greatest(program.points, program.ranges)),
        any(is_unlimited(op.limit) for op in repeats),
        any(isinstance(op, CallOutOp) for op in ops),
    )


def bounded(work: Dim) -> Dim:
    """The points, or `_MOST` where there are more."""
    if isinstance(work, int):
        return min(work, _MOST)
    return work if all(factor < _MOST for _, factor in work.terms) else _MOST


def share(block: Block, kernels: Mapping[str, KernelOp]) -> int:
    """The points of loops after which there is an interruption point."""
    total: Dim = 0
    ops = [*block.ops]
    for op in ops:
        match op:
            case IfOp():
                ops += [each for region in op.regions for each in region.block.ops]
            case CallOp():
                total = total + weight(op, kernels)
            case _:
                pass
    return max(guess(total) // _SHARE, LEAST)


def weight(op: CallOp, kernels: Mapping[str, KernelOp]) -> Dim:
    """The points of loops in a call of a kernel, and those that the call counts for."""
    kernel = kernels[op.kernel_name]
    return evaluate(_points(kernel.body.block), sizes_of(op, kernel)) + TRIP


def sizes_of(op: CallOp, kernel: KernelOp) -> dict[str, Dim]:
    """What the symbols of a kernel are in a call."""
    names = [each.data for each in kernel.symbols]
    return dict(zip(names, op.sizes, strict=True))


def _points(block: Block) -> Dim:
    """The points of the loops of a kernel, with a few for what is around them."""
    total: Dim = 0
    for op in block.ops:
        match op:
            case TileOp():
                total = total + product(op.sizes)
            case ArgsortOp():
                total = total + op.points
            case ForOp():
                inner = _points(op.body.block)
                total = total + op.size * (1 if inner == 0 else inner)
            case _:
                pass
    return total


def write_enter(writer: ContextWriter, length: Length) -> str:
    """
    `sr_enter` of a program whose runs are long, or may be; none for others. The writer
    has begun a function.
    """
    if not length.is_ever_long:
        return ""
    w = writer.w
    is_long = "true"
    if not length.is_always_long:
        is_long = w.emit(f"icmp sge i64 {w.size(length.work)}, {LONG}")
    status = w.emit(f"call i32 @sr_enter_if(ptr %context, i1 {is_long})")
    w.do(f"ret i32 {status}")
    return w.text("define i32 @sr_enter(ptr noundef %context)")
