"""
Time what a profile costs: the code of it, when nobody looks, and when somebody does.

    python -m bench.profiler [BURSTS]
    python -m bench.profiler report       what sr-run --profile prints of digits

Each line is one model of kernels that do next to nothing. The run of a module is timed
as it is; as its twin, which has a branch at each kernel, without a profile; and with
one. A profile looks at the clock once for a kernel, and once when a run begins. Figures
are medians of bursts in turns, from C, on one thread.
"""

from __future__ import annotations

import statistics
import sys
from pathlib import Path
from typing import Any

import numpy as np

import static_runtime as sr
from static_runtime.compiler.profiling import benchmark, twin_of
from static_runtime.runtime.call import Profile
from static_runtime.runtime.inputs import random_inputs, sizes_of

from .call import MODELS, burst, calls_per_burst
from .depth import model

LAYERS = 50

DIGITS = MODELS.parents[2] / "examples" / "digits" / "digits.onnx"


def costs(source: Path | str, bursts: int) -> tuple[int, list[float]]:
    """Kernels of a model, and the nanoseconds of a call: off, with the branch, on."""
    module = sr.compile(source, options=sr.Options(cache=False, threads=1))
    twin = twin_of(module).module
    sizes = sizes_of(module.program, [])
    arrays = [*random_inputs(module.program, 0, sizes).values()]
    profile = Profile(len(twin.program.calls))
    runs: list[Any] = [module.repeater(*arrays), twin.repeater(*arrays)]
    words = twin.context.words
    field = twin.context.layout.profile

    def profiled(times: int) -> None:
        words[field] = profile.address
        runs[1](times)
        words[field] = 0

    runs.append(profiled)
    counts = [calls_per_burst(run) for run in runs]
    found: list[list[float]] = [[] for _ in runs]
    for _ in range(bursts):
        for times, run, times_of in zip(counts, runs, found, strict=True):
            times_of.append(burst(run, times))
    assert np.all(profile.counts[profile.counts > 0] == profile.counts.max())
    return module.report.kernels, [statistics.median(each) for each in found]


def print_report() -> None:
    """Prints the profile of the example model, as a document shows it."""
    module = sr.compile(DIGITS, options=sr.Options(threads=1))
    sizes = sizes_of(module.program, ["batch=8"])
    inputs = random_inputs(module.program, 0, sizes)
    print("```text")
    benchmark(module, [[*inputs.values()]], (), 100, 1000, print_per_node_time=True)
    print("```")


def print_costs(bursts: int) -> None:
    """Prints the table."""
    print("| model | kernels | off, ns | with a branch | profiled | ns a kernel |")
    print("| --- | --- | --- | --- | --- | --- |")
    for name, source in (
        ("add16", MODELS / "add16.onnx"),
        (f"{LAYERS} linear layers", model("linear", LAYERS)),
    ):
        kernels, (off, branch, on) = costs(source, bursts)
        print(
            f"| {name} | {kernels} | {off:.1f} | {branch / off:.3f} | {on / off:.3f} | "
            f"{(on - off) / kernels:.1f} |",
            flush=True,
        )


if __name__ == "__main__":
    (asked,) = sys.argv[1:] or ["999"]
    if asked == "report":
        print_report()
    else:
        print_costs(int(asked))
