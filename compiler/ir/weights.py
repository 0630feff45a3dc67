"""
The weight store: large tensors of a model by name, beside its IR.

The IR names an entry (`graph.weight "fc.weight"`), so that IR stays small however large
the model is. A module in text names its file of weights, a safetensors file in its own
folder:

    builtin.module attributes {graph.weights = "model.safetensors"} { ... }
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Hashable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from xdsl.dialects.builtin import ModuleOp, StringAttr

from ...dialects import Array
from ...runtime.files import OutsideError, SafetensorsError, reason, shortened, write
from ..session import ModelFileError, WeightFile, digest_of_arrays

WEIGHTS = "graph.weights"
"""The attribute of a module that names its file of weights."""


class WeightStore:
    """Tensors by name; each is never changed once it is here."""

    def __init__(self) -> None:
        """A store without entries."""
        self.arrays: dict[str, Array] = {}
        self._numbers: dict[str, int] = {}
        self._names: dict[tuple[str, int], str] = {}
        self._derived: dict[Hashable, Sequence[Array]] = {}
        self._recipes: dict[int, Hashable] = {}
        """The recipe of each derived array, by its id."""
        self._forgotten = set[str]()
        self._hashed: tuple[dict[str, Array], str] | None = None
        self.files: dict[str, dict[str, Any]] = {}
        """
        The files in the model's folder that entries come from, by name, and what was
        read of each (`WeightFile.note`).
        """

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
        while name in self.arrays or name in self._forgotten:
            number += 1
            name = f"{key}_{number}"
        self._numbers[key] = number
        self._names[key, id(array)] = name
        self.arrays[name] = array
        return name

    @contextmanager
    def attempt(self) -> Generator[None]:
        """A context whose entries are gone again where an exception leaves it."""
        held: list[dict[Any, Any]] = [
            *(self.arrays, self._numbers, self._names, self._derived, self._recipes)
        ]
        before = [dict(each) for each in held]
        try:
            yield
        except BaseException:
            for each, saved in zip(held, before, strict=True):
                each.clear()
                each.update(saved)
            raise

    def derived(
        self, recipe: Hashable, make: Callable[[], Sequence[Array]]
    ) -> Sequence[Array]:
        """
        The arrays that `make` returns, which is called once for equal recipes: these
        name the entries that it reads, and what it does with them.
        """
        if recipe not in self._derived:
            made = self._derived[recipe] = make()
            self._recipes |= {id(each): recipe for each in made}
        return self._derived[recipe]

    def forget(self, key: str) -> None:
        """
        Removes an entry that no op names any more, and with it what it was derived by.
        No other entry gets its name, so that recipes which have that stay right.
        """
        array = self.arrays.pop(key)
        self._forgotten.add(key)
        self._derived.pop(self._recipes.pop(id(array), None), None)

    def drop(self, key: str) -> None:
        """Removes an entry that nothing reads any more."""
        del self.arrays[key]
        # Another entry may get its name.
        self._derived.clear()
        self._recipes.clear()

    def load(self, folder: Path, name: str) -> None:
        """Adds the entries of a safetensors file in the folder of a model."""
        source = WeightFile(folder, name)
        try:
            with source.open() as file:
                self.arrays.update(source.read_safetensors(file))
        except SafetensorsError as error:
            raise ModelFileError(f"weights {folder / name}: {error}") from error
        self.files[name] = source.note

    def save(self, path: Path | str) -> None:
        """Writes every entry to a safetensors file; all of it, or nothing."""
        write(Path(path), self.arrays, {})

    def digest(self) -> str:
        """A hash of every entry: names, dtypes, shapes and bytes."""
        arrays = dict(self.arrays)
        self._hashed = arrays, digest_of_arrays(arrays)
        return self._hashed[1]

    def is_as_hashed(self) -> bool:
        """
        Whether the weights are unchanged since `digest` hashed them, if it did.

        The weights of a framework are in memory that others may write to.
        """
        return (
            self._hashed is None or digest_of_arrays(self._hashed[0]) == self._hashed[1]
        )


def load_sidecar(module: ModuleOp, file: Path, weights: WeightStore) -> None:
    """Loads the file of weights that `module`, read from `file`, names, if any."""
    name = module.attributes.get(WEIGHTS)
    if name is None:
        return
    if not isinstance(name, StringAttr):
        raise ModelFileError(f"{file}: expected {WEIGHTS} to be a string, got {name}")
    try:
        weights.load(file.parent, name.data)
    except OutsideError as error:
        raise ModelFileError(
            f"{file}: expected weights in the folder of the model, got "
            f"{shortened(name.data)}, {reason(error)}"
        ) from error
    except (OSError, RuntimeError, ValueError) as error:
        if isinstance(error, ModelFileError):
            raise
        got = reason(error) if isinstance(error, OSError) else error
        raise ModelFileError(
            f"{file}: expected its weights in {shortened(name.data)} beside it, got "
            f"{got}"
        ) from error
