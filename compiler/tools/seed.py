"""What numbers at random are drawn by: `Options.seed` as an argument."""

from __future__ import annotations

from argparse import ArgumentParser, ArgumentTypeError, Namespace
from typing import Any


def add_seed(parser: ArgumentParser) -> None:
    """Adds the argument."""
    parser.add_argument(
        "--seed",
        type=_seed,
        help="of models that draw numbers at random: a number, or input",
    )


def seed_of(arguments: Namespace) -> dict[str, Any]:
    """What the argument means, by the name of the option."""
    return {"seed": arguments.seed}


def _seed(text: str) -> int | str:
    """The number or the word that a text is."""
    if text == "input":
        return text
    try:
        return int(text)
    except ValueError as error:
        wanted = f"expected a seed as a number, or input, got {text!r}"
        raise ArgumentTypeError(wanted) from error
