"""`sr-build`: make a model an object, a header and weights for C programs."""

from __future__ import annotations

import sys
from argparse import ArgumentParser
from collections.abc import Sequence
from pathlib import Path

from ..bundle import identifier_of, make_bundle, write_bundle
from ..compile import Compilation
from ..options import Options
from .reproducer import CrashError, Guard


def _parser() -> ArgumentParser:
    """The arguments of the command."""
    made = ArgumentParser("sr-build", description=__doc__)
    made.add_argument("model", help=".onnx or .mlir file")
    made.add_argument(
        "--emit-bundle", required=True, type=Path, metavar="DIR", help="where files go"
    )
    made.add_argument(
        "--bundle-api",
        choices=("static", "dynamic"),
        default="static",
        help="sizes and offsets as macros, or as a table (default: static)",
    )
    made.add_argument("--target", default="host", help="host, or such as x86-64-v3")
    made.add_argument(
        "--network-name", help="of files and macros (default: the file's)"
    )
    made.add_argument("--main-entry-name", help="of the C function (default: as files)")
    made.add_argument(
        "--precision", default=Options().precision, help="f32, or bf16 for weights"
    )
    return made


def main(args: Sequence[str] | None = None) -> None:
    """The console script; what the user can mend is told without a traceback."""
    arguments = _parser().parse_args(args)
    told = (ValueError, OSError, MemoryError, OverflowError)
    try:
        with Guard("this is a bug of the compiler", accepts=told):
            stem = Path(arguments.model).stem
            name = arguments.network_name or identifier_of(stem)
            options = Options(threads=1, precision=arguments.precision)
            compilation = Compilation(
                arguments.model, target=arguments.target, options=options
            )
            bundle = make_bundle(
                compilation, name, arguments.main_entry_name, arguments.bundle_api
            )
            write_bundle(bundle, arguments.emit_bundle)
    except (CrashError, *told) as error:
        sys.exit(f"sr-build: {error}")
