"""
Compile what ONNX Runtime's quantiser makes of models of the suite, and compare.

    python -m bench.quantized
    python -m bench.quantized resnet50 --kinds qdq,dynamic --folder build/quantized

A line for each model and way to quantise it. *Constants* are the bytes of ours over
those of the model in f32, *in f32* the products that are not ones of integers. *Steps*
counts the quantised tensors which, fed ONNX Runtime's own inputs, are within one step
of its own, of all; *equal* is the part of the steps that are the same. *Top-1* is how
often the greatest element of a row is where ONNX Runtime has it; beside it, in
brackets, how often ONNX Runtime without its optimiser agrees with itself. The *error*
is the mean distance from f32, over the mean size of what f32 gives: ours, and ONNX
Runtime's. Ratios are of medians of calls in turns, in one process on one thread.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

import static_runtime as sr
from static_runtime.compiler.compile import Compilation
from static_runtime.compiler.ir.context import context
from static_runtime.compiler.passes.pipeline import quantization_passes, reading_passes
from static_runtime.dialects.graph import ConvOp, LinearOp, MatmulOp

from .cases import Array, several
from .peers import openvino_session, session
from .quantized_models import (
    CALIBRATING,
    KINDS,
    float_model,
    inputs_of,
    quantized_model,
)
from .quantized_steps import agreement_of, bare_session

MODELS = ("resnet50", "mobilenet_v2", "minilm")

FOLDER = Path(__file__).resolve().parent.parent / "build" / "quantized"

OPTIONS = sr.Options(cache=False, threads=1)

ROWS = 100
"""How many rows of results are compared at least."""

SECONDS = 5.0
"""How long turns are taken for a model."""

HEAD = (
    "model, quantised, constants, in f32, steps, equal, top-1, error, its error, "
    "time to ONNX Runtime, to OpenVINO, to ours in f32"
).split(", ")


@dataclass(frozen=True)
class Results:
    """What a model in f32, ONNX Runtime with and without its optimiser, and we give."""

    exact: list[Array]
    its: list[Array]
    bare: list[Array]
    ours: list[Array]

    def top_1(self, one: Sequence[Array], other: Sequence[Array]) -> float:
        """The part of all rows whose greatest element is the same."""
        pairs = zip(one, other, strict=True)
        return float(np.mean([x.argmax(-1) == y.argmax(-1) for x, y in pairs]))

    def error(self, found: Sequence[Array]) -> float:
        """How far results are from those in f32, in the mean."""
        pairs = zip(found, self.exact, strict=True)
        apart = float(np.mean([np.abs(x - y).mean() for x, y in pairs]))
        return apart / float(np.mean([np.abs(each).mean() for each in self.exact]))


def products_in_floats(path: Path) -> tuple[int, int]:
    """How many products of a model are not of integers, and how many there are."""
    ctx, compilation = context(), Compilation(path, options=OPTIONS)
    module = compilation.front_end(compilation.source())(ctx)
    for each in (*reading_passes(OPTIONS), *quantization_passes(OPTIONS)):
        each.apply(ctx, module)
    found = [e for e in module.walk() if isinstance(e, ConvOp | LinearOp | MatmulOp)]
    return sum(each.to is None for each in found), len(found)


def results_of(
    run: Callable[[Mapping[str, Array]], Any], feeds: Sequence[Mapping[str, Array]]
) -> list[Array]:
    """The first result of each call."""
    return [np.array(several(run(feed))[0]) for feed in feeds]


def medians(calls: Mapping[str, Callable[[], Any]]) -> dict[str, float]:
    """The median time of each call, all in turns."""
    times: dict[str, list[float]] = {name: [] for name in calls}
    end = time.perf_counter() + SECONDS
    while time.perf_counter() < end:
        for name, call in calls.items():
            start = time.perf_counter()
            call()
            times[name].append(time.perf_counter() - start)
    return {name: statistics.median(each) for name, each in times.items()}


def openvino_or_none(path: Path) -> Callable[[Mapping[str, Array]], Any] | None:
    """OpenVINO with a model; None where it is not installed, or does not read it."""
    try:
        return openvino_session(path, 1, {})
    except (ImportError, RuntimeError):
        return None


def line(name: str, kind: str, folder: Path) -> list[str]:
    """The row of a quantised model."""
    exact, path = float_model(name, folder), quantized_model(name, kind, folder)
    in_f32, ours = (sr.compile(each, options=OPTIONS) for each in (exact, path))
    first, second = session(exact, 1), session(path, 1)
    feed = inputs_of(name, CALIBRATING + 1)[-1]
    rows = int(np.prod(np.shape(several(first(feed))[0])[:-1]))
    feeds = inputs_of(name, CALIBRATING + -(-ROWS // rows))[CALIBRATING:]
    bare = bare_session(import_module("onnx").load(path))
    found = Results(
        results_of(first, feeds),
        results_of(second, feeds),
        results_of(lambda feed: bare.run(None, feed), feeds),
        results_of(lambda feed: ours(*feed.values()), feeds),
    )
    calls: dict[str, Callable[[], Any]] = {
        "ours": lambda: ours(*feed.values()),
        "f32": lambda: in_f32(*feed.values()),
        "onnxruntime": lambda: second(feed),
    }
    third = openvino_or_none(path)
    if third is not None:
        calls["openvino"] = lambda: third(feed)
    times, steps = medians(calls), agreement_of(path, feed)
    bytes = ours.report.constant_bytes / in_f32.report.constant_bytes
    left, count = products_in_floats(path)
    own, other = (found.top_1(each, found.its) for each in (found.ours, found.bare))
    ratios = [
        f"{times['ours'] / times[each]:.2f}" if each in times else "-"
        for each in ("onnxruntime", "openvino", "f32")
    ]
    return [
        *(name, kind, f"{bytes:.3f}", f"{left} of {count}"),
        *(f"{steps.tensors - steps.apart} of {steps.tensors}", f"{steps.equal:.4%}"),
        *(f"{own:.1%} ({other:.1%})", f"{found.error(found.ours):.4f}"),
        *(f"{found.error(found.its):.4f}", *ratios),
    ]


def main(args: Sequence[str] | None = None) -> None:
    """Prints the table."""
    parser = argparse.ArgumentParser(prog="python -m bench.quantized")
    parser.add_argument("models", nargs="*", help="of bench/suite")
    parser.add_argument(
        "--kinds", default=",".join(KINDS), help="how, of " + ", ".join(KINDS)
    )
    parser.add_argument(
        "--folder", type=Path, default=FOLDER, help="where files are kept"
    )
    asked = parser.parse_args(args)
    asked.folder.mkdir(parents=True, exist_ok=True)
    print(f"| {' | '.join(HEAD)} |", "| --- " * len(HEAD) + "|", sep="\n", flush=True)
    for name in asked.models or MODELS:
        for kind in asked.kinds.split(","):
            print(f"| {' | '.join(line(name, kind, asked.folder))} |", flush=True)


if __name__ == "__main__":
    main()
