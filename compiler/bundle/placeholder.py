"""`Placeholder`: an input or an output of a bundle, and where it is."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from math import prod

from ...runtime.abi import aligned, stored_dtype
from ...runtime.program import Size, TensorInfo
from ..session import CompileError
from .c_names import identifier_of

MACROS = (
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
    shape: tuple[Size, ...]
    offset: int
    """Zero for a size that only a plan knows."""

    @property
    def elements(self) -> int:
        """How many elements it has; zero where a plan says it."""
        known = [each for each in self.shape if isinstance(each, int)]
        return prod(known) if len(known) == len(self.shape) else 0

    @property
    def nbytes(self) -> int:
        """How many bytes it has; zero where a plan says it."""
        return self.elements * stored_dtype(self.dtype).itemsize

    @property
    def text(self) -> str:
        """Its dtype and shape, for readers."""
        return f"{self.dtype}, {' x '.join(map(str, self.shape)) or 'scalar'}"


def place(tensors: Iterable[TensorInfo], is_open: bool) -> tuple[Placeholder, ...]:
    """
    Tensors one after the other, of known sizes unless the model `is_open`.

    Raises `CompileError` when two have one name in C.
    """
    made: list[Placeholder] = []
    taken = dict.fromkeys(MACROS, "a macro of the bundle")
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
        start = 0 if is_open else offset
        made.append(Placeholder(each.name, identifier, each.dtype, each.shape, start))
        offset = aligned(offset + made[-1].nbytes)
    return tuple(made)
