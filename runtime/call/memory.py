"""Say what memory was for, where there is none."""

from __future__ import annotations

from contextlib import AbstractContextManager
from dataclasses import dataclass
from types import TracebackType


@dataclass(frozen=True)
class NoMemory(AbstractContextManager[None]):
    """Says in a `MemoryError` of its block what the memory was for."""

    what: str

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Raises `MemoryError` with a sentence in the place of one without."""
        if isinstance(error, MemoryError):
            raise MemoryError(f"expected memory for {self.what}, got none") from error
