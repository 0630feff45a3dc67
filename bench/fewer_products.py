"""
Measure chains of convolutions by all products, and by the fewer that options allow.

    python -m bench.fewer_products
    python -m bench.fewer_products --chains 32,64,128,128 --threads 2

A chain has six convolutions of 3x3 windows, each with a bias and a Relu, between two
numbers of channels, of an image of some rows and columns. Each is computed by turns, in
one process; times are of all of a call, the least of the turns, in milliseconds. The
error is the largest difference from "exact", relative to the largest output.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Sequence

import numpy as np

import static_runtime as sr

from .onnx_graph import Graph
from .precision import apart

ALGORITHMS = ("exact", "fast", "fastest")
"""What is compared."""

CONVOLUTIONS = 6
"""How many a chain has."""

CHAINS = (
    *("32,32,64,64", "32,64,128,128", "64,64,64,64", "128,128,32,32"),
    *("256,256,16,16", "512,512,8,8", "32,32,512,512", "64,64,901,161"),
)
"""Chains by their two numbers of channels, rows and columns."""


def chain(channels: Sequence[int], rows: int, columns: int) -> bytes:
    """A chain between two numbers of channels."""
    width, other = channels
    graph, random = Graph(), np.random.default_rng(0)
    x = graph.input(shape=(1, width, rows, columns))
    for _ in range(CONVOLUTIONS):
        numbers = (
            random.standard_normal((other, width, 3, 3)) * (2 / (9 * width)) ** 0.5
        )
        weight = graph.weight(numbers.astype(np.float32))
        bias = graph.weight(np.full(other, 0.125, np.float32))
        x = graph.add("Relu", graph.add("Conv", x, weight, bias, pads=[1, 1, 1, 1]))
        width, other = other, width
    return graph.model(x)


def line(name: str, threads: int, turns: int, seconds: float) -> str:
    """A line of the table."""
    *channels, rows, columns = map(int, name.split(","))
    model = chain(channels, rows, columns)
    modules = [
        sr.compile(
            model, options=sr.Options(algorithms=each, threads=threads, cache=False)
        )
        for each in ALGORITHMS
    ]
    shape = 1, channels[0], rows, columns
    x = np.random.default_rng(1).standard_normal(shape).astype(np.float32)
    exact, *others = (module(x) for module in modules)
    errors = [apart(exact, each) for each in others]
    least = [float("inf")] * len(modules)
    for _ in range(turns):
        for number, module in enumerate(modules):
            start, times = time.perf_counter(), 0
            while times == 0 or time.perf_counter() - start < seconds:
                module(x)
                times += 1
            took = (time.perf_counter() - start) / times
            least[number] = min(least[number], took)
    first, *rest = least
    cells = [
        f"{each * 1e3:.2f} | {each / first:.2f} | {error:.0e}"
        for each, error in zip(rest, errors, strict=True)
    ]
    between = f"{channels[0]}, {channels[1]}"
    return f"| {between} | {rows}x{columns} | {first * 1e3:.2f} | {' | '.join(cells)} |"


def main(args: Sequence[str] | None = None) -> None:
    """Prints a table of chains."""
    parser = argparse.ArgumentParser(prog="python -m bench.fewer_products")
    parser.add_argument("--chains", nargs="*", default=CHAINS)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--turns", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=0.1)
    asked = parser.parse_args(args)
    heads = [f"{each}, ms | ratio | error" for each in ALGORITHMS[1:]]
    print(f"| channels | image | exact, ms | {' | '.join(heads)} |")
    print("|" + " --- |" * 9)
    for each in asked.chains:
        print(line(each, asked.threads, asked.turns, asked.seconds), flush=True)


if __name__ == "__main__":
    main()
