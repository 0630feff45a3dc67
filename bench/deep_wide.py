"""
Time the deep-and-wide model as PyTorch's Static Runtime was presented with it.

    python -m bench.deep_wide
    python -m bench.deep_wide --batches 1,8,20 --rounds 101

All ways to run it are in one process, on one thread, in turns. A figure is the median
of the rounds: the nanoseconds of a call that the processor had for that thread, so that
other work of the machine counts for little. From Python, arguments are tensors or
arrays, as each way takes them, made beforehand. From C, the bundle of `sr-build
--emit-bundle` and a version by hand (`deep_wide.c`, which `cc -O3 -march=native`
compiles) are called in one loop.
"""

from __future__ import annotations

import argparse
import ctypes
import itertools
import statistics
import subprocess
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import torch

import static_runtime as sr
from static_runtime.compiler.tools.build import main as build

from .peers import session
from .suite.model import SEED
from .suite.open import OPEN, export_open

NAME = "deep_wide"
SOURCE = Path(__file__).with_suffix(".c")
BURST = 2e-3
"""Seconds that one way runs at a time."""

STATIC, PYTHON, C, BY_HAND = "static runtime", "ours", "ours from C", "C by hand"

Timed = Callable[[int], float]
"""The seconds of a number of calls."""


class Arrays(ctypes.Structure):
    """`Arrays` of `deep_wide.c`."""

    _fields_ = [
        *((name, ctypes.c_void_p) for name in ("mu", "sigma", "weight", "bias")),
        *((name, ctypes.c_void_p) for name in ("ad", "user", "wide", "out")),
        ("batch", ctypes.c_int64),
    ]


def library(model: Path, folder: Path) -> ctypes.CDLL:
    """The bundle of a model and `deep_wide.c`, as one library."""
    build([str(model), "--emit-bundle", str(folder)])
    made = folder / f"{NAME}.so"
    flags = ["-std=c11", "-O3", "-march=native", "-shared", "-fPIC", f"-I{folder}"]
    parts = [str(SOURCE), str(folder / f"{NAME}.o"), "-lm", "-o", str(made)]
    subprocess.run(["cc", *flags, *parts], check=True)
    found = ctypes.CDLL(str(made))
    for each in (found.seconds_of_bundle, found.seconds_by_hand):
        each.restype = ctypes.c_double
        each.argtypes = [ctypes.POINTER(Arrays), ctypes.c_int64]
    return found


def from_python(call: Callable[..., Any], arguments: Sequence[Any]) -> Timed:
    """The time of calls from Python."""
    a, b, c = arguments

    def seconds(times: int) -> float:
        start = time.thread_time()
        for _ in itertools.repeat(None, times):
            call(a, b, c)
        return time.thread_time() - start

    return seconds


class Models:
    """The model, as each way has it."""

    def __init__(self, folder: Path) -> None:
        """The same weights everywhere, of a seed."""
        torch.manual_seed(SEED)
        self.module: Any = OPEN[NAME].build().eval()
        path = folder / f"{NAME}.onnx"
        export_open(replace(OPEN[NAME], build=lambda: self.module), path)
        options = sr.Options(cache=False, threads=1)
        self.ours = sr.compile(path, options=options)
        self.onnx = session(path, 1)
        self.library = library(path, folder)
        self.known = {
            "mu": self.module.mu,
            "sigma": self.module.sigma,
            "weight": self.module.fc.weight,
            "bias": self.module.fc.bias,
        }

    def ways(self, tensors: Sequence[Any], wanted: Any) -> Mapping[str, Timed]:
        """What times calls on these tensors; each way was right once."""
        arrays = [each.numpy() for each in tensors]
        traced = torch.jit.trace(self.module, (*tensors,), check_trace=False)
        jit: Any = torch.jit.freeze(traced)
        static: Any = torch._C._jit_to_static_module(jit._c)
        feed = {f"in{at}": each for at, each in enumerate(arrays)}
        calls: dict[str, tuple[Callable[..., Any], Sequence[Any]]] = {
            "torch eager": (self.module, tensors),
            "torch.jit": (jit, tensors),
            STATIC: (static, tensors),
            "ONNX Runtime": (lambda *_: self.onnx(feed)[0], arrays),
            PYTHON: (self.ours, arrays),
        }
        for name, (call, given) in calls.items():
            check(name, np.asarray(call(*given)), wanted)
        timed = {name: from_python(*each) for name, each in calls.items()}
        return {**timed, **self.from_c(arrays, wanted)}

    def from_c(self, arrays: Sequence[Any], wanted: Any) -> Mapping[str, Timed]:
        """What times calls from C."""
        out = np.zeros_like(wanted)
        names = ("ad", "user", "wide")
        held = [*(each.detach().numpy() for each in self.known.values()), *arrays, out]
        of = Arrays(
            **{
                name: each.ctypes.data
                for name, each in zip((*self.known, *names, "out"), held, strict=True)
            },
            batch=len(out),
        )
        found: dict[str, Timed] = {}
        for name, function in (
            (C, self.library.seconds_of_bundle),
            (BY_HAND, self.library.seconds_by_hand),
        ):
            out[...] = 0
            if function(ctypes.byref(of), 1) < 0:
                raise SystemExit(f"{name}: expected a run, got a refusal")
            check(name, out, wanted)
            # The function has the arrays that the structure points to.
            found[name] = lambda times, run=function, _=held: run(
                ctypes.byref(of), times
            )
        return found


def check(name: str, got: Any, wanted: Any) -> None:
    """Raises unless a result is that of torch."""
    np.testing.assert_allclose(got, wanted, rtol=1e-4, atol=1e-6, err_msg=name)


def medians(ways: Mapping[str, Timed], rounds: int) -> dict[str, float]:
    """The nanoseconds of a call of each way, all in turns."""
    counts: dict[str, int] = {}
    for name, seconds in ways.items():
        count = 1
        while seconds(count) < BURST:
            count *= 2
        counts[name] = count
    found: dict[str, list[float]] = {name: [] for name in ways}
    for number in range(rounds):
        for name in [*ways][:: 1 if number % 2 else -1]:
            found[name].append(ways[name](counts[name]) / counts[name] * 1e9)
    return {name: statistics.median(each) for name, each in found.items()}


def main(arguments: Sequence[str] | None = None) -> None:
    """Prints a line for each batch."""
    parser = argparse.ArgumentParser(prog="python -m bench.deep_wide")
    parser.add_argument("--batches", default="1,8,20", help="sizes (1,8,20)")
    parser.add_argument("--rounds", type=int, default=101, help="bursts of each (101)")
    asked = parser.parse_args(arguments)
    torch.set_num_threads(1)
    with tempfile.TemporaryDirectory() as folder, torch.inference_mode():
        models = Models(Path(folder))
        for number, batch in enumerate(map(int, asked.batches.split(","))):
            tensors = OPEN[NAME].inputs(batch)
            ways = models.ways(tensors, models.module(*tensors).numpy())
            if not number:
                head = ["batch", *ways, f"{C} ÷ {BY_HAND}", f"{STATIC} ÷ {PYTHON}"]
                print("| " + " | ".join(head) + " |")
                print("| --- " * len(head) + "|")
            took = medians(ways, asked.rounds)
            figures = [f"{took[name]:,.0f}" for name in ways]
            ratios = [took[C] / took[BY_HAND], took[STATIC] / took[PYTHON]]
            line = [str(batch), *figures, *(f"{each:.2f}" for each in ratios)]
            print("| " + " | ".join(line) + " |", flush=True)


if __name__ == "__main__":
    main()
