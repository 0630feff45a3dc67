"""
The functions of the pool of threads, `sr_work` and `sr_fork`, as LLVM IR.

They are compiled where a pool is made; a runtime that is built to run without LLVM has
them as an object.
"""

from __future__ import annotations

from .futex import FUTEX
from .llvm_text import object_of

_SPINS = 4000
"""Looks at the ticket before a worker sleeps: some tens of microseconds."""

_PATIENCE = 20000
"""Looks at what is left before a caller lets others run."""

_YIELD = {"x86_64": 24, "aarch64": 124}
"""The number of the system call `sched_yield`."""

_PAUSE = {
    "x86_64": "call void @llvm.x86.sse2.pause()",
    "aarch64": "call void @llvm.aarch64.hint(i32 1)",
}
"""What a loop does that waits."""

# The state, in bytes: 0 the ticket, 64 parts that workers have finished, 128 the
# function, 136 arguments, 192 stop, 256 sleepers, 320 busy, 384 workers. The ticket has
# the number of calls in its upper half, then the parts of this one and the next of them
# to be taken. Who adds one to it owns a part, and by that the function and arguments:
# the call does not end before the part is finished.
_TEXT = """declare i64 @syscall(i64, ...)
define void @sr_work(ptr %state) {{
entry:
  %finished = getelementptr i8, ptr %state, i64 64
  %function.at = getelementptr i8, ptr %state, i64 128
  %arguments.at = getelementptr i8, ptr %state, i64 136
  %stop.at = getelementptr i8, ptr %state, i64 192
  %sleepers = getelementptr i8, ptr %state, i64 256
  %calls.at = getelementptr i8, ptr %state, i64 4
  br label %look
look:
  %spin = phi i32 [0, %entry], [%more, %again], [0, %sleep], [0, %work], [%spin, %take]
  %stop = load atomic i32, ptr %stop.at acquire, align 64
  %ends = icmp ne i32 %stop, 0
  br i1 %ends, label %out, label %compare
compare:
  %ticket = load atomic i64, ptr %state acquire, align 64
  {split}
  br i1 %some, label %take, label %again
again:
  {pause}
  %more = add i32 %spin, 1
  %awake = icmp ult i32 %more, {spins}
  br i1 %awake, label %look, label %sleep
sleep:
  %upper = lshr i64 %ticket, 32
  %seen = trunc i64 %upper to i32
  %asleep = atomicrmw add ptr %sleepers, i32 1 seq_cst
  %slept = call i64 (i64, ...) @syscall(
    i64 {futex}, ptr %calls.at, i64 128, i32 %seen, ptr null)
  %woken = atomicrmw sub ptr %sleepers, i32 1 seq_cst
  br label %look
take:
  %after = add i64 %ticket, 1
  %taken = cmpxchg ptr %state, i64 %ticket, i64 %after acq_rel monotonic
  %mine = extractvalue {{i64, i1}} %taken, 1
  br i1 %mine, label %work, label %look
work:
  %function = load ptr, ptr %function.at
  %arguments = load ptr, ptr %arguments.at
  call void %function(ptr %arguments, i64 %next, i64 %parts)
  %one = atomicrmw add ptr %finished, i32 1 release
  br label %look
out:
  ret void
}}
define void @sr_fork(ptr %state, ptr %function, ptr %arguments, i64 %asked) {{
entry:
  %busy = getelementptr i8, ptr %state, i64 320
  %workers.at = getelementptr i8, ptr %state, i64 384
  %workers = load atomic i64, ptr %workers.at acquire, align 64
  %several = icmp ne i64 %workers, 0
  br i1 %several, label %enter, label %alone
enter:
  %entered = cmpxchg ptr %busy, i32 0, i32 1 acquire monotonic
  %is.free = extractvalue {{i32, i1}} %entered, 1
  br i1 %is.free, label %call, label %alone
alone:
  call void %function(ptr %arguments, i64 0, i64 1)
  ret void
call:
  %finished = getelementptr i8, ptr %state, i64 64
  %function.at = getelementptr i8, ptr %state, i64 128
  %arguments.at = getelementptr i8, ptr %state, i64 136
  %sleepers = getelementptr i8, ptr %state, i64 256
  %calls.at = getelementptr i8, ptr %state, i64 4
  %threads = add i64 %workers, 1
  %count = call i64 @llvm.smin.i64(i64 %asked, i64 %threads)
  store ptr %function, ptr %function.at
  store ptr %arguments, ptr %arguments.at
  store atomic i32 0, ptr %finished monotonic, align 64
  %before = load atomic i64, ptr %state monotonic, align 64
  %calls = lshr i64 %before, 32
  %calls.now = add i64 %calls, 1
  %upper = shl i64 %calls.now, 32
  %middle = shl i64 %count, 16
  %low = or disjoint i64 %middle, 1
  %now = or disjoint i64 %upper, %low
  store atomic i64 %now, ptr %state seq_cst, align 64
  %asleep = load atomic i32, ptr %sleepers seq_cst, align 64
  %need = icmp ne i32 %asleep, 0
  br i1 %need, label %wake, label %own
wake:
  %woken = call i64 (i64, ...) @syscall(
    i64 {futex}, ptr %calls.at, i64 129, i32 2147483647)
  br label %own
own:
  call void %function(ptr %arguments, i64 0, i64 %count)
  br label %look
look:
  %did = phi i64 [1, %own], [%did, %take], [%did.now, %work]
  %ticket = load atomic i64, ptr %state acquire, align 64
  {split}
  br i1 %some, label %take, label %wait
take:
  %after = add i64 %ticket, 1
  %taken = cmpxchg ptr %state, i64 %ticket, i64 %after acq_rel monotonic
  %mine = extractvalue {{i64, i1}} %taken, 1
  br i1 %mine, label %work, label %look
work:
  call void %function(ptr %arguments, i64 %next, i64 %parts)
  %did.now = add i64 %did, 1
  br label %look
wait:
  %theirs = sub i64 %count, %did
  %rest = trunc i64 %theirs to i32
  br label %join
join:
  %turn = phi i32 [0, %wait], [%turn.next, %pause], [0, %let]
  %ready = load atomic i32, ptr %finished acquire, align 64
  %all = icmp eq i32 %ready, %rest
  br i1 %all, label %out, label %pause
pause:
  {pause}
  %turn.next = add i32 %turn, 1
  %patient = icmp ult i32 %turn.next, {patience}
  br i1 %patient, label %join, label %let
let:
  %let.go = call i64 (i64, ...) @syscall(i64 {let_go})
  br label %join
out:
  store atomic i32 0, ptr %busy release, align 64
  ret void
}}
declare i64 @llvm.smin.i64(i64, i64)
declare {hint}
"""

_SPLIT = """%next = and i64 %ticket, 65535
  %parts.above = lshr i64 %ticket, 16
  %parts = and i64 %parts.above, 65535
  %some = icmp ult i64 %next, %parts"""
"""Reads a ticket: the next part, how many there are, and whether it is to be taken."""


def pool_object(machine: str) -> bytes:
    """The functions as an object for a machine: x86_64 or aarch64."""
    text = _TEXT.format(
        spins=_SPINS,
        patience=_PATIENCE,
        futex=FUTEX[machine],
        let_go=_YIELD[machine],
        pause=_PAUSE[machine],
        hint=_PAUSE[machine].removeprefix("call ").replace("i32 1", "i32"),
        split=_SPLIT,
    )
    return object_of(text, machine)
