"""`sr-trace`: run models, and write what they executed as a selective build's YAML."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Sequence
from pathlib import Path

from ...runtime import add_random
from ...runtime.library import Selection
from ..selective import yaml_of
from ..session import CompileError, Options
from ..tracing import trace_models
from .fallback import add_fallback, fallback_of
from .output import STANDARD, write_text
from .reproducer import Guard
from .script import RUN_ERRORS, run_script
from .seed import add_seed, seed_of
from .switches import add_numbers, add_threads, numbers_of


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
    add_fallback(made)
    add_seed(made)
    add_numbers(made)
    add_threads(made)
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


def _trace(arguments: Namespace) -> Selection:
    """What the models execute, or could execute."""
    inputs = _inputs_of(arguments)
    options = Options(
        threads=arguments.threads,
        **numbers_of(arguments),
        **fallback_of(arguments),
        **seed_of(arguments),
    )
    return trace_models(
        arguments.models,
        () if arguments.static else inputs,
        static=arguments.static,
        targets=arguments.target or ["host"],
        options=options,
        sizes=arguments.size,
        seed=arguments.random_seed,
        compiling=lambda: Guard("this is a bug of the compiler"),
    )


def main(args: Sequence[str] | None = None) -> None:
    """The console script; what the user can mend is told without a traceback."""
    arguments = _parser().parse_args(args)

    def write() -> None:
        write_text(arguments.output, yaml_of(_trace(arguments)))

    run_script("sr-trace", "runtime", RUN_ERRORS, write)
