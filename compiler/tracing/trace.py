"""
`trace`: note what models execute while a block lasts.

    with sr.trace() as t:
        module(x)
    t.write("ops.yaml")

A module that is compiled in the block marks its calls. For one that was compiled
before, another one, which does, answers the calls in the block: it is compiled from the
same file or text, when the first call comes.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType
from typing import Any

from ...runtime import StaticModule, atomic_file
from ..compile import Compilation
from ..errors import CompileError
from ..observers import Origin, observing, origins
from ..selective import Selection, merge, yaml_of
from .compilation import Traced, TracedCompilation


class Trace:
    """What models executed in a block, as the selection of a selective build."""

    def __init__(self) -> None:
        """A trace of nothing yet."""
        self._traced: list[Traced] = []
        self._lock = threading.Lock()
        self._block = ExitStack()
        self._ended: Selection | None = None

    def __enter__(self) -> Trace:
        if self._ended is not None:
            raise CompileError(
                "expected a new trace for each block, got one that ended"
            )
        self._block.enter_context(observing(self._in_place_of))
        for module, origin in origins():
            module.answer_by(_Twin(self, module, origin))
            self._block.callback(module.answer_by, None)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._ended = self.selection
        self._block.close()

    @property
    def selection(self) -> Selection:
        """What was executed so far, or until the block ended."""
        if self._ended is not None:
            return self._ended
        with self._lock:
            return merge(each.selection() for each in self._traced)

    def write(self, path: str | Path) -> None:
        """
        Writes the selection as YAML, as a whole or not at all.

        Raises `ValueError` without the package that writes YAML, and `OSError`.
        """
        text = yaml_of(self.selection)
        with atomic_file(Path(path).resolve()) as file:
            file.write(text.encode())

    def traced(self, compilation: Compilation) -> StaticModule:
        """The module of a compilation, whose calls are noted."""
        return self._in_place_of(compilation).run_alone()

    def _in_place_of(self, compilation: Compilation) -> TracedCompilation:
        """The compilation that is traced, in place of another one."""
        return TracedCompilation(compilation, self._add)

    def _add(self, traced: Traced) -> None:
        """Notes a model that was compiled."""
        with self._lock:
            self._traced.append(traced)


class _Twin:
    """Answers the calls of a module in a block, by one that marks its calls."""

    def __init__(self, trace: Trace, module: StaticModule, origin: Origin | None):
        self.trace, self.origin = trace, origin
        self.name = repr(module)
        self.lock = threading.Lock()
        self.module: Callable[..., Any] | None = None

    def __call__(self, /, *arguments: Any, **named: Any) -> Any:
        """What the module would return."""
        with self.lock:
            if self.module is None:
                self.module = self.trace.traced(self.compilation())
        return self.module(*arguments, **named)

    def compilation(self) -> Compilation:
        """What compiles the module again; raises `CompileError` where nothing can."""
        if self.origin is None:
            raise CompileError(
                "expected a module that is compiled in the block of the trace, or from "
                f"a file or a short text, got {self.name} of another model"
            )
        if self.origin.is_changed():
            raise CompileError(
                f"expected the file that {self.name} was compiled from, got one that "
                "was changed since; compile it in the block of the trace"
            )
        return self.origin.compilation


def trace() -> Trace:
    """
    A block in which what models execute is noted: `with sr.trace() as t: module(x)`.

    Then `t.selection` says it, and `t.write(path)` writes the YAML of a selective
    build. Raises `CompileError` inside of the block of another one.
    """
    return Trace()
