"""
Time what a call costs over its kernels, and what it costs to fork and join threads.

    python -m bench.call

The machine may be doing other things: each figure is the least of many short bursts,
the ways to call in turns. The cost of a call is that from Python, with its loop of some
six nanoseconds, less that of `sr_repeat`, which runs the kernels without Python: with
inputs by place, by name, and as lists of numbers, which Python converts. The size of
the output of `above_zero` is known only after the run; nobody gives memory for it. The
cost of fork and join is that of a shared kernel that has nothing to do.
"""

from __future__ import annotations

import ctypes
import itertools
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import static_runtime as sr
from static_runtime.runtime.machine.llvm_text import link_text
from static_runtime.runtime.machine.thread_pool import thread_pool, usable_threads

MODELS = Path(__file__).resolve().parent.parent / "test" / "models" / "onnx"

ABOVE_ZERO = """
func.func @above_zero(%x: tensor<64xf32>) -> tensor<?x1xi64, ["found"]> {
  %0 = graph.constant dense<0.0> : tensor<f32>
  %1 = graph.gt %x, %0 : tensor<64xf32>, tensor<f32> -> tensor<64xi1>
  %2 = graph.cast %1 {to = i64} : tensor<64xi1> -> tensor<64xi64>
  %3 = graph.sum %2 {axes = array<i64: 0>, keepdims = false} :
    tensor<64xi64> -> tensor<i64>
  graph.define_symbol %3 {symbol = "found", low = "0", high = "64"} : tensor<i64>
  %4 = graph.nonzero %1 {count = "found"} : tensor<64xi1> ->
    tensor<?x1xi64, ["found"]>
  func.return %4 : tensor<?x1xi64, ["found"]>
}
"""
"""The places of positive numbers."""

CASES: tuple[tuple[str, Path | str, int], ...] = (
    ("add16", MODELS / "add16.onnx", 0),
    ("sr_example", MODELS / "sr_example.onnx", 0),
    ("mlp_small", MODELS / "mlp_small_dynamic.onnx", 1),
    ("deep_wide", MODELS / "deep_wide_dynamic.onnx", 1),
    ("above_zero", ABOVE_ZERO, 0),
)
"""Name, file or text, and batch size; 0 for a model of fixed sizes."""

BURSTS = 1000
BURST_SECONDS = 2e-4

FORK_BURSTS, FORKS_PER_BURST = 20_000, 20
"""Short enough that some burst has all threads running from its start to its end."""

FORKS = """declare void @sr_fork(ptr, ptr, ptr, i64)
define void @nothing(ptr %arguments, i64 %part, i64 %parts) {
  ret void
}
define void @forks(ptr %fork, ptr %pool, i64 %parts, i64 %times) {
entry:
  br label %again
again:
  %time = phi i64 [0, %entry], [%next, %again]
  call void %fork(ptr %pool, ptr @nothing, ptr null, i64 %parts)
  %next = add i64 %time, 1
  %more = icmp slt i64 %next, %times
  br i1 %more, label %again, label %done
done:
  ret void
}
"""


def calls_per_burst(run: Callable[[int], Any]) -> int:
    """How many times to run in one burst."""
    times = 1
    # The first runs are slow, and any may be interrupted: the best of several counts.
    while min(burst(run, times) for _ in range(10)) * times < BURST_SECONDS * 1e9:
        times *= 2
    return times


def burst(run: Callable[[int], Any], times: int) -> float:
    """The nanoseconds that one run takes in a burst of `times` runs."""
    start = time.perf_counter_ns()
    run(times)
    return (time.perf_counter_ns() - start) / times


def least_times(*runs: Callable[[int], Any]) -> list[float]:
    """The nanoseconds that each of `runs` takes at best, all in turns."""
    counts = [(run, calls_per_burst(run)) for run in runs]
    bursts = ([burst(run, times) for run, times in counts] for _ in range(BURSTS))
    return [min(each) for each in zip(*bursts, strict=True)]


def callers(
    module: sr.StaticModule, arrays: list[Any], out: Any
) -> list[Callable[[int], None]]:
    """
    Loops around a call as one writes it: by place, by name, with lists, and with `out`,
    unless only a run knows sizes.
    """
    names = [f"x{at}" for at in range(len(arrays))]
    lists = [f"y{at}" for at in range(len(arrays))]
    inputs, numbers = ", ".join(names), ", ".join(lists)
    pairs = zip(module.input_names, names, strict=True)
    by_name = ", ".join(f"{each}={name}" for each, name in pairs)
    scope: dict[str, Any] = dict(zip(names, arrays, strict=True))
    scope |= {y: array.tolist() for y, array in zip(lists, arrays, strict=True)}
    scope |= {"module": module, "out": out, "repeat": itertools.repeat}
    loops: list[Callable[[int], None]] = []
    calls = [f"module({each})" for each in (inputs, by_name, numbers)]
    if not module.program.defined:
        calls.append(f"module({inputs}, out=out)")
    for call in calls:
        # The names are local ones, as in a function that calls a model.
        text = f"def loop(times, {', '.join(f'{each}={each}' for each in scope)}):\n"
        text += f"    for _ in repeat(None, times):\n        {call}\n"
        found: dict[str, Any] = {**scope}
        exec(text, found)
        loops.append(found["loop"])
    return loops


def print_calls(name: str, path: Path | str, batch: int, threads: int) -> None:
    """Prints what a call of a model costs."""
    options = sr.Options(cache=False, threads=threads)
    module = sr.compile(path, options=options)
    random = np.random.default_rng(0)
    symbols = dict.fromkeys(module.program.symbols, batch)
    arrays = [
        random.standard_normal(each.sizes(symbols)).astype(each.dtype)
        for each in module.program.inputs
    ]
    loops = callers(module, arrays, module(*arrays))
    alone, *calls = least_times(module.repeater(*arrays), *loops)
    place, named, numbers, *given = (f"{each - alone:.0f}" for each in calls)
    (written,) = given or ("-",)
    figures = (f"{alone:.0f}", place, written, named, numbers)
    print(f"| {name} | {threads} | {' | '.join(figures)} |", flush=True)


def print_forks(threads: int) -> None:
    """Prints what it costs to let threads share a kernel that does nothing."""
    pool = thread_pool()
    pool.grow(threads)
    library = link_text(FORKS, ("forks",))
    word = ctypes.c_int64
    forks = ctypes.CFUNCTYPE(None, word, word, word, word)(library["forks"])

    def run(times: int) -> None:
        forks(pool.fork, pool.address, threads, times)

    costs = [burst(run, FORKS_PER_BURST) for _ in range(FORK_BURSTS)]
    print(f"fork and join of {threads} threads: {min(costs):.0f} ns")


def main() -> None:
    """Prints a table of calls, then what fork and join cost."""
    ways = ("kernels", "call", "with out=", "by name", "of lists")
    print(f"| model | threads | {' | '.join(f'{each}, ns' for each in ways)} |")
    print(f"|{' --- |' * (len(ways) + 2)}")
    for case in CASES:
        for threads in (1, 2):
            print_calls(*case, threads)
    print()
    print_forks(usable_threads())


if __name__ == "__main__":
    main()
