"""The bounds of symbols that a command is given: `Options.bounds` as arguments."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace


def add_bounds(parser: ArgumentParser) -> None:
    """Adds the argument of bounds."""
    parser.add_argument(
        "--bound",
        action="append",
        default=[],
        metavar="SYMBOL=NUMBER",
        help="the most that a symbol may be, such as length=4096, where a size that "
        "only the run knows needs one",
    )


def bounds_of(arguments: Namespace) -> dict[str, int]:
    """The bound of each symbol; raises `ValueError` for what is none."""
    found: dict[str, int] = {}
    for text in arguments.bound:
        name, _, number = text.partition("=")
        if not name or not number.isdecimal():
            raise ValueError(f"expected --bound SYMBOL=NUMBER, got {text}")
        found[name] = int(number)
    return found
