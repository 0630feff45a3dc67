"""
The threads of the process, which run the parts of a kernel side by side.

    void sr_fork(state, function, arguments, parts)

runs `function(arguments, part, parts)` for each part, one of them in the caller, and
returns when all are done. Workers are Python's threads, which run compiled code and
never hold the GIL there. They wait for a call by spinning for some microseconds, then
sleep on a futex; a call wakes them. All modules share one pool: who finds it busy runs
all parts alone. What a part computes does not depend on who runs it.

There are as many threads as the process may use: by its affinity and by the quota of
its control group. After a fork the child has workers of its own. On a system without
futexes there are none, and every call runs all parts itself.
"""

from __future__ import annotations

import atexit
import ctypes
import math
import os
import platform
import sys
import threading
import time
from functools import cache
from pathlib import Path

import numpy as np

SPINS = 4000
"""Looks at the counter before a worker sleeps: some tens of microseconds."""

PATIENCE = 20000
"""Looks at what is left before a caller lets others run."""

WORDS = 128
"""Words of the state, each group of which has a cache line of its own."""

FUTEX = {"x86_64": 202, "aarch64": 98}
"""The number of the system call `futex`."""

YIELD = {"x86_64": 24, "aarch64": 124}
"""The number of the system call `sched_yield`."""

PAUSE = {
    "x86_64": "call void @llvm.x86.sse2.pause()",
    "aarch64": "call void @llvm.aarch64.hint(i32 1)",
}
"""What a loop does that waits."""

# The state, in bytes: 0 the number of calls, 64 workers that are not done, 128 the
# function, 136 arguments, 144 parts, 192 stop, 256 sleepers, 320 busy, 384 workers.
TEXT = """declare i64 @syscall(i64, ...)
define void @sr_work(ptr %state, i64 %number, i32 %first) {{
entry:
  %left = getelementptr i8, ptr %state, i64 64
  %function.at = getelementptr i8, ptr %state, i64 128
  %arguments.at = getelementptr i8, ptr %state, i64 136
  %parts.at = getelementptr i8, ptr %state, i64 144
  %stop.at = getelementptr i8, ptr %state, i64 192
  %sleepers = getelementptr i8, ptr %state, i64 256
  br label %wait
wait:
  %seen = phi i32 [%first, %entry], [%call, %done]
  br label %look
look:
  %spin = phi i32 [0, %wait], [%more, %again], [0, %sleep]
  %call = load atomic i32, ptr %state acquire, align 64
  %stop = load atomic i32, ptr %stop.at acquire, align 64
  %ends = icmp ne i32 %stop, 0
  br i1 %ends, label %out, label %compare
compare:
  %new = icmp ne i32 %call, %seen
  br i1 %new, label %go, label %again
again:
  {pause}
  %more = add i32 %spin, 1
  %awake = icmp ult i32 %more, {spins}
  br i1 %awake, label %look, label %sleep
sleep:
  %asleep = atomicrmw add ptr %sleepers, i32 1 seq_cst
  %slept = call i64 (i64, ...) @syscall(
    i64 {futex}, ptr %state, i64 128, i32 %seen, ptr null)
  %woken = atomicrmw sub ptr %sleepers, i32 1 seq_cst
  br label %look
go:
  %parts = load i64, ptr %parts.at
  %mine = icmp slt i64 %number, %parts
  br i1 %mine, label %work, label %done
work:
  %function = load ptr, ptr %function.at
  %arguments = load ptr, ptr %arguments.at
  call void %function(ptr %arguments, i64 %number, i64 %parts)
  br label %done
done:
  %one = atomicrmw sub ptr %left, i32 1 release
  br label %wait
out:
  ret void
}}
define void @sr_fork(ptr %state, ptr %function, ptr %arguments, i64 %asked) {{
entry:
  %busy = getelementptr i8, ptr %state, i64 320
  %workers.at = getelementptr i8, ptr %state, i64 384
  %workers = load atomic i64, ptr %workers.at acquire, align 64
  %some = icmp ne i64 %workers, 0
  br i1 %some, label %take, label %alone
take:
  %taken = cmpxchg ptr %busy, i32 0, i32 1 acquire monotonic
  %mine = extractvalue {{i32, i1}} %taken, 1
  br i1 %mine, label %call, label %alone
alone:
  call void %function(ptr %arguments, i64 0, i64 1)
  ret void
call:
  %left = getelementptr i8, ptr %state, i64 64
  %function.at = getelementptr i8, ptr %state, i64 128
  %arguments.at = getelementptr i8, ptr %state, i64 136
  %parts.at = getelementptr i8, ptr %state, i64 144
  %sleepers = getelementptr i8, ptr %state, i64 256
  %threads = add i64 %workers, 1
  %parts = call i64 @llvm.smin.i64(i64 %asked, i64 %threads)
  store ptr %function, ptr %function.at
  store ptr %arguments, ptr %arguments.at
  store i64 %parts, ptr %parts.at
  %count = trunc i64 %workers to i32
  store atomic i32 %count, ptr %left release, align 64
  %calls = atomicrmw add ptr %state, i32 1 seq_cst
  %asleep = load atomic i32, ptr %sleepers seq_cst, align 64
  %need = icmp ne i32 %asleep, 0
  br i1 %need, label %wake, label %own
wake:
  %woken = call i64 (i64, ...) @syscall(
    i64 {futex}, ptr %state, i64 129, i32 2147483647)
  br label %own
own:
  call void %function(ptr %arguments, i64 0, i64 %parts)
  br label %join
join:
  %look = phi i32 [0, %own], [%next, %pause], [0, %let]
  %rest = load atomic i32, ptr %left acquire, align 64
  %all = icmp eq i32 %rest, 0
  br i1 %all, label %out, label %pause
pause:
  {pause}
  %next = add i32 %look, 1
  %patient = icmp ult i32 %next, {patience}
  br i1 %patient, label %join, label %let
let:
  %let.go = call i64 (i64, ...) @syscall(i64 {let_go})
  br label %join
out:
  store atomic i32 0, ptr %busy release, align 64
  ret void
}}
define i1 @sr_claim(ptr %state) {{
entry:
  %busy = getelementptr i8, ptr %state, i64 320
  %taken = cmpxchg ptr %busy, i32 0, i32 1 acquire monotonic
  %mine = extractvalue {{i32, i1}} %taken, 1
  ret i1 %mine
}}
declare i64 @llvm.smin.i64(i64, i64)
declare {hint}
"""


