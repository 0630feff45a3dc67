"""
`sr-quantize`: run a model on samples, and write a profile of its activations, by which
`sr-run --load-profile` and `sr-build --load-profile` quantise it; or merge profiles.
"""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from ..calibrating import Calibration, report
from ..quantizing import (
    CALIBRATIONS,
    SCHEMAS,
    Profile,
    Settings,
    merge_profiles,
    read_profile,
)
from ..session import CompileError, Options
from .bounds import add_bounds, bounds_of
from .fallback import add_fallback, fallback_of
from .output import STANDARD, write_text
from .reproducer import Guard
from .script import RUN_ERRORS, run_script
from .switches import add_threads

_OF_MODELS = ("inputs", "report")
"""The arguments that have no meaning where profiles are merged."""


def _parser() -> ArgumentParser:
    """The arguments of the command."""
    made = ArgumentParser("sr-quantize", description=__doc__)
    made.add_argument("model", nargs="?", help="an .onnx, .mlir or .pt2 file")
    made.add_argument(
        "--inputs",
        nargs="+",
        type=Path,
        metavar="FILE",
        help=".npz or .npy files of samples, as sr-run takes them: an array with as "
        "many axes as its input is one call, or, where the first size of the input is "
        "fixed, calls of that size; one with an axis more is a stack of calls",
    )
    made.add_argument(
        "--merge", nargs="+", type=Path, metavar="PROFILE", help="add up these instead"
    )
    made.add_argument(
        *("-o", "--output"),
        default=STANDARD,
        help="the profile to write, YAML (default: - for stdout)",
    )
    _add_settings(made)
    made.add_argument(
        "--report",
        action="store_true",
        help="print the steps of each value, what stays in f32, and how far the "
        "quantised model is from the one in f32 on the samples; needs --output",
    )
    made.add_argument("--target", default="host", help="host, or such as x86-64-v3")
    add_threads(made)
    add_bounds(made)
    add_fallback(made)
    return made


def _add_settings(made: ArgumentParser) -> None:
    """Adds the arguments of how values are quantised."""
    own = Settings()
    made.add_argument(
        "--schema",
        help=f"which steps: {', '.join(SCHEMAS)} (default: {own.schema})",
    )
    made.add_argument(
        "--calibration",
        help=f"how ranges are found: {' or '.join(CALIBRATIONS)}; none for all that "
        f"was seen, kl to let outliers saturate (default: {own.calibration})",
    )
    made.add_argument(
        "--keep",
        action="append",
        metavar="f32:NAME",
        help="a product, or a value, that stays in floats",
    )
    made.add_argument(
        "--weight-bits",
        type=int,
        help="8, or 7, of which processors without VNNI multiply pairs without "
        f"saturation (default: {own.weight_bits})",
    )


def _settings(arguments: Namespace, own: Settings) -> Settings:
    """What the arguments ask for, and for the rest what there was before."""
    given: dict[str, Any] = {
        "schema": arguments.schema,
        "calibration": arguments.calibration,
        "keep": None if arguments.keep is None else tuple(arguments.keep),
        "weight_bits": arguments.weight_bits,
    }
    known = {name: value for name, value in given.items() if value is not None}
    return replace(own, **known)


def _merge(arguments: Namespace) -> Profile:
    """The sum of the profiles, with other settings where these are given."""
    for name in _OF_MODELS:
        if getattr(arguments, name):
            raise CompileError(f"expected no --{name} with --merge, got it")
    if arguments.model is not None:
        raise CompileError(
            f"expected no model with --merge, got {arguments.model}; a profile that is "
            "merged comes after --merge"
        )
    profiles = [read_profile(each) for each in arguments.merge]
    return merge_profiles(
        each.with_settings(_settings(arguments, each.settings)) for each in profiles
    )


def _quantize(arguments: Namespace) -> None:
    """Writes the profile that the arguments ask for."""
    if arguments.merge is not None:
        return write_text(arguments.output, _merge(arguments).text)
    if arguments.model is None or arguments.inputs is None:
        raise CompileError("expected a model and --inputs, or --merge, got neither")
    if arguments.report and arguments.output == STANDARD:
        raise CompileError("expected --output with --report, got it without")
    settings = _settings(arguments, Settings())
    options = Options(
        threads=arguments.threads,
        bounds=bounds_of(arguments),
        **fallback_of(arguments),
    )
    with Guard("this is a bug of the compiler"):
        made = Calibration(arguments.model, target=arguments.target, options=options)
    profile = made.profile(arguments.inputs, settings)
    write_text(arguments.output, profile.text)
    if arguments.report:
        print(report(made, profile, arguments.inputs))
    return None


def main(args: Sequence[str] | None = None) -> None:
    """The console script; what the user can mend is told without a traceback."""
    arguments = _parser().parse_args(args)
    run_script("sr-quantize", "runtime", RUN_ERRORS, lambda: _quantize(arguments))
