"""Arrays of complex numbers, and arrays of their parts along a last axis."""

from __future__ import annotations

from typing import Any, cast

import numpy as np
import numpy.typing as npt

from ..files import shortened
from .dlpack import read_tensor

Array = npt.NDArray[Any]

_COMPLEX = {"float32": np.complex64, "float64": np.complex128}
"""The dtypes of complex numbers by those of their parts."""

_PARTS: dict[np.dtype[Any], str] = {
    np.dtype(each): part for part, each in _COMPLEX.items()
}


def from_pairs(parts: Array) -> Array:
    """The complex numbers whose parts are along the last axis of an array."""
    return np.ascontiguousarray(parts).view(_COMPLEX[parts.dtype.name])[..., 0]


def to_pairs(numbers: Any, name: str, part: str | None = None) -> Array:
    """
    The parts of complex numbers, of this dtype if one is given.

    As for other inputs, arrays must have a dtype that numpy casts safely; lists and
    numbers take the dtype. Raises `TypeError` for others, and `ValueError` for lists
    that are no array, or hold a number that the dtype cannot.
    """
    shown = f"input {shortened(name)}"
    wanted: np.dtype[Any] | None = None if part is None else np.dtype(_COMPLEX[part])
    array: Array
    is_typed = hasattr(numbers, "__dlpack__")
    try:
        if is_typed and not isinstance(numbers, np.ndarray | np.generic):
            array = read_tensor(numbers, "complex")
        else:
            array = np.asarray(cast(Any, numbers))
    except (BufferError, RuntimeError) as error:
        raise TypeError(f"{shown}: expected complex numbers, got {error}") from error
    except ValueError as error:
        raise ValueError(
            f"{shown}: expected rows of one length, got {error}"
        ) from error
    is_odd = wanted is None and array.dtype not in _PARTS
    if is_odd or array.dtype.kind not in "biufc":
        raise TypeError(f"{shown}: expected complex numbers, got {array.dtype}")
    if wanted is None:
        wanted = array.dtype
    if is_typed and not np.can_cast(array.dtype, wanted):
        raise TypeError(
            f"{shown}: expected {wanted}, got {array.dtype}; convert it with "
            f".astype({wanted.name!r}) if that is meant"
        )
    with np.errstate(over="ignore"):
        made = np.require(array, wanted, ("C_CONTIGUOUS", "ALIGNED"))
    if not is_typed and np.any(lost := ~np.isfinite(made) & np.isfinite(array)):
        raise ValueError(
            f"{shown}: expected numbers that {wanted} can hold, got {array[lost][0]}"
        )
    return made.reshape(*array.shape, 1).view(_PARTS[wanted])
