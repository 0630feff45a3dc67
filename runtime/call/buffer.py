"""
`Buffer`: memory in which an array grows along one axis, without copies of it.

An array that a call returned is a part of a buffer: its first rows. The next call
writes more rows behind it and returns a longer part, and those before stay as they are,
since no row is written twice. The *mark* says how many rows there are. Who appends to
an array takes the rows after it, which is only possible where it ends at the mark; of
two calls that continue one array, only one can, and the other copies it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias, cast
from weakref import ref

import numpy as np
import numpy.typing as npt

from .memory import NoMemory

Array: TypeAlias = npt.NDArray[Any]

_LEAST_ROWS = 64
"""The least that there is room for."""


def capacity_for(rows: int) -> int:
    """How many rows a buffer has room for that has some: a power of two."""
    return max(_LEAST_ROWS, 1 << (rows - 1).bit_length()) if rows else _LEAST_ROWS


class Buffer:
    """
    Rows along one axis of an array; the first ones are filled.

    What a caller has of it is an array on an array on the buffer, which shows no bytes
    by itself. Neither may be written: several of them are the same bytes.
    """

    def __init__(self, shape: Sequence[int], dtype: Any, axis: int, past: Array):
        """
        Room of this shape for rows along `axis`, with those of an array to begin with.
        """
        with NoMemory(f"a cache of shape {tuple(shape)}"):
            self.array: Array = np.empty(shape, dtype)
        self.axis = axis
        self.capacity = self.array.shape[axis]
        self._address = self.array.ctypes.data
        rows = past.shape[axis]
        _first_rows(self.array, axis, rows)[:] = past
        # It is taken out while somebody looks at it, which no two threads can do.
        self._mark = [rows]
        self._last: Callable[[], Array | None] = _none

    @property
    def __array_interface__(self) -> dict[str, Any]:
        """What numpy makes an array of that stands on the buffer."""
        return {
            "shape": self.array.shape,
            "typestr": self.array.dtype.str,
            "data": (self._address, True),
            "version": 3,
        }

    def whole(self) -> Array:
        """
        All of it, to cut the parts from that callers have. The buffer keeps no
        reference to it: Python does not find circles through arrays.
        """
        return np.asarray(self)

    def part(self, whole: Array, rows: int) -> Array:
        """The first rows of the array that is all of it."""
        made = _first_rows(whole, self.axis, rows)
        # What is made last is what is mostly asked for.
        self._last = ref(made)
        return made

    def is_part(self, array: Array, whole: Array) -> bool:
        """Whether an array that stands on all of it is its first rows."""
        axis, shape = self.axis, whole.shape
        own = array.shape
        return (
            array.strides == whole.strides
            and own[:axis] == shape[:axis]
            and own[axis + 1 :] == shape[axis + 1 :]
            and array.dtype == whole.dtype
            and (
                self._last() is array
                or array.__array_interface__["data"][0] == self._address
            )
        )

    def take(self, rows: int, more: int) -> bool:
        """
        Takes the rows after the first ones, for the caller to write; false if they are
        taken, or if there is no room for them.
        """
        try:
            mark = self._mark.pop()
        except IndexError:
            return False
        is_free = mark == rows and rows + more <= self.capacity
        self._mark.append(rows + more if is_free else mark)
        return is_free

    def give_back(self, rows: int, more: int) -> None:
        """Lets rows be taken again that were taken and that nobody has seen."""
        try:
            mark = self._mark.pop()
        except IndexError:
            return
        self._mark.append(rows if mark == rows + more else mark)


def _none() -> None:
    """The last part, before there is one."""


def _first_rows(array: Array, axis: int, rows: int) -> Array:
    """The first rows of an array along an axis."""
    return array[(slice(None),) * axis + (slice(rows),)]


def buffer_of(array: Array) -> tuple[Buffer, Array] | None:
    """
    The buffer that an array is the first rows of, and the array that is all of it; None
    where it is of none.
    """
    whole = cast("object", array.base)
    if type(whole) is not np.ndarray:
        return None
    buffer = cast("object", whole.base)
    if not isinstance(buffer, Buffer) or not buffer.is_part(array, whole):
        return None
    return buffer, whole
