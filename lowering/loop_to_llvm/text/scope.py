"""
The values that a kernel's ops have while their text is written, and in which lanes.

A scope is entered by `with`, and left as it was: what is defined inside of a loop, a
lane or a register tile is unknown after it.

    with scope.inner(Lanes(index, 8)):
        scope.define(index, Value(...))
"""

from __future__ import annotations

from contextlib import AbstractContextManager
from dataclasses import dataclass
from types import TracebackType

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

    def inner(self, lanes: Lanes | None = None) -> AbstractContextManager[None]:
        """A scope inside of this one, in these lanes if they are others."""
        return _Inner(self, lanes)

    def enter(self, lanes: Lanes | None) -> tuple[int, Lanes]:
        """Begins a scope inside of this one; what `leave` is told of this one."""
        outer = len(self._outer), self._lanes
        if lanes is not None:
            self._lanes = lanes
        return outer

    def leave(self, outer: tuple[int, Lanes]) -> None:
        """Ends a scope: the one around is as it was."""
        depth, self._lanes = outer
        while len(self._outer) > depth:
            value, hidden = self._outer.pop()
            if hidden is None:
                del self._values[value]
            else:
                self._values[value] = hidden


class _Inner(AbstractContextManager[None]):
    """A scope that is entered once, by `with`."""

    # Without a generator, since each scalar op that is written has such a scope.
    __slots__ = ("lanes", "outer", "scope")

    def __init__(self, scope: Scope, lanes: Lanes | None):
        self.scope, self.lanes = scope, lanes

    def __enter__(self) -> None:
        self.outer = self.scope.enter(self.lanes)

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.scope.leave(self.outer)
