"""
Compile models of 10, 100 and 1000 layers, and print what a layer takes: the same, when
compile time is linear in depth.

    python -m bench.depth

There are two: a chain of linear layers, and blocks with a softmax and a residual.
Weights of a layer are its own, so its kernels are shared and its data is not. Seconds
are those of the processor, so that what else the machine does does not count.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Sequence

import static_runtime as sr

DEPTHS = (10, 100, 1000)
WIDTH = 16
ROW = f"tensor<4x{WIDTH}xf32>"
SQUARE = f"tensor<{WIDTH}x{WIDTH}xf32>"
SCALE = f"tensor<{WIDTH}xf32>"


def weight(name: str, layer: int, type: str) -> str:
    """A constant of a layer, which differs from those of the others."""
    return f"%{name} = graph.constant dense<{1 / (layer + 2):e}> : {type}"


def linear(at: int) -> str:
    """A product with weights, and a clamp: reads %0, %1 and so on, and adds one."""
    return f"""
  {weight(f"w{at}", at, SQUARE)}
  %m{at} = graph.matmul %{at}, %w{at} : {ROW}, {SQUARE} -> {ROW}
  %{at + 1} = graph.relu %m{at} : {ROW} -> {ROW}"""


def residual(at: int) -> str:
    """A product, a softmax over the row, a scale, and the sum with what came."""
    return f"""
  {weight(f"w{at}", at, SQUARE)}
  {weight(f"s{at}", at, SCALE)}
  %m{at} = graph.matmul %{at}, %w{at} : {ROW}, {SQUARE} -> {ROW}
  %n{at} = graph.softmax %m{at} {{axis = 1 : i64}} : {ROW} -> {ROW}
  %p{at} = graph.mul %n{at}, %s{at} : {ROW}, {SCALE} -> {ROW}
  %{at + 1} = graph.add %p{at}, %{at} : {ROW}, {ROW} -> {ROW}"""


MODELS: dict[str, Callable[[int], str]] = {"linear": linear, "residual": residual}


def model(name: str, depth: int) -> str:
    """The text of a model with `depth` layers."""
    layers = "".join(map(MODELS[name], range(depth)))
    return f"""func.func @model(%0: {ROW}) -> {ROW} {{{layers}
  return %{depth} : {ROW}
}}"""


def seconds_of(name: str, depth: int) -> float:
    """The seconds of the processor that compiling a model takes."""
    text, start = model(name, depth), time.process_time()
    sr.compile(text, options=sr.Options(cache=False))
    return time.process_time() - start


def main(args: Sequence[str] | None = None) -> None:
    """Prints a line for each model and depth; of the depths given, or of three."""
    depths = [int(each) for each in (sys.argv[1:] if args is None else args)]
    print("| model | layers | seconds | milliseconds a layer |")
    print("| --- | --- | --- | --- |")
    for name in MODELS:
        # What is imported, and set up once, belongs to no depth.
        seconds_of(name, 1)
        for depth in depths or DEPTHS:
            seconds = seconds_of(name, depth)
            each = seconds / depth * 1e3
            print(f"| {name} | {depth} | {seconds:.2f} | {each:.2f} |")


if __name__ == "__main__":
    main()
