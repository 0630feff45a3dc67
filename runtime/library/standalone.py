"""
Load a model in a folder that was built to run it without the compiler.

The folder has the files of the runtime, the objects of the pool of threads, the key
that its models are for, and models: `model.sr`, or `model.TARGET.sr` for each of
several targets; the greatest that this machine can run is taken. A model that is data
runs over the library of kernels that was built into the folder.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from ..call import StaticModule, module_of
from ..files import open_regular
from ..machine import TARGETS, BareMachine, Host, lacking, link, usable_threads
from .artifact import Artifact, load
from .data_model import IS_DATA, DataModel
from .kernel_library import library_name, load_library
from .not_selected import missing_feature

_FOLDER = Path(__file__).parents[1]
"""The folder that was built."""

KEY_FILE = "key.txt"
"""The file with what artifacts of this runtime are for."""

_SUFFIX = ".sr"


def file_name(name: str, target: str) -> str:
    """The name of the file of a model for one of several targets."""
    return f"{name}.{target}{_SUFFIX}"


def load_model(path: str | Path, threads: int | None = None) -> StaticModule:
    """
    The model in a file, relative to this folder if there is none here; a run uses
    `threads` threads, or as many as the process may run at once.

    Raises `ValueError` for what is no model of this runtime or does not run on this
    machine, `NotSelectedError` for what a model needs of a library that lacks it, and
    `OSError` for a file that cannot be read.
    """
    if threads is not None and threads < 1:
        raise ValueError(f"expected one thread or more, got {threads}")
    key = (_FOLDER / KEY_FILE).read_text().strip()
    machine = BareMachine()
    with open_regular(_found(Path(path), machine)) as file:
        artifact = load(file, key)
    if IS_DATA in artifact.notes:
        return _over_library(artifact, key, machine, threads)
    target = artifact.notes.get("target")
    if not isinstance(target, str) or target not in TARGETS:
        raise ValueError(f"{path}: expected code for a known target, got {target}")
    if missing := lacking(target, machine):
        raise ValueError(
            f"{path}: expected a machine that runs {target}, got one that needs "
            f"{', '.join(missing)}; build the model for another --target"
        )
    plans = artifact.plan_code
    code = link(artifact.objects, plans=plans is not None)
    count = usable_threads() if threads is None else threads
    return module_of(artifact.program, code, artifact.block, (), count, plans)


def _over_library(
    artifact: Artifact, key: str, machine: Host, threads: int | None
) -> StaticModule:
    """
    A model as data over the library for the greatest target that the machine has.

    Raises `NotSelectedError` for what the library lacks of what a load needs.
    """
    there = [name for name in TARGETS if (_FOLDER / library_name(name)).exists()]
    if not there:
        raise ValueError(
            "expected a library of kernels beside the runtime, got none; build one "
            "with sr-build --yaml"
        )
    model = DataModel.of(artifact)
    path = _FOLDER / library_name(chosen(there, machine))
    library = load_library(path, key, model.kernels)
    is_shared = library.selection.is_feature_selected("threads")
    if threads is not None and threads > 1 and not is_shared:
        raise missing_feature("threads")
    count = usable_threads() if threads is None else threads
    code = model.link(library)
    return module_of(
        *(artifact.program, code, artifact.block, ()),
        *(count if is_shared else 1, model.plans),
    )


def _found(path: Path, machine: Host) -> Path:
    """The file that a path means, here or in the folder, for this machine."""
    for each in (path, _FOLDER / path):
        if each.exists():
            return each
        name = each.name.removesuffix(_SUFFIX)
        there = [
            target
            for target in TARGETS
            if each.with_name(file_name(name, target)).exists()
        ]
        if there:
            return each.with_name(file_name(name, chosen(there, machine)))
    return path


def chosen(targets: Sequence[str], machine: Host) -> str:
    """
    The greatest of some targets that a machine can run; raises `ValueError` if none.
    """
    least_first = [each for each in TARGETS if each in targets]
    runs = [each for each in least_first if not lacking(each, machine)]
    if not runs:
        needed = ", ".join(lacking(least_first[0], machine))
        raise ValueError(
            f"expected a machine that runs {' or '.join(least_first)}, got one that "
            f"needs {needed}; build the model for --target x86-64 or aarch64 too"
        )
    return runs[-1]
