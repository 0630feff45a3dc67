"""How updates change a tensor at indexed positions."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, cast, get_args

import numpy as np
from xdsl.utils.exceptions import VerifyException

from ...shape import Array, Tensor
from ..nest import Combiner

COMBINE: Mapping[str, Callable[..., Any]] = {
    "add": np.add.at,
    "mul": np.multiply.at,
    "max": np.maximum.at,
    "min": np.minimum.at,
}
"""The numpy functions that combine updates with elements, in order."""


def combiner(reduction: str) -> Combiner | None:
    """How an update is combined with an element; None when it replaces it."""
    return None if reduction == "none" else cast(Combiner, reduction)


def require_update(input: Tensor, updates: Tensor, reduction: str) -> None:
    """Raises `VerifyException` when `updates` cannot update elements of `input`."""
    if reduction not in (known := ("none", *get_args(Combiner))):
        raise VerifyException(
            f"expected a reduction {', '.join(known)}, got {reduction}"
        )
    if input.element_type != updates.element_type:
        raise VerifyException(
            f"expected updates of one dtype with the input, got {input} and {updates}"
        )


def update(
    input: Array, at: tuple[Array, ...], updates: Array, reduction: str
) -> Array:
    """A copy of `input` with the updates applied in order at the indices `at`."""
    result = input.copy()
    if reduction == "none":
        result[at] = updates
    else:
        COMBINE[reduction](result, at, updates)
    return result
