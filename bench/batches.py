"""
Compare a batch whose rows are computed one by one with one that is computed whole.

    python -m bench.batches
    python -m bench.batches resnet50 --batches 1,8,64 --threads 2

A model takes any number of rows. It is compiled as usual, and with batches left whole;
both run in turns, in one process. Printed are the milliseconds of a row, whole and row
by row, the ratio as a median of rounds, and the megabytes of activations of a call.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from functools import partial
from importlib import import_module
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any
from unittest.mock import patch

import numpy as np

import static_runtime as sr
from static_runtime.compiler.passes.graph.split_batch import SplitBatch

from .turns import assert_same, in_turns

MODELS = ("mobilenet_v2", "densenet121", "resnet50", "unet", "vgg16")

NEVER = 1 << 62
"""Bytes that no row saves."""


def compiled(path: Path, threads: int) -> tuple[sr.StaticModule, sr.StaticModule]:
    """A model whose batches are whole, and as usual."""
    options = sr.Options(threads=threads, cache=False)
    passes: Any = import_module("static_runtime.compiler.passes.pipeline")
    with patch.object(passes, "SplitBatch", partial(SplitBatch, NEVER)):
        whole = sr.compile(path, options=options)
    return whole, sr.compile(path, options=options)


def lines(name: str, batches: Sequence[int], given: argparse.Namespace) -> None:
    """Prints a row of the table for each batch."""
    from .suite import DEEP, SUITE, export_onnx

    model = {**SUITE, **DEEP}[name]
    with TemporaryDirectory() as folder:
        path = Path(folder) / f"{name}.onnx"
        export_onnx(model, path, dynamic=True)
        modules = compiled(path, given.threads)
    _, examples = model.make()
    for batch in batches:
        inputs = [
            np.resize(each.numpy(), (batch, *each.shape[1:])) for each in examples
        ]
        assert_same(modules, inputs)
        found = in_turns(modules, inputs, given.rounds, given.burst)
        whole, split = (
            f"{1e3 * median(each) / batch:.2f}" for each in zip(*found, strict=True)
        )
        ratio = median(split / whole for whole, split in found)
        sizes = [
            f"{each.memory_report(batch=batch).activations / 1e6:.1f}"
            for each in modules
        ]
        cells = [name, str(batch), whole, split, f"{ratio:.2f}", *sizes]
        print(f"| {' | '.join(cells)} |", flush=True)


def main() -> None:
    """Prints the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("models", nargs="*", default=MODELS)
    parser.add_argument("--batches", default="1,2,8,32", help="numbers, by commas")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--burst", type=float, default=0.3, help="seconds")
    given = parser.parse_args()
    batches = [int(each) for each in given.batches.split(",")]
    print("| model | rows | whole, ms a row | one by one | ratio | MB | MB |")
    print("| --- | --- | --- | --- | --- | --- | --- |")
    for name in given.models:
        lines(name, batches, given)


if __name__ == "__main__":
    main()
