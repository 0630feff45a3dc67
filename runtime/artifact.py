"""
Artifacts: a compiled model in one file, from which it runs and is not compiled again.

The file is a safetensors file. It holds the objects of the program as they are linked,
the block of constants as it is mapped into memory, and the `Program` as text. There is
nothing in it that is executed while it is read.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from .constant_block import PIECE, Bytes, ConstantBlock
from .program import Program
from .safetensors import Stream, read, write

CONSTANTS = "constants"
"""The name of the block of constants in the file."""

DIGEST = "sums"
"""The name of what was written last, of all that is before it."""

ROW = 128
"""Words in a row of a table of which rows and columns are summed up."""


@dataclass(frozen=True)
class Artifact:
    """A compiled model, before its code is linked."""

    program: Program
    objects: Sequence[bytes]
    constants: Bytes | ConstantBlock
    notes: dict[str, Any]
    """What the compiler wants to know of it again; JSON values."""

    @property
    def block(self) -> Bytes:
        """The constants as a program reads them: mapped, or else in memory."""
        if isinstance(self.constants, ConstantBlock):
            return self.constants.in_memory()
        return self.constants


class ArtifactError(ValueError):
    """A file that is no artifact, or not a whole one."""


def save(path: Path, artifact: Artifact) -> None:
    """Writes an artifact; all of it, or nothing."""
    constants = artifact.constants
    metadata = {
        "program": artifact.program.to_json(),
        "notes": json.dumps(artifact.notes),
    }
    digest = Digest(metadata)

    def pieces() -> Iterator[Bytes]:
        made = (
            constants.pieces()
            if isinstance(constants, ConstantBlock)
            else pieces_of(constants)
        )
        for piece in made:
            digest.add_piece(piece)
            yield piece

    def last() -> Iterable[Bytes]:
        # The objects go by name, and this comes after them.
        digest.add_objects(objects)
        return [digest.value()]

    objects = {
        object_name(number): np.frombuffer(each, np.uint8)
        for number, each in enumerate(artifact.objects)
    }
    first = {CONSTANTS: Stream(constants.nbytes, pieces)}
    write(path, {**first, **objects, DIGEST: Stream(digest.size, last)}, metadata)


def load(path: Path) -> Artifact:
    """The artifact in a file; raises `ArtifactError` when there is none."""
    try:
        arrays, metadata = read(path)
        expected, constants = arrays.pop(DIGEST), arrays.pop(CONSTANTS)
        digest = Digest(metadata)
        for piece in pieces_of(constants):
            digest.add_piece(piece)
        digest.add_objects(arrays)
        if not np.array_equal(digest.value(), expected):
            raise ArtifactError("a file that was changed since it was written")
        program = Program.from_json(metadata["program"])
        notes = json.loads(metadata["notes"])
        objects = [
            arrays[name].tobytes() for name in map(object_name, range(len(arrays)))
        ]
    except (OSError, KeyError, RecursionError, ValueError) as error:
        raise ArtifactError(f"{path}: expected an artifact, got {error}") from error
    return Artifact(program, objects, constants, notes)


def mapped_constants(path: Path) -> Bytes:
    """The constants of an artifact that has just been written, mapped into memory."""
    arrays, _ = read(path)
    return arrays[CONSTANTS]


def object_name(number: int) -> str:
    """The name of an object in the file."""
    return f"object.{number}"


def pieces_of(block: Bytes) -> Iterator[Bytes]:
    """The bytes of a block, a piece at a time."""
    for start in range(0, block.size, PIECE):
        yield block[start : start + PIECE]


class Digest:
    """
    A hash of all that a file holds, so that no damaged code or weight is used.

    Of the constants it takes the sums of rows and columns, as a whole hash of them
    takes longer than all else when a model is loaded. Damage is holes, bits that flip,
    and parts that stand where others should: all of these change a sum.
    """

    size = hashlib.sha256().digest_size

    def __init__(self, texts: Mapping[str, str]) -> None:
        """The digest of a file with these texts, to which nothing was added."""
        self._hash = hashlib.sha256()
        for name, text in sorted(texts.items()):
            self._add(name.encode())
            self._add(text.encode())

    def add_piece(self, piece: Bytes) -> None:
        """Adds the next piece of the constants."""
        whole = piece.size // (8 * ROW) * (8 * ROW)
        table = piece[:whole].view(np.uint64).reshape(-1, ROW)
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
