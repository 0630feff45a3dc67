"""
Compare one compilation of a model for all sizes with one for each size.

    python -m bench.open_sizes                 a line for each model
    python -m bench.open_sizes --models mlp --rounds 20

For each size that is measured the model is compiled for that size alone, and the two
run in turns, in one process. Printed are the seconds of processor time of the compile,
open and for one size; the median and the greatest of the ratios of times over the
sizes; how many milliseconds longer the first call of a new size takes than the later
ones, as a median over sizes, and the same of the first call of a size that was planned
before, which is what a change of sizes costs by itself; and for how many sizes the
results have the same bits.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch.export import Dim

import static_runtime as sr

from .cases import several
from .suite.model import SEED
from .suite.open import OPEN, OpenModel, Sizes
from .turns import in_turns

BURST = 0.02
"""Seconds of a round of one module."""


@dataclass(frozen=True)
class Row:
    """What was measured of a model."""

    open_seconds: float
    static_seconds: float
    ratios: Sequence[float]
    extra: Sequence[float]
    """Milliseconds that the first call of each size took more than later ones."""
    known: Sequence[float]
    """The same of the first call after another size, where it was planned before."""
    same: int
    """Sizes at which bits are the same."""


def arrays(model: OpenModel, sizes: Sizes) -> list[np.ndarray[Any, Any]]:
    """Inputs of a model at some sizes."""
    return [each.numpy() for each in model.inputs(*sizes)]


def compiled(
    model: OpenModel, module: Any, sizes: Sizes, is_open: bool, threads: int
) -> tuple[sr.StaticModule, float]:
    """A module for all sizes or for these, and the processor's seconds for it."""
    # `torch.export` takes a size of one for a constant, and equal ones for one.
    example = model.inputs(*(2 * at + 64 for at, _ in enumerate(model.symbols)))
    shapes = None
    if is_open:
        dims = {
            name: Dim(name, min=model.least.get(name, 1), max=model.most)
            for name in model.symbols
        }
        shapes = tuple(
            {at: dims[name] for at, name in axes.items()} for axes in model.axes
        )
    else:
        example = model.inputs(*sizes)
    start = time.process_time()
    made = sr.compile(
        module,
        example,
        dynamic_shapes=shapes,
        options=sr.Options(cache=False, threads=threads),
    )
    return made, time.process_time() - start


def latency(module: sr.StaticModule, inputs: Sequence[Any]) -> float:
    """The seconds of one call."""
    start = time.perf_counter()
    module(*inputs)
    return time.perf_counter() - start


def measure(model: OpenModel, rounds: int, threads: int) -> Row:
    """Measures a model at all of its sizes."""
    torch.manual_seed(SEED)
    module = model.build().eval()
    any_size, open_seconds = compiled(model, module, (), True, threads)
    # Memory for the largest is there, so that a first call shows what planning takes.
    largest = [max(each) + 2 for each in zip(*model.sizes, strict=True)]
    any_size(*arrays(model, tuple(min(each, model.most) for each in largest)))
    extra: list[float] = []
    known: list[float] = []
    ratios: list[float] = []
    static_seconds: list[float] = []
    same = 0
    for sizes in model.sizes:
        inputs = arrays(model, sizes)
        one_size, seconds = compiled(model, module, sizes, False, threads)
        static_seconds.append(seconds)
        pairs = in_turns((any_size, one_size), inputs, rounds, BURST)
        ratios.append(statistics.median(one / other for one, other in pairs))
        results = (several(each(*inputs)) for each in (any_size, one_size))
        same += all(np.array_equal(*each) for each in zip(*results, strict=True))
        other = tuple(each + 1 for each in sizes[:1]) + sizes[1:]
        if other not in model.sizes:
            before, inputs = inputs, arrays(model, other)
            extra.append(first_call(any_size, inputs))
            latency(any_size, before)
            known.append(first_call(any_size, inputs))
    seconds = statistics.median(static_seconds)
    return Row(open_seconds, seconds, ratios, extra, known, same)


def first_call(module: sr.StaticModule, inputs: Sequence[Any]) -> float:
    """The milliseconds that a call takes more than those that follow it."""
    first = latency(module, inputs)
    later = statistics.median(latency(module, inputs) for _ in range(7))
    return (first - later) * 1e3


def main() -> None:
    """Prints a line for each model."""
    parser = argparse.ArgumentParser(description="Time open sizes beside fixed ones.")
    parser.add_argument("--models", nargs="+", default=[*OPEN], choices=[*OPEN])
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--threads", type=int, default=1)
    asked = parser.parse_args()
    print(
        "| model | compile, s | for one size | ratio | worst | first call, ms "
        "| of a known size | same |"
    )
    print("| --- | --- | --- | --- | --- | --- | --- | --- |")
    for name in asked.models:
        row = measure(OPEN[name], asked.rounds, asked.threads)
        print(
            f"| `{name}` | {row.open_seconds:.2f} | {row.static_seconds:.2f} "
            f"| {statistics.median(row.ratios):.3f} | {max(row.ratios):.3f} "
            f"| {statistics.median(row.extra):+.2f} "
            f"| {statistics.median(row.known):+.2f} "
            f"| {row.same} of {len(row.ratios)} |",
            flush=True,
        )


if __name__ == "__main__":
    main()
