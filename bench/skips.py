"""
Compare models with and without run-time skip, beside ONNX Runtime and OpenVINO.

    python -m bench.skips              a line for each model and sizes
    python -m bench.skips --rounds 30
    python -m bench.skips --only beams

The models have open sizes, and are compiled once; the sizes measured are those at
which something is skipped, and others. Of the models of beams one has indices in order.
All run in turns in one process, on one thread each, for at least `BURST` seconds a
round; times are medians, in microseconds. Bytes are those of activations, and of the
results that were not moved.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import torch
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

import static_runtime as sr
from static_runtime.compiler.compile import Compilation
from static_runtime.compiler.passes.graph.mark_runtime_skippable import (
    MarkRuntimeSkippable,
)
from static_runtime.dialects.graph import SKIPS

from .cases import several
from .peers import openvino_session, session
from .suite.beams import BEAMS
from .suite.model import SEED
from .suite.open import OPEN, OpenModel, Sizes, export_open

BURST = 0.01
"""Seconds of a round of one of those that are compared."""

MEASURED: tuple[tuple[str, Sizes], ...] = (
    ("block.length", (1, 1)),
    ("block.length", (1, 16)),
    ("block.length", (8, 1)),
    ("block.length", (4, 16)),
    ("encoder.length", (1, 1)),
    ("deep_wide", (1,)),
    ("deep_wide", (20,)),
    *((name, sizes) for name, model in BEAMS.items() for sizes in model.sizes),
)
"""Models of `bench/suite`, and values of their symbols."""


def compiled(path: Path, skips: bool) -> sr.StaticModule:
    """A model that skips, or not."""

    def after_pass(done: ModulePass, module: ModuleOp) -> None:
        if isinstance(done, MarkRuntimeSkippable) and not skips:
            for op in module.walk():
                op.attributes.pop(SKIPS, None)

    options = sr.Options(cache=False, threads=1)
    return Compilation(path, options=options, after_pass=after_pass).run()


def timed(calls: Sequence[Callable[[], Any]], rounds: int) -> list[float]:
    """The median seconds of each call, in turns."""
    times: list[list[float]] = [[] for _ in calls]
    counts: list[int] = []
    for call in calls:
        call()
        start = time.perf_counter()
        call()
        counts.append(max(round(BURST / (time.perf_counter() - start)), 1))
    for number in range(rounds):
        order = range(len(calls)) if number % 2 else reversed(range(len(calls)))
        for at in order:
            start = time.perf_counter()
            for _ in range(counts[at]):
                calls[at]()
            times[at].append((time.perf_counter() - start) / counts[at])
    return [statistics.median(each) for each in times]


def row(name: str, model: OpenModel, sizes: Sizes, path: Path, rounds: int) -> str:
    """A line of the table."""
    inputs = [each.numpy() for each in model.inputs(*sizes)]
    on, off = (compiled(path, skips) for skips in (True, False))
    names = [f"in{at}" for at, _ in enumerate(inputs)]
    feed = dict(zip(names, inputs, strict=True))
    others = [session(path, 1), openvino_session(path, 1)]
    results = [several(each(*inputs)) for each in (on, off)]
    for one, other in zip(*results, strict=True):
        np.testing.assert_array_equal(one, other)
    calls = [partial(each, *inputs) for each in (on, off)]
    calls += [partial(each, feed) for each in others]
    seconds = timed(calls, rounds)
    told = on.statistics()
    symbols = dict(zip(model.symbols, sizes, strict=True))
    bytes = [each.memory_report(**symbols).activations for each in (on, off)]
    shown = ", ".join(f"{key} {value}" for key, value in symbols.items())
    times = " | ".join(f"{each * 1e6:.1f}" for each in seconds)
    return (
        f"| `{name}` {shown} | {len(told.skipped)} | {told.folded} | {times} "
        f"| {bytes[0]:,} | {bytes[1]:,} | {told.bytes_not_moved:,} |"
    )


def main() -> None:
    """Prints a line for each model and sizes."""
    parser = argparse.ArgumentParser(description="Time run-time skip, on and off.")
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--only", default="", help="the begin of models' names")
    asked = parser.parse_args()
    torch.set_num_threads(1)
    print(
        "| model | skipped | folded | on, µs | off, µs | ONNX Runtime | OpenVINO "
        "| bytes, on | bytes, off | not moved |"
    )
    print("| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |")
    with tempfile.TemporaryDirectory() as folder:
        chosen = (each for each in MEASURED if each[0].startswith(asked.only))
        for name, sizes in chosen:
            model, path = {**OPEN, **BEAMS}[name], Path(folder) / f"{name}.onnx"
            if not path.exists():
                torch.manual_seed(SEED)
                export_open(model, path)
            print(row(name, model, sizes, path, asked.rounds), flush=True)


if __name__ == "__main__":
    main()
