"""`sr-run`: compile a model and run it, on given inputs or on random ones."""

from __future__ import annotations

import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any
from zipfile import ZipFile

import numpy as np
import numpy.typing as npt

from ...runtime import (
    StaticModule,
    atomic_file,
)
from ..compile import Compilation
from ..options import Options
from .benchmark import benchmark
from .inputs import load_inputs, random_inputs, sizes_of
from .reproducer import CrashError, Guard

if TYPE_CHECKING:
    from xdsl.dialects.builtin import ModuleOp
    from xdsl.passes import ModulePass

Array = npt.NDArray[Any]


def _parser() -> ArgumentParser:
    """The arguments of the command."""
    made = ArgumentParser("sr-run", description=__doc__)
    made.add_argument("model", help="an .onnx or .mlir file")
    made.add_argument(
        "--input",
        type=Path,
        help="an .npz file with an array for each input by name (or in order as in0, "
        "in1, ...), or an .npy file for a model of one input",
    )
    made.add_argument(
        "--random-seed", type=int, default=0, help="of inputs that are not given"
    )
    made.add_argument(
        "--size",
        action="append",
        default=[],
        metavar="SYMBOL=NUMBER",
        help="the value of a symbol for random inputs, such as batch=8 (otherwise 1)",
    )
    made.add_argument("--output", type=Path, help="an .npz file to write outputs to")
    made.add_argument("--target", default="host", help="host, or such as x86-64-v3")
    made.add_argument("--planner", default=Options().planner)
    made.add_argument(
        "--tune", action="store_true", help="measure what is fastest, and keep it"
    )
    made.add_argument(
        "--precision", default=Options().precision, help="f32, or bf16 for weights"
    )
    made.add_argument(
        "--threads", type=int, help="how many may run, or compile, side by side"
    )
    made.add_argument("--no-cache", action="store_true", help="compile anew")
    made.add_argument(
        "--benchmark", action="store_true", help="measure compiling, running and memory"
    )
    made.add_argument(
        "--print-ir-after-all",
        action="store_true",
        help="print the IR to stderr after each pass",
    )
    return made


def _print_ir(after: ModulePass, module: ModuleOp) -> None:
    """Prints the IR to stderr, under MLIR's header."""
    title = f"IR Dump After {type(after).__name__} ({after.name})"
    print(f"// -----// {title} //----- //", module, sep="\n", file=sys.stderr)


def _print_outputs(module: StaticModule, outputs: Sequence[Array]) -> None:
    """Prints a line for each output."""
    for name, array in zip(module.output_names, outputs, strict=True):
        line = f"{name}: {array.dtype}{list(array.shape)}"
        if array.size and array.dtype.kind in "fi":
            line += f"  min {array.min():.6g}  mean {array.mean():.6g}  "
            line += f"max {array.max():.6g}"
        print(line)


def _write_outputs(path: Path, module: StaticModule, outputs: Sequence[Array]) -> None:
    """Writes an .npz file; all of it, or nothing."""
    # `numpy.savez` has arguments of its own, whose names an output may have.
    with atomic_file(path) as file, ZipFile(file, "w") as archive:
        for name, array in zip(module.output_names, outputs, strict=True):
            with archive.open(f"{name}.npy", "w", force_zip64=True) as entry:
                np.lib.format.write_array(entry, array, allow_pickle=False)


def run(arguments: Namespace) -> None:
    """Does what the arguments ask for."""
    options = Options(
        planner=arguments.planner,
        cache=not arguments.no_cache,
        tune=arguments.tune,
        threads=arguments.threads,
        precision=arguments.precision,
    )
    after = _print_ir if arguments.print_ir_after_all else None
    compilation = Compilation(
        arguments.model, target=arguments.target, options=options, after_pass=after
    )
    with Guard("this is a bug of the compiler"):
        module = compilation.run()
    sizes = sizes_of(module.program, arguments.size)
    if arguments.input is not None:
        inputs = load_inputs(arguments.input, module.program)
    else:
        inputs = random_inputs(module.program, arguments.random_seed, sizes)
    result = module(**inputs)
    outputs: list[Array] = [*result] if type(result) is tuple else [result]
    _print_outputs(module, outputs)
    if arguments.output is not None:
        _write_outputs(arguments.output, module, outputs)
    if arguments.benchmark:
        print()
        print(benchmark(arguments.model, arguments.target, options, inputs))


def main(args: Sequence[str] | None = None) -> None:
    """The console script; what the user can mend is told without a traceback."""
    arguments = _parser().parse_args(args)
    told = (TypeError, ValueError, IndexError, OSError, MemoryError, OverflowError)
    try:
        with Guard("this is a bug of the runtime", accepts=told):
            run(arguments)
    except (CrashError, *told) as error:
        sys.exit(f"sr-run: {error}")
