"""Keep what is raised below compiled code, as nothing may be raised through it."""

from __future__ import annotations

from contextlib import AbstractContextManager
from dataclasses import dataclass
from types import TracebackType
from typing import Protocol


class KeepsError(Protocol):
    """What an error is kept in, and raised from later."""

    error: BaseException | None


@dataclass(frozen=True)
class KeptError(AbstractContextManager[None]):
    """Keeps what its block raises, if anything, in an object."""

    keeper: KeepsError

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> bool:
        """Keeps the error, or that there is none."""
        self.keeper.error = error
        return error is not None
