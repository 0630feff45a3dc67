"""`OpWriter`: what writers of ops with regions share."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from xdsl.ir import Operation

from ..text.function import FunctionWriter
from ..text.memory_access import MemoryAccess
from ..text.scope import Scope


@dataclass(frozen=True)
class OpWriter:
    """Writes ops of one kernel, whose regions `write_ops` writes."""

    memory: MemoryAccess
    write_ops: Callable[[Iterable[Operation]], None]

    @property
    def w(self) -> FunctionWriter:
        """The function that is written."""
        return self.memory.w

    @property
    def scope(self) -> Scope:
        """The values that are known where ops are written."""
        return self.memory.scope
