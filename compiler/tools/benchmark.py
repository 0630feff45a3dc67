"""
Measure a model: compiling it cold and warm, calling it from Python and from C, its
memory.

Times are medians of bursts on a machine that may be doing other things; compare them
with others of the same run.
"""

from __future__ import annotations

import statistics
import tempfile
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy.typing as npt

from ...runtime import Cache
from ...runtime.call import StaticModule
from ..compile import Compilation
from ..session import CompileReport, Options
from .cold import compile_apart

BURSTS = 15
BURST_SECONDS = 0.05

_ALLOWANCE = 500_000_000
"""Bytes that compiling may take besides three times the constants."""

Inputs = Mapping[str, npt.NDArray[Any]]


def benchmark(model: Any, target: str, options: Options, inputs: Inputs) -> str:
    """The measurements of a model on `inputs`, as text."""
    with tempfile.TemporaryDirectory() as folder:
        # A folder of its own: what is on disk already must not make cold warm.
        cold, peak = compile_apart(model, target, options, Path(folder))
        compilation = Compilation(model, target=target, options=options)
        compilation.cache = Cache(Path(folder))
        module = compilation.run()
    latency = _latency_lines(module, inputs)
    # The plan is of the sizes that were run.
    memory = _memory_lines(module, cold, peak)
    lines = [*_size_lines(cold), "", *_compile_lines(cold, module.report)]
    return "\n".join([*lines, "", *memory, "", *latency])


def _size_lines(report: CompileReport) -> list[str]:
    """How much there is of the model."""
    lines = [
        f"ops                    {report.ops_read} as read, {report.ops} after the "
        "passes",
        f"kernels                {report.kernels} calls of {report.distinct_kernels}, "
        f"{report.object_bytes} bytes of code",
    ]
    if fewer := report.fewer_products:
        error = max(each.error for each in fewer)
        lines.append(
            f"convolutions           {len(fewer)} of fewer products, errors up to "
            f"{error:.0e} of the largest result are to be expected"
        )
    return lines


def _compile_lines(cold: CompileReport, warm: CompileReport) -> list[str]:
    """What compiling took; a pass that ran more than once is one line."""
    passes = sum(seconds for _, seconds in cold.passes)
    lines = [
        f"compile, cold          {milliseconds(cold.seconds)}",
        f"  reading the model    {milliseconds(cold.read_seconds)}",
        f"  passes               {milliseconds(passes)}",
    ]
    for name, times, seconds in cold.pass_totals:
        label = name if times == 1 else f"{name} x{times}"
        lines.append(f"    {label:<28} {milliseconds(seconds)}")
    if cold.tuning_seconds:
        lines.append(
            f"  tuning, of that      {milliseconds(cold.tuning_seconds)}, "
            f"{cold.measured_kernels} kernels measured, {cold.changed_kernels} changed"
        )
    return [
        *lines,
        f"  writing code         {milliseconds(cold.code_seconds)}",
        f"  LLVM                 {milliseconds(cold.llvm_seconds)}",
        f"  writing to disk      {milliseconds(cold.keep_seconds)}",
        f"compile, warm          {milliseconds(warm.seconds)}",
    ]


def _memory_lines(module: StaticModule, report: CompileReport, peak: int) -> list[str]:
    """
    What the plan of memory came to, for the sizes that were run, and the peak of the
    process that compiled the model, beside what it should stay below.
    """
    plan = module.plan
    if plan.size == 0:
        verdict = "nothing to plan"
    elif plan.is_optimal:
        verdict = "no plan is smaller"
    else:
        verdict = f"{plan.size / max(plan.lower_bound, 1):.3f} of the lower bound"
    bound = 3 * report.constant_bytes + _ALLOWANCE
    return [
        f"activations, planned   {plan.size} bytes",
        f"  lower bound          {plan.lower_bound} bytes ({verdict})",
        f"constants              {report.constant_bytes} bytes",
        f"compile, peak          {peak} bytes (3 x constants + 500 MB: {bound})",
    ]


def _latency_lines(module: StaticModule, inputs: Inputs) -> list[str]:
    """How long a call takes, from Python and without it."""
    arrays = list(inputs.values())

    def call(times: int) -> None:
        for _ in range(times):
            module(*arrays)

    from_python, from_c = _median_times(call, module.repeater(*arrays))
    overhead = from_python - from_c
    return [
        f"latency from Python    {from_python * 1e6:.3f} us",
        f"latency from C         {from_c * 1e6:.3f} us",
        f"  overhead of a call   {overhead * 1e9:.0f} ns",
    ]


def _median_times(*runs: Callable[[int], Any]) -> list[float]:
    """
    The median, over bursts, of the seconds that each of `runs` takes.

    They take turns, so that what else the machine does meets them all.
    """
    counts = [_calls_per_burst(run) for run in runs]
    bursts: list[list[float]] = [[] for _ in runs]
    for _ in range(BURSTS):
        for run, times, found in zip(runs, counts, bursts, strict=True):
            start = time.perf_counter()
            run(times)
            found.append((time.perf_counter() - start) / times)
    return [statistics.median(each) for each in bursts]


def _calls_per_burst(run: Callable[[int], Any]) -> int:
    """How many times to run in one burst."""
    run(3)
    times, elapsed = 1, 0.0
    while elapsed < BURST_SECONDS:
        times *= 2
        start = time.perf_counter()
        run(times)
        elapsed = time.perf_counter() - start
    return times


def milliseconds(seconds: float) -> str:
    """Seconds in milliseconds."""
    return f"{seconds * 1e3:9.2f} ms"
