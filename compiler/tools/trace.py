"""`sr-trace`: run models, and write what they executed as a selective build's YAML."""

from __future__ import annotations

import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Collection, Sequence
from pathlib import Path

from ...runtime import add_random, load_inputs, random_inputs, sizes_of
from ...runtime.call import StaticModule
from ...runtime.library import Selection
from ..compile import Compilation
from ..selective import yaml_of
from ..session import CompileError, Options
from ..tracing import Trace, static_selection
from .output import STANDARD, write_text
from .reproducer import CrashError, Guard


def _parser() -> ArgumentParser:
    """The arguments of the command."""
    made = ArgumentParser("sr-trace", description=__doc__)
    made.add_argument("models", nargs="+", help=".onnx, .mlir or .pt2 files")
    made.add_argument(
        "--inputs",
        nargs="+",
        action="append",
        default=[],
        type=Path,
        metavar="FILE",
        help=".npz or .npy files as sr-run takes them: one for each model, or given "
        "again for each model, some for each (otherwise random)",
    )
    made.add_argument("-o", "--output", default=STANDARD, help="default: - for stdout")
    made.add_argument(
        "--static",
        action="store_true",
        help="run nothing: all that any inputs of any size could execute",
    )
    made.add_argument(
        "--target",
        action="append",
        default=[],
        help="host, or such as x86-64-v3; each that is given is traced (default: host)",
    )
    add_random(made)
    made.add_argument(
        "--precision", default=Options().precision, help="f32, or bf16 for weights"
    )
    made.add_argument(
        "--threads", type=int, help="how many may run, or compile, side by side"
    )
    return made


def _inputs_of(arguments: Namespace) -> list[list[Path]]:
    """The files of inputs of each model; raises `CompileError` when they do not fit."""
    models, groups = arguments.models, arguments.inputs
    if not groups:
        return [[] for _ in models]
    if arguments.static:
        raise CompileError("expected no --inputs with --static, which runs nothing")
    if len(groups) == len(models):
        return groups
    if len(groups) == 1 and len(groups[0]) == len(models):
        return [[each] for each in groups[0]]
    files = sum(map(len, groups))
    raise CompileError(
        f"expected a file of inputs for each of {len(models)} models, or --inputs once "
        f"for each of them, got {files} files in {len(groups)} groups"
    )


def _run(module: StaticModule, files: Sequence[Path], arguments: Namespace) -> None:
    """Runs a model on each file of inputs, or once on random ones."""
    program = module.program
    for each in files:
        module(**load_inputs(each, program))
    if not files:
        # Each model takes the symbols that it has.
        given = [x for x in arguments.size if x.partition("=")[0] in program.symbols]
        sizes = sizes_of(program, given)
        module(**random_inputs(program, arguments.random_seed, sizes))


def _check_sizes(known: Collection[str], sizes: Sequence[str]) -> None:
    """Raises `CompileError` for the size of a symbol that no model has."""
    for each in sizes:
        if each.partition("=")[0] not in known:
            names = ", ".join(sorted(known)) or "none"
            raise CompileError(f"expected a symbol of a model ({names}), got {each}")


def _trace(arguments: Namespace) -> Selection:
    """What the models execute, or could execute."""
    inputs = _inputs_of(arguments)
    options = Options(precision=arguments.precision, threads=arguments.threads)
    targets: list[str] = arguments.target or ["host"]
    cases = [
        (Compilation(model, target=target, options=options), files)
        for target in targets
        for model, files in zip(arguments.models, inputs, strict=True)
    ]
    if arguments.static:
        with Guard("this is a bug of the compiler"):
            return static_selection(each for each, _ in cases)
    symbols: set[str] = set()
    with Trace() as trace:
        for compilation, files in cases:
            with Guard("this is a bug of the compiler"):
                module = compilation.run()
            _run(module, files, arguments)
            symbols |= {*module.program.symbols}
    _check_sizes(symbols, arguments.size)
    return trace.selection


def main(args: Sequence[str] | None = None) -> None:
    """The console script; what the user can mend is told without a traceback."""
    arguments = _parser().parse_args(args)
    told = (TypeError, ValueError, IndexError, OSError, MemoryError, OverflowError)
    try:
        with Guard("this is a bug of the runtime", accepts=told):
            write_text(arguments.output, yaml_of(_trace(arguments)))
    except (CrashError, *told) as error:
        sys.exit(f"sr-trace: {error}")
