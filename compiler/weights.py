"""
The weight store: large tensors of a model by name, beside its IR.

The IR names an entry (`graph.weight "fc.weight"`), so that IR stays small however large
the model is. A module in text names its file of weights, a safetensors file in its own
folder:

    builtin.module attributes {graph.weights = "model.safetensors"} { ... }
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from xdsl.dialects.builtin import ModuleOp, StringAttr

from ..dialects.graph.shape import Array
from ..runtime.safetensors import SafetensorsError, read, write
from .errors import ModelFileError

KEY = "graph.weights"
"""The attribute of a module that names its file of weights."""


class WeightStore:
    """Tensors by name; each is never changed once it is here."""

    def __init__(self) -> None:
        """A store without entries."""
        self.arrays: dict[str, Array] = {}
        self._numbers: dict[str, int] = {}
        self._names: dict[tuple[str, int], str] = {}
        self.files: list[Path] = []
        """The files that entries come from, besides that of the model itself."""

    def __getitem__(self, key: str) -> Array:
        return self.arrays[key]

    def __contains__(self, key: object) -> bool:
        return key in self.arrays

    def __iter__(self) -> Iterator[str]:
        return iter(self.arrays)

    def __len__(self) -> int:
        return len(self.arrays)

    def put(self, key: str, array: Array) -> str:
        """Adds an entry; the name that it got, which differs from `key` if taken."""
        name = self._names.get((key, id(array)), key)
        if self.arrays.get(name) is array:
            return name
        # The next of this key need not ask for those that are taken.
        name, number = key, self._numbers.get(key, 0)
        while name in self.arrays:
            number += 1
            name = f"{key}_{number}"
        self._numbers[key] = number
        self._names[key, id(array)] = name
        self.arrays[name] = array
        return name

    def drop(self, key: str) -> None:
        """Removes an entry that nothing reads any more."""
        del self.arrays[key]

    def load(self, path: Path) -> None:
        """Adds the entries of a safetensors file, mapped into memory."""
        try:
            arrays, _ = read(path)
        except (OSError, SafetensorsError) as error:
            raise ModelFileError(f"weights {path}: {error}") from error
        self.arrays.update(arrays)
        self.files.append(path)

    def save(self, path: Path | str) -> None:
        """Writes every entry to a safetensors file; all of it, or nothing."""
        write(Path(path), self.arrays, {})

    def digest(self) -> str:
        """A hash of every entry: names, dtypes, shapes and bytes."""
        result = hashlib.sha256()
        for name in sorted(self.arrays):
            array = self.arrays[name]
            result.update(f"{name} {array.dtype} {array.shape}\n".encode())
            result.update(np.ascontiguousarray(array).reshape(-1).view(np.uint8).data)
        return result.hexdigest()


def load_sidecar(module: ModuleOp, file: Path, weights: WeightStore) -> None:
    """Loads the file of weights that `module`, read from `file`, names, if any."""
    name = module.attributes.get(KEY)
    if name is None:
        return
    if not isinstance(name, StringAttr):
        raise ModelFileError(f"{file}: expected {KEY} to be a string, got {name}")
    folder = file.resolve().parent
    try:
        sidecar = (folder / name.data).resolve()
        is_file = sidecar.is_file()
    except (OSError, RuntimeError, ValueError) as error:
        # Too long, a link to itself, or with a character that no name has.
        raise ModelFileError(
            f"{file}: expected the name of a file of weights, got {name}: {error}"
        ) from error
    if not sidecar.is_relative_to(folder):
        raise ModelFileError(
            f"{file}: expected weights in the folder of the model, got {name.data}"
        )
    if not is_file:
        raise ModelFileError(
            f"{file}: expected its weights in {sidecar.name} beside it, got no such "
            "file"
        )
    weights.load(sidecar)
