"""
Measure what the machine can do: multiply-adds on registers, reading, and copying.

The loops are machine code for the host as the compiler sees it, with nothing in them
but what is measured. Times are of the processor for each thread, so that what else the
machine does is not counted; threads work at the same moment, each on memory of its own,
and their rates are added up. What a profile asks for is measured once in a process.
"""

from __future__ import annotations

import ctypes
import threading
import time
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt

from ...lowering.llvm_to_object import kept_object, machine_of
from ...runtime.machine import link_functions
from ..ir import find_target

SECONDS = 5e-3
"""How long one thread works for one figure."""

Loop = Callable[[int, int, int, int], float]
"""How often, over how many floats, where they are, and where copies go."""

LARGEST = 1 << 26
"""Bytes of the largest memory that is read; caches are smaller."""

SMALLEST = 1 << 15
"""Bytes of the smallest memory that a profile asks for, which any first cache has."""


def clock(call: Callable[[], Any]) -> float:
    """The seconds of this thread for one call."""
    start = time.thread_time()
    call()
    return max(time.thread_time() - start, 1e-9)


def _loop_text(name: str, vector: str, lanes: int, totals: int) -> str:
    """
    A function that multiplies and adds, reads, or copies, vector by vector, many times.
    """
    # Copies leave the totals as they are.
    last = "a" if name == "copy" else "b"
    every = range(totals)
    lines = [
        f"define float @{name}(i64 %times, i64 %count, ptr %data, ptr %to) {{",
        "entry:",
        f"  %one = load {vector}, ptr %data, align 4",
        "  br label %again",
        "again:",
        "  %time = phi i64 [0, %entry], [%time_next, %done]",
        *(f"  %s{n} = phi {vector} [%one, %entry], [%{last}{n}, %done]" for n in every),
        "  br label %loop",
        "loop:",
        "  %i = phi i64 [0, %again], [%next, %loop]",
        *(
            f"  %a{n} = phi {vector} [%s{n}, %again], [%{last}{n}, %loop]"
            for n in every
        ),
        f"  %near = udiv i64 %i, {totals}",
        f"  %part = udiv i64 %count, {totals}",
        *(line for n in every for line in _step_lines(name, vector, lanes, n)),
        f"  %next = add i64 %i, {totals * lanes}",
        "  %more = icmp slt i64 %next, %count",
        "  br i1 %more, label %loop, label %done",
        "done:",
        "  %time_next = add i64 %time, 1",
        "  %anew = icmp slt i64 %time_next, %times",
        "  br i1 %anew, label %again, label %end",
        "end:",
    ]
    total = f"%{last}0"
    for n in every[1:]:
        lines.append(f"  %t{n} = fadd {vector} {total}, %{last}{n}")
        total = f"%t{n}"
    lines += [
        f"  %result = extractelement {vector} {total}, i64 0",
        "  ret float %result",
        "}",
    ]
    return "\n".join(lines) + "\n"


def _step_lines(name: str, vector: str, lanes: int, n: int) -> Iterator[str]:
    """What a loop does with vector `n` of a step; what is read is added to a total."""
    term = "%one"
    if name != "multiply_add":
        term = f"%l{n}"
        if name == "read_parts":
            yield f"  %o{n} = mul i64 %part, {n}"
            yield f"  %k{n} = add i64 %near, %o{n}"
        else:
            yield f"  %k{n} = add i64 %i, {n * lanes}"
        yield f"  %p{n} = getelementptr float, ptr %data, i64 %k{n}"
        yield f"  {term} = load {vector}, ptr %p{n}, align 4"
    if name == "copy":
        yield f"  %q{n} = getelementptr float, ptr %to, i64 %k{n}"
        yield f"  store {vector} {term}, ptr %q{n}, align 4"
    else:
        operands = f"{vector} %a{n}, {vector} %one, {vector} {term}"
        yield f"  %b{n} = call {vector} @llvm.fmuladd.v{lanes}f32({operands})"


