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

from static_runtime.compiler.compile import Compilation
from static_runtime.compiler.session.options import Options
from static_runtime.runtime.cache import Cache
from static_runtime.runtime.call.module import StaticModule

from .turns import assert_same, in_turns, inputs_of

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


def main(paths: list[str]) -> None:
    """Prints the table."""
    print(HEAD, RULE, sep="\n")
    for path in paths:
        with tempfile.TemporaryDirectory() as folder:
            before, after = (compiled(path, tune, folder) for tune in (False, True))
        inputs = inputs_of(before)
        assert_same((before, after), inputs)
        found = in_turns((before, after), inputs, ROUNDS, BURST, time.thread_time)
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
