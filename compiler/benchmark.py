"""
Measure a model: compiling it cold and warm, calling it from Python and from C, its
memory.

Times are medians of bursts on a machine that may be doing other things; compare them
with others of the same run.
"""

from __future__ import annotations

import resource
import statistics
import tempfile
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy.typing as npt

from ..runtime.cache import Cache
from ..runtime.module import StaticModule
from .compile import Compilation
from .options import Options
from .report import CompileReport

BURSTS = 15
BURST_SECONDS = 0.05

Inputs = Mapping[str, npt.NDArray[Any]]


def benchmark(model: Any, target: str, options: Options, inputs: Inputs) -> str:
    """The measurements of a model on `inputs`, as text."""
    with tempfile.TemporaryDirectory() as folder:
        # A folder of its own: what is on disk already must not make cold warm.
        cold, first = compile_once(model, target, options, Path(folder))
        warm, second = compile_once(model, target, options, Path(folder))
    module = second if warm.warm else first
    latency = latency_lines(module, inputs)
    # The plan is of the sizes that were run.
    memory = memory_lines(module, cold)
    return "\n".join([*compile_lines(cold, warm), "", *memory, "", *latency])


def compile_once(
    model: Any, target: str, options: Options, folder: Path
) -> tuple[CompileReport, StaticModule]:
    """Compiles the model with what is kept in a folder."""
    compilation = Compilation(model, target=target, options=options)
    compilation.cache = Cache(folder)
    module = compilation.run()
    return module.report, module


def compile_lines(cold: CompileReport, warm: CompileReport) -> list[str]:
    """What compiling took."""
    lines = [
        f"compile, cold          {milliseconds(cold.seconds)}",
        f"  of which LLVM        {milliseconds(cold.llvm_seconds)}",
        f"compile, warm          {milliseconds(warm.seconds)}",
        f"kernels                {cold.kernels} calls of {cold.distinct_kernels}, "
        f"{cold.object_bytes} bytes of code",
        "passes",
    ]
    return lines + [
        f"  {name:<26} {milliseconds(seconds)}" for name, seconds in cold.passes
    ]


def memory_lines(module: StaticModule, report: CompileReport) -> list[str]:
    """What the plan of memory came to, for the sizes that were run."""
    plan = module.plan
    if plan.total == 0:
        verdict = "nothing to plan"
    elif plan.is_optimal:
        verdict = "no plan is smaller"
    else:
        verdict = f"{plan.total / max(plan.lower_bound, 1):.3f} of the lower bound"
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return [
        f"activations, planned   {plan.total} bytes",
        f"  lower bound          {plan.lower_bound} bytes ({verdict})",
        f"constants              {report.constant_bytes} bytes",
        f"peak of this process   {peak:.0f} MB",
    ]


def latency_lines(module: StaticModule, inputs: Inputs) -> list[str]:
    """How long a call takes, from Python and without it."""
    arrays = list(inputs.values())

    def call(times: int) -> None:
        for _ in range(times):
            module(*arrays)

    from_python, from_c = median_times(call, module.repeater(*arrays))
    overhead = from_python - from_c
    return [
        f"latency from Python    {from_python * 1e6:.3f} us",
        f"latency from C         {from_c * 1e6:.3f} us",
        f"  overhead of a call   {overhead * 1e9:.0f} ns",
    ]


def median_times(*runs: Callable[[int], Any]) -> list[float]:
    """
    The median, over bursts, of the seconds that each of `runs` takes.

    They take turns, so that what else the machine does meets them all.
    """
    counts = [calls_per_burst(run) for run in runs]
    bursts: list[list[float]] = [[] for _ in runs]
    for _ in range(BURSTS):
        for run, times, found in zip(runs, counts, bursts, strict=True):
            start = time.perf_counter()
            run(times)
            found.append((time.perf_counter() - start) / times)
    return [statistics.median(each) for each in bursts]


def calls_per_burst(run: Callable[[int], Any]) -> int:
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
