"""The profile that a model is quantised by, as an argument of a command."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from pathlib import Path
from typing import Any


def add_load_profile(parser: ArgumentParser) -> None:
    """Adds the argument."""
    parser.add_argument(
        "--load-profile",
        type=Path,
        metavar="FILE",
        help="quantise the model by this profile, which sr-quantize has written",
    )


def load_profile_of(arguments: Namespace) -> dict[str, Any]:
    """What the argument means, by the name of the option."""
    return {"quantization": arguments.load_profile}
