"""
Compare a model in f32 with the same in bf16: time, memory, how far results are apart.

    python -m bench.precision model.onnx another.onnx

On one thread, in turns, in one process; times are of the processor for this thread, so
that what else the machine does counts less, and a ratio is the median of those of the
turns. The error is the largest difference, relative to the largest output; inputs are
those in an .npz file beside the model, as `bench/cases.py` keeps them, or at random.
"""

from __future__ import annotations

import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import static_runtime as sr

from .cases import Array, Case, several
from .gemm import repeated
from .turns import inputs_of

SECONDS = 6.0
"""How long turns are taken for a model."""

TURNS = 7
"""How many turns there are at least."""


def inputs_beside(path: Path, model: sr.StaticModule) -> list[Array]:
    """The inputs that lie beside a model, or others."""
    if path.with_suffix(".npz").exists():
        return Case(path.parent, path.stem).inputs()
    return inputs_of(model)


def apart(exact: Any, reduced: Any) -> float:
    """How far results are from what they should be."""
    return max(
        float(np.abs(x - y).max(initial=0)) / (float(np.abs(x).max(initial=0)) or 1.0)
        for x, y in zip(several(exact), several(reduced), strict=True)
    )


def line(path: Path) -> str:
    """A line of the table."""
    exact, reduced = (
        sr.compile(path, options=sr.Options(precision=each, threads=1, cache=False))
        for each in ("f32", "bf16")
    )
    inputs = inputs_beside(path, exact)
    calls: list[Callable[[], Any]] = [lambda: exact(*inputs), lambda: reduced(*inputs)]
    error = apart(*(call() for call in calls))
    runs, turns = list(map(repeated, calls)), list[list[float]]()
    end = time.perf_counter() + SECONDS
    while time.perf_counter() < end or len(turns) < TURNS:
        turns.append([run() for run in runs])
    times = [statistics.median(each) * 1e6 for each in zip(*turns, strict=True)]
    ratio = statistics.median(after / before for before, after in turns)
    bytes = [each.report.constant_bytes / 1e6 for each in (exact, reduced)]
    return (
        f"| {path.stem} | {times[0]:.1f} | {times[1]:.1f} | {ratio:.2f} | "
        f"{bytes[0]:.1f} | {bytes[1]:.1f} | {error:.0e} |"
    )


def main() -> None:
    """Prints a table of the models that are named."""
    print("| model | f32, us | bf16, us | ratio | f32, MB | bf16, MB | error |")
    print("|" + " --- |" * 7)
    for each in sys.argv[1:]:
        print(line(Path(each)), flush=True)


if __name__ == "__main__":
    main()
