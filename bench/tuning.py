"""
What measured tuning saves: models as the cost model has them, and tuned, in turns.

    python -m bench.tuning model.onnx ...

A line for each model: how many contractions were measured, for how many something
else was faster, the seconds that took, the milliseconds of a call before and after
(medians), and the median of the ratios of bursts that followed each other, with their
quartiles. The results of both must be the same to the bit.
"""

from __future__ import annotations

import statistics
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

from static_runtime.compiler.compile import Compilation
from static_runtime.compiler.options import Options
from static_runtime.compiler.run import random_inputs, sizes_of
from static_runtime.runtime.cache import Cache
from static_runtime.runtime.module import StaticModule

HEAD = "| model | measured | changed | seconds | before | after | ratio | quartiles |"

RULE = "| --- " * 8 + "|"

ROUNDS = 41

BURST = 0.05
"""Seconds that a burst of calls takes at least."""


def compiled(path: str, tune: bool, folder: str) -> StaticModule:
    """A model compiled for one thread, with nothing on disk but what is in a folder."""
    compilation = Compilation(path, options=Options(tune=tune, threads=1))
    compilation.cache = Cache(Path(folder))
    return compilation.run()


def seconds(run: Any, times: int) -> float:
    """How long so many calls take."""
    start = time.thread_time()
    run(times)
    return time.thread_time() - start


def main(paths: list[str]) -> None:
    """Prints the table."""
    print(HEAD, RULE, sep="\n")
    for path in paths:
        with tempfile.TemporaryDirectory() as folder:
            before, after = (compiled(path, tune, folder) for tune in (False, True))
        inputs = random_inputs(before.program, 0, sizes_of(before.program, []))
        arrays = list(inputs.values())
        for one, other in zip(
            *(np.atleast_1d(each(*arrays)) for each in (before, after)), strict=True
        ):
            np.testing.assert_array_equal(one, other)
        runs = [each.repeater(*arrays) for each in (before, after)]
        times = max(round(BURST / seconds(runs[0], 1)), 1)
        found: list[tuple[float, float]] = []
        for number in range(ROUNDS):
            # Each goes first in every other round.
            turn = [seconds(each, times) for each in runs[:: 1 - number % 2 * 2]]
            one, other = turn[:: 1 - number % 2 * 2]
            found.append((one / times, other / times))
        low, middle, high = statistics.quantiles(b / a for a, b in found)
        one, other = (
            statistics.median(each) * 1e3 for each in zip(*found, strict=True)
        )
        report = after.report
        print(
            f"| {Path(path).stem} | {report.measured_kernels} | "
            f"{report.changed_kernels} | {report.tuning_seconds:.0f} | {one:.2f} | "
            f"{other:.2f} | {middle:.3f} | {low:.3f} to {high:.3f} |",
            flush=True,
        )


if __name__ == "__main__":
    main(sys.argv[1:])
