"""
The threads of the process, which run the parts of a kernel side by side.

    void sr_fork(state, function, arguments, parts)

runs `function(arguments, part, parts)` for each part, and returns when all are done.
The caller runs the first, then what no worker has taken: so it waits for nobody who is
late, on a machine that is busy. Workers are Python's threads, which run compiled code
and never hold the GIL there. They wait for a call by spinning for some microseconds,
then sleep on a futex; a call wakes them. All modules share one pool: who finds it busy
runs all parts alone. What a part computes does not depend on who runs it.

There are as many threads as the process may use, by its affinity and by the quota of
its control group, or fewer when the system refuses one. After a fork the child has
workers of its own. On a system without futexes there are none, and every call runs all
parts itself.
"""

from __future__ import annotations

import atexit
import ctypes
import os
import platform
import sys
import threading
from functools import cache

import numpy as np

from .host import get_host

_SPINS = 4000
"""Looks at the ticket before a worker sleeps: some tens of microseconds."""

_PATIENCE = 20000
"""Looks at what is left before a caller lets others run."""

_FIELDS = 128
"""Fields of 8 bytes in the state; each group of them has a cache line of its own."""

_FUTEX = {"x86_64": 202, "aarch64": 98}
"""The number of the system call `futex`."""

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

_MOST = 65535
"""Parts that a ticket has room for."""


def usable_threads() -> int:
    """How many threads this process may run at once."""
    return get_host().threads


def is_supported() -> bool:
    """Whether this system has what the workers wait with."""
    return sys.platform == "linux" and platform.machine() in _FUTEX


class ThreadPool:
    """The workers of this process, which are started when they are first needed."""

    def __init__(self) -> None:
        """A pool without workers."""
        machine = platform.machine()
        text = _TEXT.format(
            spins=_SPINS,
            patience=_PATIENCE,
            futex=_FUTEX[machine],
            let_go=_YIELD[machine],
            pause=_PAUSE[machine],
            hint=_PAUSE[machine].removeprefix("call ").replace("i32 1", "i32"),
            split=_SPLIT,
        )
        from .code import link_text  # LLVM, which a pool needs and its numbers do not

        self.library = link_text(text, ("sr_work", "sr_fork"), "threads")
        self.fork = self.library["sr_fork"]
        self.work = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(self.library["sr_work"])
        self.state = np.zeros(_FIELDS + 8, np.uint64)
        self.address = -(-self.state.ctypes.data // 64) * 64
        self.threads: list[threading.Thread] = []
        self.lock = threading.Lock()
        os.register_at_fork(after_in_child=self.start_again)
        atexit.register(self.stop)

    def int32(self, offset: int) -> ctypes.c_int32:
        """A number of the state."""
        return ctypes.c_int32.from_address(self.address + offset)

    def grow(self, threads: int) -> None:
        """
        Starts workers until there are `threads` threads, counting the caller; fewer if
        the system refuses one.
        """
        with self.lock:
            for number in range(len(self.threads) + 1, min(threads, _MOST)):
                worker = threading.Thread(
                    target=self.work,
                    args=(self.address,),
                    name=f"static_runtime-{number}",
                    daemon=True,
                )
                try:
                    worker.start()
                except RuntimeError:
                    return
                self.threads.append(worker)
                self.int32(384).value = len(self.threads)

    def start_again(self) -> None:
        """Starts workers in the child of a fork, which has none."""
        count, self.threads, self.lock = len(self.threads), [], threading.Lock()
        self.state[:] = 0
        self.grow(count + 1 if count else 0)

    def stop(self) -> None:
        """Ends the workers, and waits for them."""
        self.int32(384).value = 0
        self.int32(192).value = 1
        self.int32(4).value += 1
        if self.threads:
            _wake(self.address + 4)
        for each in self.threads:
            each.join(1)
        self.threads.clear()


def _wake(address: int) -> None:
    """Wakes all who sleep on a number."""
    library = ctypes.CDLL(None)
    library.syscall(
        ctypes.c_long(_FUTEX[platform.machine()]),
        ctypes.c_void_p(address),
        ctypes.c_long(129),
        ctypes.c_int(2**31 - 1),
    )


@cache
def thread_pool() -> ThreadPool:
    """The pool of this process; raises `OSError` on a system that has none."""
    if not is_supported():
        raise OSError(f"expected Linux, got {sys.platform} {platform.machine()}")
    return ThreadPool()
