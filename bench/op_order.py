"""
Print what `order-ops` gains: the lower bound of memory without it and with it.

    python -m bench.op_order                   the models of the suite, which need torch
    python -m bench.op_order model.onnx …      ONNX files
    python -m bench.op_order --time …          and the share of a cold compile it takes

The bound is the most bytes of activations that are alive at one op, and `bytes` are
those of the plan. Where sizes are open nothing is moved, and no line is printed.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from xdsl.context import Context
from xdsl.dialects import func
from xdsl.dialects.builtin import DictionaryAttr, IntegerAttr, ModuleOp
from xdsl.passes import ModulePass

import static_runtime as sr
from static_runtime.compiler.compile import Compilation
from static_runtime.compiler.passes.graph.analyze_aliases import AnalyzeAliases
from static_runtime.compiler.passes.graph.assign_buffers import AssignBuffers
from static_runtime.compiler.passes.graph.order_ops import OrderOps
from static_runtime.compiler.passes.graph.reuse_operands import ReuseOperands


def planned(module: ModuleOp) -> tuple[int, int] | None:
    """The lower bound and the bytes of a plan of the module; None if sizes are open."""
    made = module.clone()
    AnalyzeAliases().apply(Context(), made)
    AssignBuffers().apply(Context(), made)
    (function,) = (op for op in made.ops if isinstance(op, func.FuncOp))
    plan = function.attributes["graph.plan"]
    assert isinstance(plan, DictionaryAttr)
    found = [plan.data.get(name) for name in ("lower_bound", "bytes")]
    if any(each is None for each in found):
        return None
    bound, size = (each.value.data for each in found if isinstance(each, IntegerAttr))
    return bound, size


def line(path: Path, timed: bool) -> str | None:
    """The line of the table for one model."""
    plans: list[tuple[int, int] | None] = []

    def after_pass(done: ModulePass, module: ModuleOp) -> None:
        if isinstance(done, ReuseOperands | OrderOps):
            plans.append(planned(module))

    options = sr.Options(cache=False)
    Compilation(path, options=options, after_pass=after_pass).run()
    before, after = plans
    if before is None or after is None:
        return None
    cells = [f"{one:,} | {other:,}" for one, other in zip(before, after, strict=True)]
    cells.append(f"{1 - after[0] / before[0]:.1%}" if before[0] else "0.0%")
    if timed:
        report = sr.compile(path, options=options).report
        seconds = dict(report.passes)[OrderOps.name]
        cells.append(f"{seconds * 1e3:.1f} ms | {seconds / report.seconds:.2%}")
    return f"| `{path.stem}` | {' | '.join(cells)} |"


def suite(folder: Path) -> Iterator[Path]:
    """The models of the suite as files in a folder."""
    from .suite import SUITE, export_onnx

    for name, model in SUITE.items():
        path = folder / f"{name}.onnx"
        export_onnx(model, path, dynamic=False)
        yield path


def print_table(paths: Iterator[Path] | Sequence[Path], timed: bool) -> None:
    """Prints a line for each model of known sizes."""
    heads = ["model", "bound", "ordered", "bytes", "ordered", "gain"]
    heads += ["pass", "of the compile"] if timed else []
    print(f"| {' | '.join(heads)} |")
    print(f"|{' --- |' * len(heads)}")
    for path in paths:
        if (text := line(path, timed)) is not None:
            print(text, flush=True)


def main() -> None:
    """Prints the table for some files, or for the suite."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("models", nargs="*", type=Path)
    parser.add_argument("--time", action="store_true")
    known = parser.parse_args()
    if known.models:
        print_table(known.models, known.time)
        return
    with tempfile.TemporaryDirectory() as folder:
        print_table(suite(Path(folder)), known.time)


if __name__ == "__main__":
    main()
