"""Build a runtime with a library of kernels, and models as data."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from pathlib import Path
from typing import Any

from ...runtime import Cache, default_folder
from ...runtime.files import atomic_file
from ...runtime.library import (
    LIBRARY_SUFFIX,
    Selection,
    library_name,
    read_about,
    save,
    save_library,
)
from ..ir import isa_name
from ..runtime_folder import check_folder, runtime_key, write_runtime
from ..session import CompileError, Options, Progress, silent
from .data_model import make_data_model
from .kernels import build_libraries


def build_library_folder(
    selection: Selection,
    models: Sequence[Any],
    targets: Sequence[str],
    folder: Path,
    options: Options = Options(),
    progress: Progress = silent,
) -> list[Path]:
    """
    Builds a folder that runs models as data: the runtime, and for each target the
    kernels of some models that a selection has; what was written. `progress` is told of
    models, then of kernels.

    Raises `CompileError` for a target that is not selected, where no kernel is, and for
    a folder with other things in it.
    """
    check_folder(folder)
    names = list(dict.fromkeys(map(isa_name, targets)))
    cache = Cache(default_folder()) if options.cache else None
    built = build_libraries(models, names, selection, options, cache, progress)
    written = write_runtime(folder, names, interprets=True)
    for library in built:
        path = folder / library_name(library.target)
        with atomic_file(path) as file:
            save_library(file, library, runtime_key())
        written.append(path)
    return written


def build_data_model(
    model: Any,
    path: Path,
    options: Options = Options(),
    library: Path | None = None,
) -> None:
    """
    Writes a model as data, whole or not at all; with a folder for its libraries, where
    fusions that these lack are taken apart. Raises `CompileError`.
    """
    known = None if library is None else _kernels_in(library)
    artifact = make_data_model(model, options, known).artifact
    path.parent.mkdir(parents=True, exist_ok=True)
    with atomic_file(path) as file:
        save(file, artifact, runtime_key())


def _kernels_in(folder: Path) -> set[str]:
    """The kernels that all libraries of a folder have."""
    known = [{*read_about(each)[1]} for each in folder.glob(f"*{LIBRARY_SUFFIX}")]
    if not known:
        raise CompileError(f"expected a folder with a library, got {folder}")
    return reduce(set[str].intersection, known)
