"""
Artifacts: a compiled model in one file, from which it runs and is not compiled again.

The file is a safetensors file. It holds the objects of the program as they are linked,
the block of constants as it is mapped into memory, and the `Program` as text. There is
nothing in it that is executed while it is read.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from .program import Program
from .safetensors import SafetensorsError, read, write

Bytes = npt.NDArray[np.uint8]


@dataclass(frozen=True)
class Artifact:
    """A compiled model, before its code is linked."""

    program: Program
    objects: Sequence[bytes]
    constants: Bytes
    notes: dict[str, Any]
    """What the compiler wants to know of it again; JSON values."""


class ArtifactError(ValueError):
    """A file that is no artifact, or not a whole one."""


def save(path: Path, artifact: Artifact) -> None:
    """Writes an artifact; all of it, or nothing."""
    arrays: dict[str, Bytes] = {"constants": artifact.constants}
    for number, each in enumerate(artifact.objects):
        arrays[object_name(number)] = np.frombuffer(each, np.uint8)
    metadata = {
        "program": artifact.program.to_json(),
        "notes": json.dumps(artifact.notes),
    }
    write(path, arrays, metadata | {"digest": digest(arrays, metadata)})


def load(path: Path) -> Artifact:
    """The artifact in a file; raises `ArtifactError` when there is none."""
    try:
        arrays, metadata = read(path)
        expected = metadata.pop("digest")
        if digest(arrays, metadata) != expected:
            raise ArtifactError("a file that was changed since it was written")
        program = Program.from_json(metadata["program"])
        notes = json.loads(metadata["notes"])
        constants = arrays.pop("constants")
        objects = [
            arrays[name].tobytes() for name in map(object_name, range(len(arrays)))
        ]
    except (OSError, KeyError, SafetensorsError, ValueError) as error:
        raise ArtifactError(f"{path}: expected an artifact, got {error}") from error
    return Artifact(program, objects, constants, notes)


def object_name(number: int) -> str:
    """The name of an object in the file."""
    return f"object.{number}"


def digest(arrays: Mapping[str, Bytes], texts: Mapping[str, str]) -> str:
    """A hash of all that a file holds, so that no damaged code or weight is used."""
    result = hashlib.sha256()
    for name, text in sorted(texts.items()):
        for part in (name, text):
            data = part.encode()
            result.update(len(data).to_bytes(8, "little") + data)
    for name, array in sorted(arrays.items()):
        result.update(f"{name} {array.dtype} {array.shape} ".encode())
        result.update(array.reshape(-1).view(np.uint8).data)
    return result.hexdigest()