@cache
def loops() -> tuple[dict[str, Loop], int, object]:
    """
    The loops for the host by name, of how many floats they are multiples, and what
    keeps their code.
    """
    target = find_target("host")
    lanes = target.lanes(32)
    # As many as the registers hold: enough to wait for none.
    totals = 12 if target.registers.data == 16 else 24
    vector = f"<{lanes} x float>"
    # One instruction where there is one, else two.
    text = f"declare {vector} @llvm.fmuladd.v{lanes}f32({vector}, {vector}, {vector})\n"
    names = ("multiply_add", "read", "read_parts", "copy")
    text += "".join(_loop_text(name, vector, lanes, totals) for name in names)
    library = link_functions([kept_object(text, machine_of(target), None)], names)
    word, address = ctypes.c_int64, ctypes.c_void_p
    type = ctypes.CFUNCTYPE(ctypes.c_float, word, word, address, address)
    return {name: type(library[name]) for name in names}, lanes * totals, library


def _aligned_memory(size: int) -> npt.NDArray[np.float32]:
    """Memory of some bytes that begins where a line of the cache does."""
    memory = np.full(size // 4 + 16, 0.5, np.float32)
    start = -memory.ctypes.data % 64 // 4
    return memory[start : start + size // 4]


class Limits:
    """The loops, and the memory that they read and write, for `threads` threads."""

    def __init__(self, threads: int = 1, largest: int = LARGEST):
        """As much memory for each thread as is read at most."""
        self.loops, self.step, _ = loops()
        self.threads, self.largest = threads, largest
        self.memory = [_aligned_memory(largest) for _ in range(threads)]

    def operations_a_second(self) -> float:
        """Multiplications and additions."""
        return 2 * self.rate("multiply_add", self.step)

    def bytes_read_a_second(self, size: int = LARGEST) -> float:
        """
        Bytes of a memory of this size, read again and again: from its start to its end,
        or several parts of it side by side, whatever is faster.
        """
        count = size // 4 // self.threads
        return 4 * max(self.rate(name, count) for name in ("read", "read_parts"))

    def bytes_copied_a_second(self, size: int = LARGEST) -> float:
        """Bytes read and written where both memories together have this size."""
        return 8 * self.rate("copy", size // 8 // self.threads)

    def bytes_a_second(self, size: int) -> float:
        """The better of reading and copying."""
        return max(self.bytes_read_a_second(size), self.bytes_copied_a_second(size))

    def rate(self, name: str, wanted: int) -> float:
        """The floats a second that the threads together pass through one loop."""
        half = self.largest // 8 // self.step * self.step
        most = half if name == "copy" else self.largest // 4 // self.step * self.step
        count = min(max(wanted // self.step, 1) * self.step, most)
        rates = [0.0] * self.threads
        barrier = threading.Barrier(self.threads)

        def work(number: int) -> None:
            data = self.memory[number].ctypes.data
            loop = self.loops[name]

            def run(times: int) -> float:
                return clock(lambda: loop(times, count, data, data + 4 * half))

            # Memory is in the caches, and the clock of the processor is up, after one.
            times = 1
            while (seconds := run(times)) < SECONDS / 8:
                times *= 2
            times = max(1, int(times * SECONDS / seconds))
            barrier.wait()
            rates[number] = times * count / run(times)

        others = [
            threading.Thread(target=work, args=(number,))
            for number in range(1, self.threads)
        ]
        for each in others:
            each.start()
        work(0)
        for each in others:
            each.join()
        return sum(rates)


@cache
def operations_a_second(threads: int) -> float:
    """Multiplications and additions of f32 that threads do together."""
    return Limits(threads, SMALLEST).operations_a_second()


def bytes_a_second(threads: int, size: float) -> float:
    """
    Bytes that threads read, or read and write, in a memory of about this size: of the
    next power of four that is not smaller.
    """
    found = SMALLEST
    while found < min(size, LARGEST):
        found *= 4
    return _bytes_a_second(threads, min(found, LARGEST))


@cache
def _bytes_a_second(threads: int, size: int) -> float:
    """The same, of just this size."""
    return Limits(threads, size).bytes_a_second(size)
