"""
What compiled code must know of numpy: where fields of an array are, how to make one.

The fields of an array have been at the same places, and the functions of numpy's C
interface in the same slots, since before its version 1.7. It is checked all the same,
on arrays that are known; where it does not hold, calls go the way through Python.
"""

from __future__ import annotations

import ctypes
from functools import cache
from importlib import import_module
from typing import Any

import numpy as np
import numpy.typing as npt

from .layout import DTYPE_NAMES, State

NEW_SLOT = 94
"""The slot of `PyArray_NewFromDescr` in numpy's table of functions."""

# Bytes from the start of an array object.
TYPE, DATA, RANK, DIMS, DTYPE, FLAGS = 8, 16, 24, 32, 56, 64
C_CONTIGUOUS, ALIGNED, WRITEABLE = 0x1, 0x100, 0x400


def word_at(address: int) -> int:
    """The word of 8 bytes at an address."""
    return ctypes.c_uint64.from_address(address).value


def functions() -> int:
    """The address of numpy's table of functions."""
    capsule = import_module("numpy._core._multiarray_umath")._ARRAY_API
    get = ctypes.pythonapi.PyCapsule_GetPointer
    get.restype, get.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    return get(capsule, None)


@cache
def is_as_expected() -> bool:
    """Whether the fields and the slot are where compiled code looks for them."""
    array = np.zeros((3, 5), np.float32)
    at = id(array)
    fields = (
        word_at(at + TYPE) == id(np.ndarray)
        and word_at(at + DATA) == array.ctypes.data
        and ctypes.c_int.from_address(at + RANK).value == 2
        and word_at(word_at(at + DIMS)) == 3
        and word_at(word_at(at + DIMS) + 8) == 5
        and word_at(at + DTYPE) == id(np.dtype(np.float32))
    )
    flags = ctypes.c_int.from_address(at + FLAGS).value
    turned = ctypes.c_int.from_address(id(array.T) + FLAGS).value
    array.flags.writeable = False
    fixed = ctypes.c_int.from_address(at + FLAGS).value
    wanted = C_CONTIGUOUS | ALIGNED | WRITEABLE
    return (
        bool(fields and flags & wanted == wanted)
        and turned & wanted == wanted - C_CONTIGUOUS
        and fixed & wanted == wanted - WRITEABLE
        and word_at(id(()) + TYPE) == id(tuple)
        and new_works()
    )


def new_works() -> bool:
    """Whether the slot of `PyArray_NewFromDescr` makes an array as asked."""
    dims = (ctypes.c_int64 * 2)(2, 7)
    described = np.dtype(np.int32)
    # The function takes a reference to the descriptor, and keeps it.
    ctypes.pythonapi.Py_IncRef(ctypes.py_object(described))
    make = ctypes.PYFUNCTYPE(
        ctypes.py_object,
        *(ctypes.py_object, ctypes.py_object, ctypes.c_int, ctypes.c_void_p),
        *(ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int, ctypes.c_void_p),
    )(word_at(functions() + NEW_SLOT * 8))
    made: npt.NDArray[Any] = make(
        np.ndarray, described, 2, ctypes.addressof(dims), None, None, 0, None
    )
    return type(made) is np.ndarray and made.shape == (2, 7) and made.dtype == described


def fill_state(state: npt.NDArray[np.uint64]) -> None:
    """Writes what a program's entry needs of numpy into its state."""
    state[State.ARRAY_TYPE] = id(np.ndarray)
    state[State.TUPLE_TYPE] = id(tuple)
    state[State.NEW] = word_at(functions() + NEW_SLOT * 8)
    for at, name in enumerate(DTYPE_NAMES):
        state[State.DTYPES + at] = id(np.dtype(name))
