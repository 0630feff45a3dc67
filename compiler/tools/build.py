"""
`sr-build`: build what runs models without their compiler: a folder that runs one with
numpy alone, or a library of selected kernels, and models as data; or an object, a
header and weights for C programs.
"""

from __future__ import annotations

import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Sequence
from pathlib import Path

from ...runtime.library import LIBRARY_SUFFIX, Selection
from ..bundle import Network, identifier_of, make_bundle, write_bundle
from ..compile import Compilation
from ..library import (
    build_c_library,
    build_data_model,
    build_library_folder,
    catalogue,
)
from ..runtime_folder import build_runtime
from ..selective import read_selection
from ..session import Options
from .bounds import add_bounds, bounds_of
from .reproducer import CrashError, Guard

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
    made.add_argument("--precision", default=Options().precision, help="f32 or bf16")
    add_bounds(made)
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


def _build_runtime(arguments: Namespace) -> None:
    """Builds a folder with the runtime, and a model or a library."""
    options = Options(precision=arguments.precision, bounds=bounds_of(arguments))
    targets, folder = arguments.target.split(","), arguments.output
    if arguments.yaml is not None or arguments.include_all:
        chosen = Selection(include_all_operators=True)
        if arguments.yaml is not None:
            chosen = read_selection(arguments.yaml)
        models = arguments.model
        if arguments.include_all and not models:
            models = [*catalogue()]
        build = build_c_library if arguments.c_library else build_library_folder
        written = build(chosen, models, targets, folder, options)
    elif folder.suffix == ".sr":
        build_data_model(_only(arguments), folder, options, arguments.library)
        print(f"{folder}: {folder.stat().st_size} bytes")
        return
    else:
        written = build_runtime(_only(arguments), targets, folder, options)
    built = [path for path in written if path.suffix in _BUILT]
    for path in built:
        print(f"{path}: {path.stat().st_size} bytes")
    rest = sum(path.stat().st_size for path in written if path not in built)
    if not arguments.c_library:
        print(f"runtime: {rest} bytes")


def _only(arguments: Namespace) -> Path:
    """The only model; raises `ValueError` for several."""
    if len(arguments.model) != 1:
        raise ValueError(
            f"expected one model, got {len(arguments.model)}; a library of several is "
            "built with --yaml or --include-all"
        )
    return arguments.model[0]


def _build_bundle(arguments: Namespace) -> None:
    """Builds an object, a header and weights."""
    bounds = bounds_of(arguments)
    options = Options(threads=1, precision=arguments.precision, bounds=bounds)
    name, entry = arguments.network_name, arguments.main_entry_name
    if several := len(arguments.model) > 1:
        if entry is not None:
            raise ValueError(
                "expected --main-entry-name with one model, got "
                f"{len(arguments.model)}; each function has the name of its file"
            )
        name = name or "bundle"
    networks: list[Network] = []
    for model in arguments.model:
        compilation = Compilation(model, target=arguments.target, options=options)
        own = identifier_of(model.stem) if several or name is None else name
        networks.append(Network(compilation, own, entry))
    bundle = make_bundle(networks, name, arguments.bundle_api or "static")
    write_bundle(bundle, arguments.emit_bundle)


def main(args: Sequence[str] | None = None) -> None:
    """The console script; what the user can mend is told without a traceback."""
    arguments = _parser().parse_args(args)
    told = (TypeError, ValueError, OSError, MemoryError, OverflowError)
    try:
        with Guard("this is a bug of the compiler", accepts=told):
            _check_flags(arguments)
            if arguments.emit_bundle is not None:
                _build_bundle(arguments)
            else:
                _build_runtime(arguments)
    except (CrashError, *told) as error:
        sys.exit(f"sr-build: {error}")
