"""Arrays of complex numbers, and arrays of their parts along a last axis."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from ..files import shortened

Array = npt.NDArray[Any]

_COMPLEX = {"float32": np.complex64, "float64": np.complex128}
"""The dtypes of complex numbers by those of their parts."""

_PARTS = {np.dtype(each): part for part, each in _COMPLEX.items()}


def from_pairs(parts: Array) -> Array:
    """The complex numbers whose parts are along the last axis of an array."""
    return np.ascontiguousarray(parts).view(_COMPLEX[parts.dtype.name])[..., 0]


def to_pairs(numbers: Any, name: str) -> Array:
    """The parts of complex numbers; raises `TypeError` for an array of others."""
    array = np.asarray(numbers)
    if array.dtype not in _PARTS:
        raise TypeError(
            f"input {shortened(name)}: expected complex numbers, got {array.dtype}"
        )
    flat = np.ascontiguousarray(array).reshape(*array.shape, 1)
    return flat.view(_PARTS[array.dtype])
