"""
`Trace`: note what models execute while a block lasts.

    with sr.trace() as t:
        module(x)
    t.write("ops.yaml")

A module that is compiled in the block marks its calls. For one that was compiled
before, another one, which does, answers the calls in the block: it is compiled from the
same file or text, when the first call comes.
"""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path
from threading import Lock, current_thread
from types import TracebackType

from ...runtime.files import atomic_file, followed
from ...runtime.library import Selection
from ..ir import Traced
from ..observers import observing
from ..selective import merge, yaml_of
from ..session import CompileError


class Trace:
    """What models executed in a block, as the selection of a selective build."""

    def __init__(self) -> None:
        """A trace of nothing yet."""
        self.thread = current_thread()
        self._traced: list[Traced] = []
        self._lock = Lock()
        self._block = ExitStack()
        self._ended: Selection | None = None

    @classmethod
    def of(cls, selection: Selection) -> Trace:
        """A trace that has ended with this selection."""
        made = cls()
        made._ended = selection
        return made

    def __enter__(self) -> Trace:
        if self._ended is not None:
            raise CompileError(
                "expected a new trace for each block, got one that ended"
            )
        self.thread = current_thread()
        self._block.enter_context(observing(self))
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
        with atomic_file(followed(Path(path))) as file:
            file.write(text.encode())

    def add(self, traced: Traced) -> None:
        """Notes a model that was compiled."""
        with self._lock:
            self._traced.append(traced)
