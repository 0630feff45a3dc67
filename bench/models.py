"""
Time whole models beside ONNX Runtime, on one thread, in turns in one process.

    python -m bench.models [NAME ...]

The models are those of `bench/suite`, exported to ONNX. A row for each: the least
processor time of several runs in milliseconds, of both, and their ratio; how far the
results differ, relative to the greatest; the seconds that compiling took.
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime

import static_runtime as sr

from .suite import SUITE, export_onnx

RUNS = 12


def least(run: Callable[[], Any], times: list[float]) -> None:
    """Notes the processor time of one run, in milliseconds."""
    start = time.process_time()
    run()
    times.append((time.process_time() - start) * 1e3)


def measure(name: str, folder: Path) -> None:
    """Prints the row of one model."""
    model, path = SUITE[name], folder / f"{name}.onnx"
    export_onnx(model, path, dynamic=False)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    session = onnxruntime.InferenceSession(path, options)
    _, tensors = model.make()
    inputs = [np.asarray(each) for each in tensors]
    names = [each.name for each in session.get_inputs()]
    feed = dict(zip(names, inputs, strict=True))
    start = time.process_time()
    module = sr.compile(path, options=sr.Options(cache=False, threads=1))
    seconds = time.process_time() - start
    wanted = session.run(None, feed)[0]
    got: Any = module(*inputs)
    difference = np.abs(got - wanted).max() / np.abs(wanted).max()
    ours, theirs = list[float](), list[float]()
    for _ in range(RUNS):
        least(lambda: module(*inputs), ours)
        least(lambda: session.run(None, feed), theirs)
    print(
        f"| {name} | {min(ours):.3g} | {min(theirs):.3g} "
        f"| {min(ours) / min(theirs):.2f} | {difference:.0e} | {seconds:.1f} |",
        flush=True,
    )


def main() -> None:
    """Prints the table for the models that are named, or for all."""
    print("| model | ours, ms | ONNX Runtime, ms | ratio | difference | compiling, s |")
    print("| --- | --- | --- | --- | --- | --- |")
    with tempfile.TemporaryDirectory() as folder:
        for name in sys.argv[1:] or SUITE:
            measure(name, Path(folder))


if __name__ == "__main__":
    main()
