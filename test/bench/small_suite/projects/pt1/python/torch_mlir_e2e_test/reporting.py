"""How values differ."""

from __future__ import annotations

from typing import Any, NamedTuple

import torch


class ErrorContext:
    """Where a value is."""

    @staticmethod
    def empty() -> ErrorContext:
        """Nowhere."""
        return ErrorContext()


class ValueReport(NamedTuple):
    """A value beside the one that is expected."""

    value: Any
    golden: Any
    context: ErrorContext

    @property
    def failed(self) -> bool:
        """Whether they differ."""
        return type(self.value) is not type(self.golden) or not torch.allclose(
            torch.as_tensor(self.value), torch.as_tensor(self.golden)
        )

    def error_str(self) -> str:
        """How they differ."""
        return f"{self.value} is not {self.golden}"
