"""`sr-run`: compile a model and run it, on given inputs or on random ones."""

from __future__ import annotations

import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from ...runtime import (
    add_input,
    add_random,
    as_outputs,
    load_inputs,
    print_outputs,
    random_inputs,
    sizes_of,
    write_outputs,
)
from ..compile import Compilation
from ..session import Options
from .benchmark import benchmark
from .bounds import add_bounds, bounds_of
from .fallback import add_fallback, fallback_of, print_foreign
from .load_profile import add_load_profile, load_profile_of
from .profile import add_profile, profile
from .reproducer import Guard
from .script import RUN_ERRORS, run_script
from .seed import add_seed, seed_of
from .switches import add_numbers, add_switches, add_threads, numbers_of, switches_of

if TYPE_CHECKING:
    from xdsl.dialects.builtin import ModuleOp
    from xdsl.passes import ModulePass


def _parser() -> ArgumentParser:
    """The arguments of the command."""
    made = ArgumentParser("sr-run", description=__doc__)
    made.add_argument("model", help="an .onnx, .mlir or .pt2 file")
    add_input(made)
    add_random(made)
    made.add_argument("--output", type=Path, help="an .npz file to write outputs to")
    made.add_argument("--target", default="host", help="host, or such as x86-64-v3")
    add_switches(made)
    add_bounds(made)
    add_fallback(made)
    add_seed(made)
    add_load_profile(made)
    made.add_argument(
        "--tune", action="store_true", help="measure what is fastest, and keep it"
    )
    made.add_argument(
        "--tier",
        default=Options().tier,
        help="full, or fast-start for code that answers sooner and is exchanged",
    )
    add_numbers(made)
    add_threads(made)
    made.add_argument("--no-cache", action="store_true", help="compile anew")
    made.add_argument(
        "--benchmark", action="store_true", help="measure compiling, running and memory"
    )
    made.add_argument(
        "--print-ir-after-all",
        action="store_true",
        help="print the IR to stderr after each pass",
    )
    add_profile(made)
    return made


def _print_ir(after: ModulePass, module: ModuleOp) -> None:
    """Prints the IR to stderr, under MLIR's header."""
    title = f"IR Dump After {type(after).__name__} ({after.name})"
    print(f"// -----// {title} //----- //", module, sep="\n", file=sys.stderr)


def run(arguments: Namespace) -> None:
    """Does what the arguments ask for."""
    options = Options(
        planner=arguments.planner,
        cache=not arguments.no_cache,
        tier=arguments.tier,
        tune=arguments.tune,
        threads=arguments.threads,
        bounds=bounds_of(arguments),
        **switches_of(arguments),
        **numbers_of(arguments),
        **fallback_of(arguments),
        **seed_of(arguments),
        **load_profile_of(arguments),
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
    print_outputs(module, outputs := as_outputs(module, result))
    print_foreign(module)
    if arguments.output is not None:
        write_outputs(arguments.output, module, outputs)
    if arguments.benchmark:
        print()
        # Quick code is exchanged while it is measured.
        options = replace(options, tier="full")
        print(benchmark(arguments.model, arguments.target, options, inputs))
    profile(arguments, module, inputs)


def main(args: Sequence[str] | None = None) -> None:
    """The console script; what the user can mend is told without a traceback."""
    arguments = _parser().parse_args(args)
    run_script("sr-run", "runtime", RUN_ERRORS, lambda: run(arguments))
