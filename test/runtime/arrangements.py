"""The elements of an array in other arrangements, and whether two are the same."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]


class Tensor:
    """A tensor of another library, which lends its memory through DLPack."""

    def __init__(self, array: Array, error: Exception | None = None):
        """A tensor on the memory of an array, or one that raises `error` instead."""
        self.array = array
        self.error = error

    def __dlpack__(self, **options: Any) -> Any:
        """The capsule, or the error that the library raises."""
        if self.error is not None:
            raise self.error
        return self.array.__dlpack__(**options)

    def __dlpack_device__(self) -> tuple[int, int]:
        """The CPU."""
        return self.array.__dlpack_device__()


def arrangements(array: Array) -> dict[str, Array]:
    """The elements of an array of two axes, in every arrangement there is."""
    wide = np.zeros((array.shape[0] * 2, array.shape[1] * 3), array.dtype)
    wide[::2, ::3] = array
    room = np.zeros(array.nbytes + 1, np.uint8)
    odd = room[1:].view(array.dtype).reshape(array.shape)
    odd[...] = array
    fixed = array.copy()
    fixed.flags.writeable = False
    records = np.zeros(array.shape, [("a", array.dtype), ("b", "i1")])
    records["a"] = array
    return {
        "in rows": array.copy(),
        "in columns": np.asfortranarray(array),
        "strided": wide[::2, ::3],
        "reversed": array[::-1, ::-1].copy()[::-1, ::-1],
        "broadcast": np.broadcast_to(array, (2, *array.shape))[1],
        "of other byte order": array.astype(array.dtype.newbyteorder()),
        "misaligned": odd,
        "for reading": fixed,
        "in records": records["a"],
        "a matrix": array.view(np.matrix),
        "in a file": array.view(np.memmap),
        "masked": array.view(np.ma.MaskedArray),
        "with a copied dtype": array.astype(np.dtype(array.dtype, copy=True)),
    }


ARRANGEMENTS = tuple(arrangements(np.zeros((1, 1))))
"""The names of all arrangements."""


def same(actual: Any, expected: Any) -> None:
    """Fails unless an array is a plain one of the same dtype, shape and bits."""
    assert type(actual) is np.ndarray
    result: Array = actual
    assert result.dtype == expected.dtype
    assert result.shape == expected.shape
    assert result.flags.c_contiguous
    assert result.tobytes() == expected.tobytes()
