"""
Time the models of the tests beside ONNX Runtime, on one thread, in one process.

The two take turns in short bursts, so that what else the machine does meets both; the
figures are medians over the bursts, and a ratio is one of medians of the same run.

    make bench
    python -m bench deep_wide digits
"""

from __future__ import annotations

import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime

import static_runtime as sr

ROOT = Path(__file__).resolve().parent.parent
MODELS = ROOT / "test" / "models" / "onnx"
DIGITS = ROOT / "examples" / "digits" / "digits.onnx"

CASES: tuple[tuple[str, Path, int], ...] = (
    ("add16", MODELS / "add16.onnx", 0),
    ("sr_example", MODELS / "sr_example.onnx", 0),
    ("mlp_small", MODELS / "mlp_small_dynamic.onnx", 1),
    ("mlp_small", MODELS / "mlp_small_dynamic.onnx", 64),
    ("deep_wide", MODELS / "deep_wide_dynamic.onnx", 1),
    ("deep_wide", MODELS / "deep_wide_dynamic.onnx", 20),
    ("deep_wide", MODELS / "deep_wide_dynamic.onnx", 200),
    ("digits", DIGITS, 1),
    ("digits", DIGITS, 64),
)
"""Name, file, and batch size; 0 for a model of fixed sizes."""

ROUNDS = 15
BURST_SECONDS = 0.04


def session(path: Path) -> onnxruntime.InferenceSession:
    """The model in ONNX Runtime, on one thread."""
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    return onnxruntime.InferenceSession(
        str(path), options, providers=["CPUExecutionProvider"]
    )


def burst(call: Callable[[], Any]) -> float:
    """The median time of a call, in seconds, over one burst."""
    times: list[int] = []
    call()
    end = time.perf_counter() + BURST_SECONDS
    while not times or time.perf_counter() < end:
        start = time.perf_counter_ns()
        call()
        times.append(time.perf_counter_ns() - start)
    return statistics.median(times) / 1e9


def measure(path: Path, batch: int) -> tuple[float, float, float]:
    """The median times of ours and of the peer, and the largest relative difference."""
    model, peer = sr.compile(path), session(path)
    random = np.random.default_rng(0)
    symbols = dict.fromkeys(model.program.symbols, batch)
    feed = {
        each.name: random.standard_normal(each.sizes(symbols)).astype(each.dtype)
        for each in model.program.inputs
    }
    arrays = list(feed.values())
    ours, theirs = np.asarray(model(*arrays)), np.asarray(peer.run(None, feed)[0])
    error = float(np.abs(ours - theirs).max() / np.abs(theirs).max())
    times: list[tuple[float, float]] = []
    for _ in range(ROUNDS):
        mine = burst(lambda: model(*arrays))
        times.append((mine, burst(lambda: peer.run(None, feed))))
    mine, other = zip(*times, strict=True)
    return statistics.median(mine), statistics.median(other), error


def main() -> None:
    """Prints a table of the models that are named, or of all."""
    wanted = sys.argv[1:]
    print(f"onnxruntime {onnxruntime.__version__}, one thread, numpy in and out")
    print("| model | batch | ours, us | ONNX Runtime, us | ratio | difference |")
    print("| --- | --- | --- | --- | --- | --- |")
    for name, path, batch in CASES:
        if wanted and name not in wanted:
            continue
        mine, other, error = measure(path, batch)
        size = str(batch) if batch else "fixed"
        print(
            f"| {name} | {size} | {mine * 1e6:.2f} | {other * 1e6:.2f} | "
            f"{mine / other:.2f} | {error:.0e} |",
            flush=True,
        )


if __name__ == "__main__":
    main()
