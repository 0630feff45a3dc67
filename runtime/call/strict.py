"""Refuse calls of a strict module that would copy; its table of plans refuses sizes."""

from __future__ import annotations

from collections.abc import Set
from typing import Any, TypeAlias, cast

import numpy as np
import numpy.typing as npt

from ..program import TensorInfo

Array: TypeAlias = npt.NDArray[Any]


def refuse_copy(value: Any, array: Array, info: TensorInfo) -> None:
    """Raises `RuntimeError` where an array is not the memory that was passed."""
    if isinstance(value, np.ndarray):
        given = cast("Array", value)
        is_copy = array.ctypes.data != given.ctypes.data or given.dtype != array.dtype
        got = f"{given.dtype} with strides {given.strides}"
    else:
        # What comes in through DLPack is memory of another library.
        is_copy = array.flags.owndata
        got = f"{type(value).__name__}"
    if is_copy:
        raise RuntimeError(
            f"input {info.shown}: expected an array of {info.dtype} in rows, as "
            f"strict=True allows no copy, got {got}; convert it before the call with "
            f"numpy.ascontiguousarray(..., {info.dtype!r})"
        )


def refuse_shared(inputs: Set[int]) -> None:
    """Raises `RuntimeError` where inputs of these numbers share memory with `out=`."""
    if inputs:
        raise RuntimeError(
            "out: expected no memory of inputs but such as is donated, as strict=True "
            f"allows no copy, got memory of input {min(inputs)}; give other arrays"
        )
