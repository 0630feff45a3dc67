"""Options of a compile, such as those that are true or not, as arguments."""

from __future__ import annotations

from argparse import ArgumentParser, BooleanOptionalAction, Namespace
from typing import Any

from ..session import Options

_SWITCHES = {
    "optimize_memory": "let activations share memory",
    "enable_out_variant": "compile the model; if not, run its references, an oracle, "
    "which needs --no-optimize-memory",
    "enable_tensorexpr_fusion": "fuse ops into kernels",
    "use_maybe_copy_variants": "skip copies that sizes make needless",
    "manage_output_tensors": "return the arrays of outputs again",
}
"""The options that are true or not, each with its help."""

_NUMBERS = {
    "precision": "f32, or bf16 for weights",
    "algorithms": "of convolutions: exact, or fast or fastest, of fewer products",
    "weights": "int8 or int4: weights of products of matrices in few bits",
    "activations": "int8: rows that such weights are multiplied with become bytes",
}
"""The options of numbers, each with its help."""


def add_switches(parser: ArgumentParser) -> None:
    """Adds the arguments, named as the options are."""
    default = Options()
    parser.add_argument(
        "--planner",
        "--memory-planner-algorithm",
        default=default.planner,
        help="how activations share memory, such as naive or standard_resizing",
    )
    for name, text in _SWITCHES.items():
        parser.add_argument(
            f"--{name.replace('_', '-')}",
            action=BooleanOptionalAction,
            default=getattr(default, name),
            help=text,
        )


def switches_of(arguments: Namespace) -> dict[str, Any]:
    """The values of the options, the planner apart."""
    return {name: getattr(arguments, name) for name in _SWITCHES}


def add_numbers(parser: ArgumentParser) -> None:
    """Adds the arguments that say in what numbers a model is computed, and how."""
    default = Options()
    for name, text in _NUMBERS.items():
        parser.add_argument(f"--{name}", default=getattr(default, name), help=text)


def numbers_of(arguments: Namespace) -> dict[str, Any]:
    """The values of these options."""
    return {name: getattr(arguments, name) for name in _NUMBERS}


def add_threads(parser: ArgumentParser) -> None:
    """Adds the argument that says how many threads there may be."""
    parser.add_argument(
        "--threads", type=int, help="how many may run, or compile, side by side"
    )
