"""Run a model that was built to run without the compiler, on inputs or random ones."""

from __future__ import annotations

import sys
from argparse import ArgumentParser
from collections.abc import Sequence
from pathlib import Path

from .elf import ObjectError
from .files import error_line
from .inputs import add_input, add_random, load_inputs, random_inputs, sizes_of
from .library import NotSelectedError, load_model
from .output_file import as_outputs, print_outputs, write_outputs


def _parser() -> ArgumentParser:
    """The arguments of the command, with the names that `sr-run` gives them."""
    made = ArgumentParser(f"python -m {__package__}.run", description=__doc__)
    made.add_argument("model", help="a file such as model.sr, here or in the package")
    add_input(made)
    add_random(made)
    made.add_argument("--output", type=Path, help="an .npz file to write outputs to")
    made.add_argument("--threads", type=int, help="how many may run side by side")
    return made


def main(args: Sequence[str] | None = None) -> None:
    """The command; what the user can mend is told without a traceback."""
    parser = _parser()
    arguments = parser.parse_args(args)
    told = (TypeError, ValueError, IndexError, OSError, MemoryError, OverflowError)
    try:
        module = load_model(arguments.model, arguments.threads)
        if arguments.input is not None:
            inputs = load_inputs(arguments.input, module.program)
        else:
            sizes = sizes_of(module.program, arguments.size)
            inputs = random_inputs(module.program, arguments.random_seed, sizes)
        print_outputs(module, outputs := as_outputs(module, module(**inputs)))
        if arguments.output is not None:
            write_outputs(arguments.output, module, outputs)
    except (ObjectError, NotSelectedError, *told) as error:
        sys.exit(f"{parser.prog}: {error_line(error)}")


if __name__ == "__main__":
    main()
