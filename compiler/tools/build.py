"""
`sr-build`: build what runs models without their compiler: a folder that runs one with
numpy alone, or a library of selected kernels, and models as data; or an object, a
header and weights for C programs.
"""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Sequence
from pathlib import Path

from ...runtime.library import LIBRARY_SUFFIX
from ..deploy import build
from ..session import Options, progress_line
from .bounds import add_bounds, bounds_of
from .load_profile import add_load_profile, load_profile_of
from .script import run_script
from .seed import add_seed, seed_of
from .switches import add_numbers, numbers_of

_BUILT = (".sr", LIBRARY_SUFFIX, ".a", ".h")
"""How the names of files end that are made for models; the rest is the runtime."""

_ALONE = ("bundle_api", "network_name", "main_entry_name")
"""What a bundle alone has."""


def _parser() -> ArgumentParser:
    """The arguments of the command."""
    made = ArgumentParser("sr-build", description=__doc__)
    made.add_argument(
        *("model",),
        type=Path,
        nargs="*",
        help="an .onnx, .mlir or .pt2 file; a bundle or library may have several, a "
        "library none with --include-all: all that the compiler makes kernels of",
    )
    kinds = made.add_mutually_exclusive_group(required=True)
    kinds.add_argument(
        "-o",
        "--output",
        type=Path,
        metavar="PATH",
        help="the folder to write that runs the model with numpy alone; or, where it "
        "ends in .sr, the file of the model as data, for a folder with a library",
    )
    kinds.add_argument(
        "--emit-bundle",
        type=Path,
        metavar="DIR",
        help="where an object, a header and weights go",
    )
    _add_library(made)
    made.add_argument(
        "--target",
        default="host",
        help="names such as x86-64-v3,aarch64, or host for the greatest of them that "
        "runs here; a folder runs the greatest that the machine has, a bundle has one",
    )
    add_numbers(made)
    add_bounds(made)
    add_load_profile(made)
    add_seed(made)
    _add_names(made)
    return made


def _add_names(made: ArgumentParser) -> None:
    """Adds the arguments of a bundle alone."""
    made.add_argument(
        "--bundle-api",
        choices=("static", "dynamic"),
        help="sizes and offsets as macros, or as a table (default: static)",
    )
    made.add_argument(
        "--network-name",
        help="of a bundle's files and macros (default: the file's); of the object "
        "alone where there are several models (default: bundle)",
    )
    made.add_argument("--main-entry-name", help="of the C function (default: as files)")


def _add_library(parser: ArgumentParser) -> None:
    """Adds what libraries of kernels are built of."""
    which = parser.add_mutually_exclusive_group()
    which.add_argument(
        "--yaml",
        type=Path,
        metavar="FILE",
        help="a selection: the folder has a library of the kernels of the models that "
        "it names, and runs models as data",
    )
    which.add_argument(
        "--include-all",
        action="store_true",
        help="the same with all kernels of the models",
    )
    parser.add_argument(
        "--c-library",
        action="store_true",
        help="the folder has libsr.a and sr.h for C programs instead",
    )
    parser.add_argument(
        "--library",
        type=Path,
        metavar="DIR",
        help="the folder that a model as data is for; what no kernel of its library "
        "has fused runs unfused",
    )


def _check_flags(arguments: Namespace) -> None:
    """Raises `ValueError` for a flag that what is built has no use for."""
    is_library = arguments.yaml is not None or arguments.include_all
    if arguments.emit_bundle is None:
        for name in _ALONE:
            if getattr(arguments, name) is not None:
                flag = name.replace("_", "-")
                raise ValueError(
                    f"expected --{flag} with --emit-bundle, got it without"
                )
    elif is_library or arguments.library is not None:
        raise ValueError(
            "expected --yaml, --include-all and --library with -o, got one with "
            "--emit-bundle"
        )
    if arguments.emit_bundle is not None and not arguments.model:
        raise ValueError("expected a model for a bundle, got none")
    if arguments.main_entry_name is not None and len(arguments.model) > 1:
        raise ValueError(
            "expected --main-entry-name with one model, got "
            f"{len(arguments.model)}; each function has the name of its file"
        )
    is_data = not is_library and arguments.emit_bundle is None
    is_data = is_data and arguments.output.suffix == ".sr"
    if arguments.c_library and not is_library:
        raise ValueError(
            "expected --c-library with --yaml or --include-all, got it without"
        )
    if arguments.library is not None and not is_data:
        raise ValueError("expected --library with -o FILE.sr, got it with a folder")
    if is_data and arguments.target != "host":
        raise ValueError(
            "expected --target with a library, got it with a model as data, which runs "
            "over those of all targets"
        )


def _build(arguments: Namespace) -> None:
    """Builds what the arguments ask for, and prints how large it is."""
    is_library = arguments.yaml is not None or arguments.include_all
    kind, output = None, arguments.output
    if arguments.emit_bundle is not None:
        kind, output = "bundle", arguments.emit_bundle
    elif is_library:
        kind = "c-library" if arguments.c_library else "library"
    with progress_line() as progress:
        written = build(
            arguments.model,
            output,
            kind=kind,
            target=arguments.target
            if kind == "bundle"
            else arguments.target.split(","),
            options=Options(
                bounds=bounds_of(arguments),
                **numbers_of(arguments),
                **load_profile_of(arguments),
                **seed_of(arguments),
            ),
            selection=arguments.yaml,
            library=arguments.library,
            **{name: getattr(arguments, name) for name in _ALONE},
            progress=progress,
        )
    if kind == "bundle":
        return
    built = [path for path in written if path.suffix in _BUILT]
    for path in built:
        print(f"{path}: {path.stat().st_size} bytes")
    if kind != "c-library" and written != [output]:
        rest = sum(path.stat().st_size for path in written if path not in built)
        print(f"runtime: {rest} bytes")


def main(args: Sequence[str] | None = None) -> None:
    """The console script; what the user can mend is told without a traceback."""
    arguments = _parser().parse_args(args)
    told = (TypeError, ValueError, OSError, MemoryError, OverflowError)

    def check_and_build() -> None:
        _check_flags(arguments)
        _build(arguments)

    run_script("sr-build", "compiler", told, check_and_build)
