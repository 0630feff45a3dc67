"""Who is given every compilation to change, and what modules were compiled from."""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar
from weakref import WeakKeyDictionary

from ..runtime import StaticModule
from .errors import CompileError

_T = TypeVar("_T")

_observers: list[Callable[[Any], Any]] = []
"""At most one."""

_LONGEST_TEXT = 2**20
"""Characters of a text that is kept as long as its module."""


def observed(compilation: _T) -> _T:
    """The compilation that takes the place of one while it is observed, or itself."""
    for each in [*_observers]:
        compilation = each(compilation)
    return compilation


@contextmanager
def observing(observer: Callable[[Any], Any]) -> Generator[None]:
    """Lets an observer change every compilation that begins in the block."""
    if _observers:
        raise CompileError("expected one trace at a time, got another one in its block")
    _observers.append(observer)
    try:
        yield
    finally:
        _observers.remove(observer)


@dataclass(frozen=True)
class Origin:
    """What a module was compiled by, from a file or a short text."""

    compilation: Any
    key: str | None
    """That of the file as it was compiled, if it was hashed."""

    def is_changed(self) -> bool:
        """Whether the file is another one by now."""
        return self.key is not None and self.compilation.key_of_file() != self.key


_origins: WeakKeyDictionary[StaticModule, Origin | None] = WeakKeyDictionary()
"""What each module was compiled by; None where that would keep a model in memory."""


def note_origin(module: StaticModule, compilation: Any, key: str | None) -> None:
    """Notes what a module was compiled by."""
    model = compilation.model
    is_short = isinstance(model, str) and len(model) < _LONGEST_TEXT
    is_kept = isinstance(model, Path) or is_short
    _origins[module] = Origin(compilation, key) if is_kept else None


def origins() -> list[tuple[StaticModule, Origin | None]]:
    """The modules that there are, and what each was compiled by."""
    # Made at once, since other threads may compile meanwhile.
    found = [each() for each in _origins.keyrefs()]
    return [(each, _origins.get(each)) for each in found if each is not None]
