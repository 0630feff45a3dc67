"""
Compile models that grow along one axis each, and print what four times as large takes.

    python -m bench.growth
    python -m bench.growth outputs "residual blocks"

The models are those of `axes.py`: deep, or with many outputs, operands, symbols and so
on. Each is compiled at three sizes; where compile time is linear in the size, four
times as large takes four times as long, or less, as what is set up once does not grow.
Seconds are those of the processor, in all threads, so that what else the machine does
does not count.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence

import static_runtime as sr

from .axes import AXES, Model

TIMES = (1, 2, 4)
"""How many times as large as the smallest the models of an axis are."""


def seconds_of(model: Model) -> float:
    """The seconds of the processor that compiling a model takes."""
    start = time.process_time()
    sr.compile(model, options=sr.Options(cache=False))
    return time.process_time() - start


def line(name: str) -> str:
    """The row of the table of an axis."""
    make, size = AXES[name]
    seconds = [seconds_of(make(size * each)) for each in TIMES]
    cells = [f"{each:.2f}" for each in seconds]
    ratio = seconds[-1] / seconds[0]
    return f"| {' | '.join([name, str(size), *cells, f'{ratio:.1f}'])} |"


def main(args: Sequence[str] | None = None) -> None:
    """Prints a row for each axis that is asked for, or for all."""
    names = list(sys.argv[1:] if args is None else args) or list(AXES)
    if unknown := [each for each in names if each not in AXES]:
        raise SystemExit(f"expected axes of {', '.join(AXES)}, got {unknown[0]}")
    # What is imported, and set up once, belongs to no axis.
    make, size = AXES["residual blocks"]
    seconds_of(make(size))
    print("| what grows | n | seconds | of 2n | of 4n | ratio of 4n to n |")
    print("| --- | --- | --- | --- | --- | --- |")
    for name in names:
        print(line(name), flush=True)


if __name__ == "__main__":
    main()