def quota() -> int:
    """The cores that the control group of this process may use, if it says."""
    try:
        limit, period = Path("/sys/fs/cgroup/cpu.max").read_text().split()
        return max(1, math.ceil(int(limit) / int(period)))
    except (OSError, ValueError):
        return sys.maxsize


def usable_threads() -> int:
    """How many threads this process may run at once."""
    if hasattr(os, "sched_getaffinity"):
        count = len(os.sched_getaffinity(0))
    else:
        count = os.cpu_count() or 1
    return min(count, quota())


def is_supported() -> bool:
    """Whether this system has what the workers wait with."""
    return sys.platform == "linux" and platform.machine() in FUTEX


class ThreadPool:
    """The workers of this process, which are started when they are first needed."""

    def __init__(self) -> None:
        """A pool without workers."""
        machine = platform.machine()
        text = TEXT.format(
            spins=SPINS,
            patience=PATIENCE,
            futex=FUTEX[machine],
            let_go=YIELD[machine],
            pause=PAUSE[machine],
            hint=PAUSE[machine].removeprefix("call ").replace("i32 1", "i32"),
        )
        from .code import link_text  # LLVM, which a pool needs and its numbers do not

        self.library = link_text(text, ("sr_work", "sr_fork", "sr_claim"), "threads")
        self.fork = self.library["sr_fork"]
        self.work = ctypes.CFUNCTYPE(
            None, ctypes.c_void_p, ctypes.c_int64, ctypes.c_int32
        )(self.library["sr_work"])
        self.claim = ctypes.CFUNCTYPE(ctypes.c_bool, ctypes.c_void_p)(
            self.library["sr_claim"]
        )
        """Takes the pool, unless a call is under way."""
        self.words = np.zeros(WORDS + 8, np.uint64)
        self.address = -(-self.words.ctypes.data // 64) * 64
        self.threads: list[threading.Thread] = []
        self.lock = threading.Lock()
        os.register_at_fork(after_in_child=self.start_again)
        atexit.register(self.stop)

    def int32(self, offset: int) -> ctypes.c_int32:
        """A number of the state."""
        return ctypes.c_int32.from_address(self.address + offset)

    def grow(self, threads: int) -> None:
        """Starts workers, so that with the caller there are so many threads."""
        with self.lock:
            for number in range(len(self.threads) + 1, threads):
                # A call that is under way must not wait for a worker that it began
                # without.
                while not self.claim(self.address):
                    time.sleep(0.0005)
                # The next call waits for this worker, which may begin to look only
                # after it: what counts is the number of calls so far.
                worker = threading.Thread(
                    target=self.work,
                    args=(self.address, number, self.int32(0).value),
                    name=f"static_runtime-{number}",
                    daemon=True,
                )
                worker.start()
                self.threads.append(worker)
                self.int32(384).value = len(self.threads)
                self.int32(320).value = 0

    def start_again(self) -> None:
        """Starts workers in the child of a fork, which has none."""
        count, self.threads, self.lock = len(self.threads), [], threading.Lock()
        self.words[:] = 0
        self.grow(count + 1 if count else 0)

    def stop(self) -> None:
        """Ends the workers, and waits for them."""
        self.int32(384).value = 0
        self.int32(192).value = 1
        self.int32(0).value += 1
        if self.threads:
            wake(self.address)
        for each in self.threads:
            each.join(1)
        self.threads.clear()


def wake(address: int) -> None:
    """Wakes all who sleep on a number."""
    library = ctypes.CDLL(None)
    library.syscall(
        ctypes.c_long(FUTEX[platform.machine()]),
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
