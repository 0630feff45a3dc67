"""
Where the model of a module is kept, so that the module can be pickled at any time.

A module needs its model only when it is pickled. So that it takes no memory until then,
a large one is a file of the cache, by its digest, or else a file without a name, which
the system removes with the module.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from io import FileIO
from tempfile import TemporaryFile
from typing import BinaryIO, TypeAlias
from weakref import finalize

import numpy as np

from ..runtime import Cache
from ..runtime.files import (
    SafetensorsError,
    contents,
    open_regular,
    read_from,
    write_to,
)
from .session import CompileError, GraphModel

MAX_KEPT_BYTES = 2**16
"""Bytes of a model that stays in memory: no more than its module takes anyway."""

_SUFFIX = ".model"
"""How the name of a model in the cache ends."""

_DIGEST = "digest"

_TEXT, _WEIGHT = "text", "weight "
"""
How the arrays of a file are called: the text, and weights after this and before their
own names. The text is an array, since it may be longer than the header of a file.
"""

Kept: TypeAlias = Callable[[], GraphModel]
"""Reads a model that is kept; raises `CompileError` where it is gone."""


@dataclass(frozen=True)
class _InCache:
    """A model in a file of the cache, which may remove it when it is old."""

    cache: Cache
    digest: str

    def __call__(self) -> GraphModel:
        """The model, read and checked."""
        file = self.cache.open(self.digest, _SUFFIX)
        if file is None:
            raise CompileError(
                "expected the model of a module in the cache, to pickle or to "
                f"profile the module, got none in {self.cache.folder}; compile it again"
            )
        with file:
            return _read(file)


class _InFile:
    """A model in a file without a name."""

    def __init__(self, file: int) -> None:
        """The model in an open file, which is closed with this."""
        self._file = file
        finalize(self, os.close, file).atexit = False

    def __call__(self) -> GraphModel:
        """The model, read and checked."""
        # Opened again, for a position of its own.
        with open_regular(f"/dev/fd/{self._file}") as file:
            return _read(file)


def keep(model: GraphModel, cache: Cache | None) -> Kept:
    """Keeps a model for as long as a module may be pickled."""
    if model.nbytes <= MAX_KEPT_BYTES:
        arrays = {name: array.copy() for name, array in model.weights.items()}
        small = GraphModel(model.text, arrays, model.digest)
        return lambda: small
    if (found := keep_in_cache(model, cache)) is not None:
        return found
    with suppress(OSError):
        with TemporaryFile(buffering=0) as file:
            _write(file, model)
            return _InFile(os.dup(file.fileno()))
    return lambda: model


def keep_in_cache(model: GraphModel, cache: Cache | None) -> Kept | None:
    """Keeps a model in a cache; None where that takes no files."""
    if cache is None:
        return None
    if (found := kept_in_cache(model.digest, cache)) is not None:
        return found
    if cache.writable:
        with suppress(OSError):
            with cache.create(model.digest, _SUFFIX) as file:
                _write(file, model)
            return kept_in_cache(model.digest, cache)
    return None


def kept_in_cache(digest: str | None, cache: Cache | None) -> Kept | None:
    """The model of a digest, if a cache has it."""
    if digest is None or cache is None:
        return None
    file = cache.open(digest, _SUFFIX)
    if file is None:
        return None
    with file:
        try:
            is_it = contents(file).metadata.get(_DIGEST) == digest
        except (OSError, SafetensorsError):
            return None
    return _InCache(cache, digest) if is_it else None


def _write(file: BinaryIO, model: GraphModel) -> None:
    """Writes a model to an open file."""
    text = np.frombuffer(model.text.encode(), np.uint8)
    named = {_WEIGHT + name: array for name, array in model.weights.items()}
    write_to(file, {_TEXT: text, **named}, {_DIGEST: model.digest})


def _read(file: FileIO) -> GraphModel:
    """The model in an open file; raises `CompileError` for one that was damaged."""
    try:
        arrays, texts = read_from(file)
        text = arrays.pop(_TEXT).tobytes().decode()
        named = {name.removeprefix(_WEIGHT): array for name, array in arrays.items()}
        found = GraphModel(text, named, texts[_DIGEST])
    except (OSError, KeyError, UnicodeDecodeError, SafetensorsError) as error:
        raise _damaged(error) from error
    if not found.is_whole:
        raise _damaged("other bytes")
    return found


def _damaged(got: object) -> CompileError:
    """The error of a file that was changed since it was written."""
    return CompileError(
        "expected the model of a module as it was kept in a file, to pickle or to "
        f"profile the module, got {got}; compile it again"
    )
