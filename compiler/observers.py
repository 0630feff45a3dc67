"""The traces that are open, and the modules whose calls they note."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from copy import copy
from dataclasses import dataclass, field, replace
from pathlib import Path
from threading import Thread, current_thread
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias
from weakref import WeakKeyDictionary

import numpy as np
import numpy.typing as npt

from ..runtime.call import CompiledModule, StaticModule
from ..runtime.library import Artifact
from ..runtime.plan import LOCK
from .building import alone
from .recipe import ModuleRecipe
from .session import CompileError, CompileReport, Given, Options

if TYPE_CHECKING:
    from .ir import Traced

_LONGEST_TEXT = 2**20
"""Characters of a text that is kept as long as its module."""


class Observer(Protocol):
    """Who is told of what is compiled while a block of a thread lasts: a trace."""

    thread: Thread

    def add(self, traced: Traced) -> None:
        """Notes a model whose calls set marks."""
        ...


Observers: TypeAlias = tuple[Observer, ...]


class Compilation(Protocol):
    """What compiles a model, so that calls of it are noted by observers."""

    model: Any
    options: Options
    observers: Observers
    after_pass: Any
    is_profiled: bool
    """Whether calls of kernels note how long they took."""

    def observed_by(self, observers: Observers) -> Compilation:
        """The same compilation, for other observers."""
        ...

    def key_of_file(self) -> str | None:
        """The key of the model, if it is a file or a text."""
        ...

    def make(self, key: str | None) -> CompiledModule:
        """The compiled model."""
        ...

    def made(self, key: str | None) -> tuple[Artifact, CompileReport]:
        """The artifact of the model, and what it took."""
        ...


@dataclass
class _Known:
    """How a module was compiled, and others that answer its calls while blocks last."""

    observers: Observers
    """Who is told by the marks of the module itself."""

    compilation: Compilation | None
    """None where that would keep a model in memory."""

    key: str | None
    """That of the file as it was compiled, if it was hashed."""

    twins: dict[Observers, StaticModule] = field(
        default_factory=dict[Observers, StaticModule]
    )


_known: WeakKeyDictionary[CompiledModule, _Known] = WeakKeyDictionary()
_open: Observers = ()
"""At most one for each thread."""


def observers() -> Observers:
    """Who notes what this thread does: its own observer, or else all of them."""
    found = _open
    return _own(found) or found


def _own(found: Observers) -> Observers:
    """The observer of this thread, if it has one."""
    return tuple(each for each in found if each.thread is current_thread())


@contextmanager
def observing(observer: Observer) -> Generator[None]:
    """Lets the thread of an observer have it, and other threads that have none."""
    with LOCK:
        if any(each.thread is observer.thread for each in _open):
            raise CompileError(
                "expected one trace at a time in a thread, got another one in its block"
            )
        _set_open((*_open, observer))
    try:
        yield
    finally:
        with LOCK:
            _set_open(tuple(each for each in _open if each is not observer))


def _set_open(found: Observers) -> None:
    """Notes who is there from now on; the lock is held."""
    global _open
    _open = found
    for module, known in list(_known.items()):
        module.answer_by(_twin_of if found else None)
        known.twins = {
            key: twin for key, twin in known.twins.items() if {*key} <= {*found}
        }


def marks_of(
    artifact: Artifact, target: str, observers: Observers
) -> npt.NDArray[np.uint8] | None:
    """What calls of an artifact set, once its observers know it; None without some."""
    if not observers:
        return None
    from .ir import Traced

    traced = Traced.of(artifact.notes, artifact.program, target)
    for each in observers:
        each.add(traced)
    return traced.marks


def note_module(
    module: CompiledModule, compilation: Compilation, key: str | None
) -> None:
    """Notes what a module was compiled by."""
    model = compilation.model
    is_short = isinstance(model, str) and len(model) < _LONGEST_TEXT
    is_kept = isinstance(model, Path) or is_short
    again = compilation if is_kept else None
    with LOCK:
        _known[module] = _Known(compilation.observers, again, key)
        if _open:
            module.answer_by(_twin_of)


def note_sibling(
    made: CompiledModule, module: CompiledModule, options: Options
) -> None:
    """Notes that a module was compiled as another that is known, if it is."""
    if (known := _known.get(module)) is None:
        return
    compilation = copy(known.compilation)
    if compilation is not None:
        compilation.options = options
    with LOCK:
        _known[made] = replace(known, compilation=compilation, twins={})
        if _open:
            made.answer_by(_twin_of)


def compilation_of(module: StaticModule) -> Compilation:
    """
    How a module was compiled, with its file or text, or else with the model as its
    front end made it. Raises `CompileError` where that is not there any more, or not as
    it was, and `OSError` for its file.
    """
    if not isinstance(module, CompiledModule) or module not in _known:
        raise CompileError(
            f"expected a module that compile made here of one model, got {module!r}"
        )
    known = _known[module]
    if known.compilation is not None:
        _check_file(known, known.compilation, repr(module))
        return known.compilation
    assert isinstance(module.recipe, ModuleRecipe), "a known module has one"
    made: Any = copy(module.recipe.compilation)
    made.model = module.recipe.model()
    made.example_inputs = made.dynamic_shapes = None
    made.given = Given.of(made.options)
    return made


def _check_file(known: _Known, compilation: Compilation, name: str) -> None:
    """Raises `CompileError` where a file is not what was compiled."""
    if known.key is not None and compilation.key_of_file() != known.key:
        raise CompileError(
            f"expected the file that {name} was compiled from, got one that "
            "was changed since; compile it again"
        )


def _twin_of(module: CompiledModule) -> StaticModule | None:
    """
    What answers a call of a module so that it is noted; None for the module itself.

    Raises `CompileError` and `OSError` in the thread of a block alone: whoever traces
    nothing has an answer all the same.
    """
    found, known = observers(), _known[module]
    if not found or {*found} == {*known.observers} & {*_open}:
        return None
    try:
        if (twin := known.twins.get(found)) is None:
            with alone():
                twin = known.twins.get(found)
                twin = twin or _compiled(known, found, repr(module))
        return twin
    except (CompileError, OSError):
        if _own(found):
            raise
        return None


def _compiled(known: _Known, found: Observers, name: str) -> StaticModule:
    """A module that tells observers; raises `CompileError` where none can be made."""
    compilation = known.compilation
    if compilation is None:
        raise CompileError(
            "expected a module that is compiled in the block of the trace, or from "
            f"a file or a short text, got {name} of another model"
        )
    _check_file(known, compilation, name)
    made = compilation.observed_by(found)
    module = made.make(made.key_of_file())
    with LOCK:
        if {*found} <= {*_open}:
            known.twins[found] = module
    return module
