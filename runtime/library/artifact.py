"""
Artifacts: a compiled model in one file, from which it runs and is not compiled again.

The file is a safetensors file. It holds the objects of the program as they are linked,
the block of constants as it is in memory, the `Program` as text, and the key that it
was made for. There is nothing in it that is executed while it is read.
"""

from __future__ import annotations

import hashlib
import json
import mmap
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from io import FileIO
from typing import Any, BinaryIO

import numpy as np

from ..abi import ALIGNMENT
from ..files import (
    Contents,
    Entry,
    Stream,
    aligned_bytes,
    contents,
    fill,
    locked,
    read_bytes,
    size_of,
    write_to,
)
from ..plan import PlanCode, PlanLayout
from ..program import PIECE, Bytes, ConstantBlock, Program, read_program

CONSTANTS = "constants"
"""The name of the block of constants in the file."""

_PLANS = "plans"
"""The name of the code of plans in the file."""

_DIGEST = "sums"
"""The name of what was written last, of all that is before it."""

_KEY = "key"
"""The text in the file that says what it was made for."""

COPIED = 512 * 2**20
"""
The most bytes of constants that are read into memory. More are mapped: processes share
them, and end if their user makes the file shorter, which `Cache` never does.
"""

_WORDS_PER_ROW = 128
"""Words in a row of a table whose rows and columns are summed up."""


@dataclass(frozen=True)
class Artifact:
    """A compiled model, before its code is linked."""

    program: Program
    objects: Sequence[bytes]
    constants: Bytes | ConstantBlock
    notes: dict[str, Any]
    """What the compiler wants to know of it again; JSON values."""

    plans: bytes = b""
    """The words of the code of plans (`plan_code.py`); nothing where there is none."""

    @property
    def plan_code(self) -> PlanCode | None:
        """The code of plans, if any; raises `ValueError` for what is none."""
        if not self.plans:
            return None
        return PlanCode.of_bytes(self.plans, PlanLayout(self.program.row_layout))

    @property
    def block(self) -> Bytes:
        """The constants as a program reads them: mapped, or else in memory."""
        if isinstance(self.constants, ConstantBlock):
            return self.constants.in_memory()
        return self.constants


class ArtifactError(ValueError):
    """A file that is no artifact, or not a whole one."""


def save(file: BinaryIO, artifact: Artifact, key: str) -> None:
    """Writes the artifact that was made for `key` to an open file."""
    constants = artifact.constants
    metadata = {
        _KEY: key,
        "program": artifact.program.to_json(),
        "notes": json.dumps(artifact.notes),
    }
    digest = _Digest(metadata)

    def pieces() -> Iterator[Bytes]:
        made = (
            constants.pieces()
            if isinstance(constants, ConstantBlock)
            else _pieces_of(constants)
        )
        for piece in made:
            digest.add_piece(piece)
            yield piece

    def last() -> Iterable[Bytes]:
        # The objects go by name, and this comes after them.
        digest.add_objects(objects)
        return [digest.value()]

    objects = {
        _object_name(number): np.frombuffer(each, np.uint8)
        for number, each in enumerate(artifact.objects)
    }
    if artifact.plans:
        objects[_PLANS] = np.frombuffer(artifact.plans, np.uint8)
    first = {CONSTANTS: Stream(constants.nbytes, pieces)}
    arrays = {**first, **objects, _DIGEST: Stream(digest.size, last)}
    write_to(file, arrays, metadata)


def load(file: FileIO, key: str) -> Artifact:
    """
    The artifact for `key` in an open file; raises `ArtifactError` when there is none.
    """
    try:
        found = contents(file)
        if found.metadata[_KEY] != key:
            raise ArtifactError(f"one that was made for {found.metadata[_KEY]}")
        entries, digest = dict(found.entries), _Digest(found.metadata)
        expected = _read_entry(file, found, entries.pop(_DIGEST))
        constants = _read_constants(file, found, digest)
        del entries[CONSTANTS]
        arrays = {name: _read_entry(file, found, e) for name, e in entries.items()}
        digest.add_objects(arrays)
        if not np.array_equal(digest.value(), expected):
            raise ArtifactError("a file that was changed since it was written")
        program = read_program(found.metadata["program"])
        notes = json.loads(found.metadata["notes"])
        plans = arrays.pop(_PLANS).tobytes() if _PLANS in arrays else b""
        objects = [
            arrays[name].tobytes() for name in map(_object_name, range(len(arrays)))
        ]
    except (OSError, KeyError, RecursionError, ValueError) as error:
        raise ArtifactError(f"expected an artifact for {key}, got {error}") from error
    return Artifact(program, objects, constants, notes, plans)


def written_constants(file: FileIO) -> Bytes:
    """The constants of an artifact that has just been written to an open file."""
    return _read_constants(file, contents(file), None)


def _read_constants(file: FileIO, found: Contents, digest: _Digest | None) -> Bytes:
    """The block of constants in a file, whose pieces are added to `digest`."""
    entry = found.entries[CONSTANTS]
    size, start = entry.end - entry.begin, found.start(CONSTANTS)
    if size <= COPIED:
        block = aligned_bytes(size, ALIGNMENT)
        # Each piece is summed up while it is in a cache.
        parts = fill(file, start, block)
    else:
        data = mmap.mmap(file.fileno(), size_of(file), access=mmap.ACCESS_READ)
        block = np.frombuffer(data, np.uint8, size, start)
        parts = _pieces_of(block)
    for piece in parts:
        if digest is not None:
            digest.add_piece(piece)
    return locked(block)


def _read_entry(file: FileIO, found: Contents, entry: Entry) -> Bytes:
    """The bytes of something small in a file."""
    return read_bytes(file, found.start(entry.name), entry.end - entry.begin)


def _object_name(number: int) -> str:
    """The name of an object in the file."""
    return f"object.{number}"


def _pieces_of(block: Bytes) -> Iterator[Bytes]:
    """The bytes of a block, a piece at a time."""
    for start in range(0, block.size, PIECE):
        yield block[start : start + PIECE]


class _Digest:
    """
    A hash of all that a file holds, so that no damaged code or weight is used.

    Of the constants it takes the sums of rows and columns, as a whole hash of them
    takes longer than all else when a model is loaded. Damage is holes, bits that flip,
    and parts that stand where others should: all of these change a sum.
    """

    size = hashlib.sha256().digest_size

    def __init__(self, texts: Mapping[str, str]) -> None:
        """The digest of a file with these texts and nothing else."""
        self._hash = hashlib.sha256()
        for name, text in sorted(texts.items()):
            self._add(name.encode())
            self._add(text.encode())

    def add_piece(self, piece: Bytes) -> None:
        """Adds the next piece of the constants."""
        whole = piece.size // (8 * _WORDS_PER_ROW) * (8 * _WORDS_PER_ROW)
        table = piece[:whole].view(np.uint64).reshape(-1, _WORDS_PER_ROW)
        self._add(table.sum(axis=0).tobytes())
        self._add(table.sum(axis=1).tobytes())
        self._add(piece[whole:].tobytes())

    def add_objects(self, objects: Mapping[str, Bytes]) -> None:
        """Adds what is in the file beside the constants."""
        for name, array in sorted(objects.items()):
            self._add(f"{name} {array.dtype} {array.shape}".encode())
            self._add(array.tobytes())

    def value(self) -> Bytes:
        """The digest of what was added."""
        return np.frombuffer(self._hash.digest(), np.uint8)

    def _add(self, data: bytes) -> None:
        self._hash.update(len(data).to_bytes(8, "little") + data)
