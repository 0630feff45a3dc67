"""What runs nodes that have no op of ours: `Options.fallback` as arguments."""

from __future__ import annotations

import sys
from argparse import ArgumentParser, Namespace
from pathlib import Path
from typing import Any

from ...runtime.call import StaticModule
from ..session import Options


def add_fallback(parser: ArgumentParser) -> None:
    """Adds the arguments."""
    parser.add_argument(
        "--fallback",
        default=Options().fallback,
        help="error, or foreign: the model's framework runs what has no op of ours",
    )
    parser.add_argument(
        "--foreign-op",
        action="append",
        default=[],
        metavar="MODULE:CLASS",
        help="an implementation of an ONNX op of another domain; modules are also "
        "looked for in the current folder",
    )


def fallback_of(arguments: Namespace) -> dict[str, Any]:
    """
    What the arguments mean, by the names of options.

    Where they name an implementation, Python imports from the current folder, too.
    """
    here = str(Path.cwd())
    if arguments.foreign_op and here not in sys.path:
        sys.path.append(here)
    return {
        "fallback": arguments.fallback,
        "foreign_ops": tuple(arguments.foreign_op),
    }


def print_foreign(module: StaticModule) -> None:
    """Prints the calls that a framework runs, if there are any."""
    for each in module.program.call_outs:
        if each.framework:
            print(f"run by {each.framework}: {each.source}")
