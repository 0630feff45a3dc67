"""`Form`: what a call gives for an input that is a sequence or an optional."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

CONTAINER = "sequence or optional"
"""What stands in the place of the dtype of such an input."""


@dataclass(frozen=True)
class Form:
    """How many arrays there are, and in which shapes; a model is compiled for it."""

    shapes: tuple[tuple[int, ...], ...] | None
    """The shape of each array; None for an optional without a value."""

    is_list: bool = False

    @staticmethod
    def of(value: Any) -> Form:
        """The form of what a call gives: arrays in a list, one array, or None."""
        if value is None:
            return Form(None)
        if isinstance(value, list | tuple):
            parts: list[Any] = [*value]
            return Form(tuple(np.shape(each) for each in parts), True)
        return Form((np.shape(value),))
