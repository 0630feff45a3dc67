"""What an op needs of sizes that only a run knows."""

from __future__ import annotations

from dataclasses import dataclass

from ..agreement import Agreement
from ..dims import Dim


@dataclass(frozen=True)
class Requirement:
    """The condition that a quantity computed from sizes is not negative."""

    value: Dim
    message: str
    """The error message when it is negative."""

    sizes: tuple[Dim, ...] = ()
    """The sizes whose values the message shows; two of them, or none."""

    @staticmethod
    def of(agreement: Agreement) -> Requirement:
        """The condition that two sizes agree, as was assumed."""
        return Requirement(agreement.quantity, agreement.message, agreement.sizes)
