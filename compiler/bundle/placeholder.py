"""`Placeholder`: an input or an output of a bundle, and where it is."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from math import prod

import numpy as np

from ...runtime import TensorInfo
from ..errors import CompileError

ALIGNMENT = 64
"""What the buffers of a bundle, and the offsets in them, are multiples of."""


_TAKEN = (
    *("CONSTANT_MEM_SIZE", "MUTABLE_MEM_SIZE", "ACTIVATIONS_MEM_SIZE", "MEM_ALIGN"),
    "BUNDLE_H",
)
"""Macros of a header that are no offsets."""


@dataclass(frozen=True)
class Placeholder:
    """A tensor in the mutable buffer."""

    name: str
    identifier: str
    dtype: str
    shape: tuple[int, ...]
    offset: int

    @property
    def elements(self) -> int:
        """How many elements it has."""
        return prod(self.shape)

    @property
    def nbytes(self) -> int:
        """How many bytes it has."""
        return self.elements * np.dtype(self.dtype).itemsize


def _aligned(size: int) -> int:
    """The least multiple of the alignment that is not less."""
    return -(-size // ALIGNMENT) * ALIGNMENT


def identifier_of(name: str) -> str:
    """The name with `_` in place of what C allows in no identifier."""
    made = re.sub(r"[^0-9A-Za-z_]", "_", name)
    return f"_{made}" if not made or made[0].isdigit() else made


def place(tensors: Iterable[TensorInfo]) -> tuple[Placeholder, ...]:
    """
    Tensors of known sizes one after the other.

    Raises `CompileError` when two have one name in C.
    """
    made: list[Placeholder] = []
    taken = dict.fromkeys(_TAKEN, "a macro of the bundle")
    offset = 0
    for each in tensors:
        identifier = identifier_of(each.name)
        # Macros are in capitals.
        if (other := taken.setdefault(identifier.upper(), each.name)) != each.name or (
            any(one.name == each.name for one in made)
        ):
            raise CompileError(
                "expected inputs and outputs whose names differ in C, got "
                f"{other} and {each.name}; rename one in the model"
            )
        shape = tuple(each.sizes({}))
        made.append(Placeholder(each.name, identifier, each.dtype, shape, offset))
        offset = _aligned(offset + made[-1].nbytes)
    return tuple(made)
