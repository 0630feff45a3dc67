"""
Compare models with and without results that take the place of operands.

    python -m bench.in_place model.onnx …           bytes of the plans
    python -m bench.in_place --time model.onnx …    and times, with one thread and two

The models are ONNX files. Where sizes are symbols there is no plan to compare. Both
forms of a model run in one process in turns, since the machine may be doing other
things: the figure is the median of the ratios, above 1 where in place is faster. Bits
are compared too.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from statistics import median

from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

import static_runtime as sr
from static_runtime.compiler.compile import Compilation
from static_runtime.compiler.passes.graph.reuse_operands import ReuseOperands
from static_runtime.dialects.graph.storage.buffer import IN_PLACE

from .turns import assert_same, in_turns, inputs_of

TURNS = 60

SECONDS = 0.01
"""How long one form of a model runs, at least, before it is the turn of the other."""


def compiled(path: Path, reuses: bool, threads: int) -> tuple[sr.StaticModule, int]:
    """A model in place or not, and how many of its ops are."""
    count = 0

    def after_pass(done: ModulePass, module: ModuleOp) -> None:
        nonlocal count
        if isinstance(done, ReuseOperands):
            for op in module.walk():
                count += IN_PLACE in op.attributes
                if not reuses:
                    op.attributes.pop(IN_PLACE, None)

    options = sr.Options(cache=False, threads=threads)
    made = Compilation(path, options=options, after_pass=after_pass).run()
    return made, count


def line(path: Path, timed: bool) -> str:
    """The line of the table for one model."""
    cells: list[str] = []
    for threads in (1, 2) if timed else (1,):
        (apart, count), (in_place, _) = (
            compiled(path, reuses, threads) for reuses in (False, True)
        )
        pair = apart, in_place
        if not cells:
            reports = apart.report, in_place.report
            sizes = [f"{each.planned_bytes or 0:,}" for each in reports]
            cells = [f"`{path.stem}`", str(count), *sizes]
            assert_same(pair, inputs_of(apart))
        if timed:
            found = in_turns(pair, inputs_of(apart), TURNS, SECONDS)
            cells.append(f"{median(slow / fast for slow, fast in found):.3f}")
    return f"| {' | '.join(cells)} |"


def main() -> None:
    """Prints a line for each model."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("models", nargs="+", type=Path)
    parser.add_argument("--time", action="store_true")
    known = parser.parse_args()
    times = " 1 thread | 2 threads |" if known.time else ""
    print(f"| model | ops in place | bytes before | bytes |{times}")
    print(f"| --- | --- | --- | --- |{' --- | --- |' if known.time else ''}")
    for path in known.models:
        print(line(path, known.time), flush=True)


if __name__ == "__main__":
    main()
