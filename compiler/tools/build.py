"""`sr-build`: build what runs a model without its compiler."""

from __future__ import annotations

import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Sequence
from pathlib import Path

from ..options import Options
from ..runtime_folder import build_runtime
from .reproducer import CrashError, Guard


def _parser() -> ArgumentParser:
    """The arguments of the command."""
    made = ArgumentParser("sr-build", description=__doc__)
    made.add_argument("model", type=Path, help="an .onnx or .mlir file")
    made.add_argument(
        "-o", "--output", type=Path, required=True, help="the folder to write"
    )
    made.add_argument(
        "--target",
        default="host",
        help="names such as x86-64-v3,aarch64, or host for the greatest of them that "
        "runs here; the model runs the greatest that the machine has",
    )
    made.add_argument("--precision", default=Options().precision, help="f32 or bf16")
    return made


def _build_runtime(arguments: Namespace) -> None:
    """Builds a folder with the runtime and the model."""
    options = Options(precision=arguments.precision)
    targets = arguments.target.split(",")
    written = build_runtime(arguments.model, targets, arguments.output, options)
    for path in written:
        if path.suffix == ".sr":
            print(f"{path}: {path.stat().st_size} bytes")
    rest = sum(path.stat().st_size for path in written if path.suffix != ".sr")
    print(f"runtime: {rest} bytes")


def main(args: Sequence[str] | None = None) -> None:
    """The console script; what the user can mend is told without a traceback."""
    arguments = _parser().parse_args(args)
    told = (TypeError, ValueError, OSError, MemoryError)
    try:
        with Guard("this is a bug of the compiler", accepts=told):
            _build_runtime(arguments)
    except (CrashError, *told) as error:
        sys.exit(f"sr-build: {error}")
