"""
A library of kernels for one target: what was selected, and an object for each kernel.

It is a safetensors file with an array of bytes for each kernel, by its name. A kernel
is read when a model that is loaded calls it, and its hash is compared then.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Generator, Iterable, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from io import FileIO
from pathlib import Path
from typing import Any, BinaryIO, cast

import numpy as np

from ..files import (
    Contents,
    SafetensorsError,
    contents,
    open_regular,
    read_bytes,
    write_to,
)
from .selection import Operator, Selection

LIBRARY_SUFFIX = ".srk"
"""How the name of a library of kernels ends."""


class LibraryError(ValueError):
    """A file that is no library of kernels, or not a whole one."""


def library_name(target: str) -> str:
    """The name of the file of the library for a target."""
    return f"kernels.{target}{LIBRARY_SUFFIX}"


@dataclass(frozen=True)
class Stored:
    """What is known of a kernel without its object."""

    bytes: int
    arguments: int
    """The words that a call gives it."""

    operators: tuple[str, ...]
    dtypes: tuple[str, ...]


@dataclass(frozen=True)
class KernelLibrary:
    """What a library has: objects by the names of kernels, and a selection."""

    target: str
    selection: Selection
    objects: Mapping[str, bytes]
    about: Mapping[str, Stored]
    """What each kernel computes, of those that the file has."""


def save_library(file: BinaryIO, library: KernelLibrary, key: str) -> None:
    """Writes a library for the runtime `key` to an open file."""
    hashes = {
        name: hashlib.sha256(each).hexdigest() for name, each in library.objects.items()
    }
    texts = {
        "key": key,
        "target": library.target,
        "selection": json.dumps(to_json(library.selection), sort_keys=True),
        "kernels": json.dumps(hashes, sort_keys=True),
        "about": json.dumps(
            {name: asdict(each) for name, each in library.about.items()}
        ),
    }
    arrays = {
        name: np.frombuffer(each, np.uint8) for name, each in library.objects.items()
    }
    write_to(file, arrays, {**texts, "sum": _sum(texts)})


def load_library(path: Path, key: str, kernels: Iterable[str]) -> KernelLibrary:
    """
    A library with those of some kernels that it has.

    Raises `LibraryError` for a file that is none for the runtime `key`, and `OSError`.
    """
    with _opened(path) as (file, found, texts):
        return _load(file, found, texts, key, kernels)


def read_about(path: Path) -> tuple[str, dict[str, Stored]]:
    """
    The target of a library, and what is known of its kernels; raises as `load_library`.
    """
    with _opened(path) as (_, _, texts):
        return texts["target"], _about(texts)


@contextmanager
def _opened(path: Path) -> Generator[tuple[FileIO, Contents, dict[str, str]]]:
    """A file, its contents, and its texts, which are as they were written."""
    try:
        with open_regular(path) as file:
            found = contents(file)
            texts = dict(found.metadata)
            if texts.pop("sum") != _sum(texts):
                raise ValueError("a file that was changed since it was written")
            yield file, found, texts
    except (KeyError, TypeError, RecursionError, ValueError) as error:
        raise LibraryError(
            f"{path}: expected a library of kernels, got {error}"
        ) from error


def _about(texts: Mapping[str, str]) -> dict[str, Stored]:
    """What is known of kernels, by their names."""
    return {
        name: Stored(
            *(int(each["bytes"]), int(each["arguments"])),
            *(tuple(each["operators"]), tuple(each["dtypes"])),
        )
        for name, each in json.loads(texts["about"]).items()
    }


def _load(
    file: FileIO,
    found: Contents,
    texts: Mapping[str, str],
    key: str,
    kernels: Iterable[str],
) -> KernelLibrary:
    if texts["key"] != key:
        raise ValueError(f"one for {texts['key']}; build both again")
    hashes = json.loads(texts["kernels"])
    objects = {
        name: _read(file, found, name, hashes[name])
        for name in dict.fromkeys(kernels)
        if name in hashes
    }
    about = _about(texts)
    for name, each in objects.items():
        if len(each) != about[name].bytes:
            raise ValueError(
                f"{about[name].bytes} bytes for a kernel {name} of {len(each)}"
            )
    selection = from_json(json.loads(texts["selection"]))
    return KernelLibrary(texts["target"], selection, objects, about)


def _read(file: FileIO, found: Contents, name: str, digest: str) -> bytes:
    """The object of a kernel."""
    entry = found.entries[name]
    data = read_bytes(file, found.start(name), entry.end - entry.begin).tobytes()
    if hashlib.sha256(data).hexdigest() != digest:
        raise SafetensorsError(f"a kernel {name} that was changed since it was written")
    return data


def _sum(texts: Mapping[str, str]) -> str:
    """A hash of texts by name."""
    return hashlib.sha256(json.dumps(texts, sort_keys=True).encode()).hexdigest()


def to_json(selection: Selection) -> dict[str, Any]:
    """A selection as values of JSON, without notes for debugging."""
    made: dict[str, Any] = {
        "include_all_operators": selection.include_all_operators,
        "include_all_non_op_selectives": selection.include_all_non_op_selectives,
        "operators": {
            name: {**asdict(each), "debug_info": None}
            for name, each in selection.operators.items()
        },
    }
    for name in ("build_features", "custom_classes"):
        made[name] = sorted(getattr(selection, name))
    for name in ("kernel_metadata", "et_kernel_metadata"):
        made[name] = {
            key: sorted(each) for key, each in getattr(selection, name).items()
        }
    return made


def from_json(values: Mapping[str, Any]) -> Selection:
    """The selection that `to_json` wrote; raises `ValueError` or the like."""
    made: dict[str, Any] = {
        name: frozenset(cast(list[str], values[name]))
        for name in ("build_features", "custom_classes")
    }
    for name in ("kernel_metadata", "et_kernel_metadata"):
        made[name] = {key: frozenset(each) for key, each in values[name].items()}
    return Selection(
        include_all_operators=bool(values["include_all_operators"]),
        include_all_non_op_selectives=bool(values["include_all_non_op_selectives"]),
        operators={
            name: Operator(**each) for name, each in values["operators"].items()
        },
        **made,
    )
