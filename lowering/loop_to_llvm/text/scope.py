"""
The values that a kernel's ops have while their text is written, and in which lanes.

A scope is entered by `with`, and left as it was: what is defined inside of a loop, a
lane or a register tile is unknown after it.

    with scope.inner(Lanes(index, 8)):
        scope.define(index, Value(...))
"""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass

from xdsl.dialects.builtin import IndexType
from xdsl.ir import SSAValue

from .types import Value


@dataclass(frozen=True)
class Lanes:
    """Successive values of one loop index that ops are written for side by side."""

    index: SSAValue | None = None
    count: int = 1
    offset: int = 0
    """How many values of the index one step of the loop has before the first lane."""
    mask: str = ""
    """Which lanes load and store, where not all do; the first does."""

    def vary(self, index: SSAValue) -> bool:
        """Whether an index has another value in each lane."""
        return self.count > 1 and index is self.index


_INDEX = IndexType()

SCALAR = Lanes()
"""One lane: every op is written for one value of each index."""


class Scope:
    """The text of each SSA value that is defined here or in a scope around."""

    def __init__(self):
        self._values: dict[SSAValue, Value] = {}
        self._outer: list[tuple[SSAValue, Value | None]] = []
        """What each definition hides, the latest last."""
        self._lanes = SCALAR

    @property
    def lanes(self) -> Lanes:
        """The lanes that ops are written for."""
        return self._lanes

    def __getitem__(self, value: SSAValue) -> Value:
        return self._values[value]

    def __contains__(self, value: SSAValue) -> bool:
        return value in self._values

    def define(self, value: SSAValue, text: Value) -> None:
        """Gives a value its text, until the scope is left."""
        self._outer.append((value, self._values.get(value)))
        self._values[value] = text

    def set_index(self, index: SSAValue, text: str) -> None:
        """Gives an index the text of an i64, until the scope is left."""
        self.define(index, Value(text, _INDEX))

    @contextmanager
    def inner(self, lanes: Lanes | None = None) -> Generator[None]:
        """A scope inside of this one, in these lanes if they are others."""
        depth, outer = len(self._outer), self._lanes
        self._lanes = outer if lanes is None else lanes
        try:
            yield
        finally:
            self._lanes = outer
            while len(self._outer) > depth:
                value, hidden = self._outer.pop()
                if hidden is None:
                    del self._values[value]
                else:
                    self._values[value] = hidden
