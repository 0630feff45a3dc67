"""
What compiled code must know of Python's and numpy's objects, checked in each process.

Compiled code reads the fields of array objects, and makes arrays by numpy's C
interface. Both stay as they are while the number of numpy's binary interface (ABI)
does: extension modules are compiled against it. `_facts` are checked all the same, on
arrays that are known; each is looked at only when those before it hold, so that nothing
is read at an address that nobody vouches for. Where one does not hold, as in a debug
build of Python or one without the GIL, modules are called by Python code, and a warning
says why.
"""

from __future__ import annotations

import ctypes
import sys
import warnings
from collections.abc import Container, Iterator
from functools import cache
from importlib import import_module
from typing import Any, TypeAlias
from weakref import ref

import numpy as np
import numpy.typing as npt

from ..abi import DTYPE_NAMES, WORD, State, dtype_of
from . import vectorcall

HEAD = 16
"""Bytes of every object, before its own fields: its references and its type."""

ABI = 0x2000000
"""The number of numpy's binary interface: that of all its versions from 2.0 on."""

_ABI_SLOT, _NEW_SLOT = 0, 94
"""
The slots of `PyArray_GetNDArrayCVersion` and `PyArray_NewFromDescr` in numpy's table of
functions.
"""

# Bytes from the start of an array object.
TYPE, DATA, RANK, DIMS, DTYPE, FLAGS, WEAK = 8, 16, 24, 32, 56, 64, 72
C_CONTIGUOUS, ALIGNED, WRITEABLE = 0x1, 0x100, 0x400

_LEAST_ADDRESS = 0x1000
"""No system has memory at a lower address; so what is less is none."""

_Fact: TypeAlias = tuple[str, object, object]
"""Its name, the value that compiled code assumes, and the value here."""


def word_at(address: int) -> int:
    """The word of 8 bytes at an address."""
    return ctypes.c_uint64.from_address(address).value


def _int_at(address: int) -> int:
    """The C int at an address."""
    return ctypes.c_int.from_address(address).value


def has_gil() -> bool:
    """Whether one thread at a time is in Python, by how it was built (PEP 703)."""
    return "t" not in getattr(sys, "abiflags", "")


def functions() -> int | None:
    """The address of numpy's table of functions, if it is where numpy 2 has it."""
    try:
        capsule = import_module("numpy._core._multiarray_umath")._ARRAY_API
    except (AttributeError, ImportError):
        return None
    is_valid, get = (
        ctypes.pythonapi.PyCapsule_IsValid,
        ctypes.pythonapi.PyCapsule_GetPointer,
    )
    is_valid.argtypes = get.argtypes = [ctypes.py_object, ctypes.c_char_p]
    get.restype = ctypes.c_void_p
    return get(capsule, None) if is_valid(capsule, None) else None


def _facts() -> Iterator[_Fact]:
    """What compiled code relies on; each may be looked at when those before it hold."""
    yield from _facts_of_python()
    table = functions()
    yield "a table of numpy's functions", True, table is not None
    assert table is not None, "the fact before this one holds"
    get_abi = ctypes.CFUNCTYPE(ctypes.c_uint)(word_at(table + _ABI_SLOT * WORD))
    yield "numpy's ABI", hex(ABI), hex(get_abi())
    last = max(DATA, RANK, DIMS, DTYPE, FLAGS, WEAK)
    yield "an array's fields lie in it", True, last + WORD <= np.ndarray.__basicsize__
    yield from _facts_of_fields()
    yield from _facts_of_flags()
    yield from _facts_of_references()
    yield "numpy's function makes arrays", True, _new_works(table)


def _facts_of_python() -> Iterator[_Fact]:
    """What compiled code relies on in the interpreter."""
    yield "the interpreter", "cpython", sys.implementation.name
    yield "bytes of an address", WORD, ctypes.sizeof(ctypes.c_void_p)
    yield "a GIL", True, has_gil()
    yield "a debug build of Python", False, hasattr(sys, "gettotalrefcount")
    yield "bytes of an object's head", HEAD, object.__basicsize__
    yield "the type of an object", id(tuple), word_at(id(()) + TYPE)
    yield "Python calls an object by an address", True, vectorcall.works()


def _facts_of_fields() -> Iterator[_Fact]:
    """What compiled code reads in the object of an array, but for its flags."""
    array = np.zeros((3, 5), np.float32)
    at = id(array)
    yield "the type of an array", id(np.ndarray), word_at(at + TYPE)
    yield "the address of an array's elements", array.ctypes.data, word_at(at + DATA)
    yield "the rank of an array", 2, _int_at(at + RANK)
    yield "the dtype of an array", id(np.dtype(np.float32)), word_at(at + DTYPE)
    dims = word_at(at + DIMS)
    is_address = dims >= _LEAST_ADDRESS and dims % WORD == 0
    yield "an array's sizes have an address", True, is_address
    yield "the sizes of an array", (3, 5), (word_at(dims), word_at(dims + WORD))


def _facts_of_flags() -> Iterator[_Fact]:
    """What compiled code reads in the flags of an array."""
    plain, fixed = np.zeros((3, 5), np.float32), np.zeros((3, 5), np.float32)
    fixed.flags.writeable = False
    # A byte too far on, where no element of four bytes may be.
    at_odds = np.zeros(61, np.uint8)[1:].view(np.float32).reshape(3, 5)
    for array in (plain, plain.T, plain[:, 1:], fixed, fixed.T, at_odds):
        flags = _int_at(id(array) + FLAGS)
        expected = array.flags.c_contiguous, array.flags.aligned, array.flags.writeable
        wanted = C_CONTIGUOUS, ALIGNED, WRITEABLE
        found = tuple(flags & each == each for each in wanted)
        yield "the flags of an array", expected, found


def _facts_of_references() -> Iterator[_Fact]:
    """What compiled code reads of who else has an array."""
    held = [np.zeros(3, np.float32)]
    at = id(held[0])
    yield "the references to an array", 1, _int_at(at)
    held *= 3
    yield "more references to an array", 3, _int_at(at)
    yield "an array without a weak reference", 0, word_at(at + WEAK)
    weak = ref(held[0])
    yield "an array with a weak reference", True, word_at(at + WEAK) != 0
    assert weak() is held[0], "it was alive while it was looked at"


def _new_works(table: int) -> bool:
    """Whether the slot of `PyArray_NewFromDescr` makes an array as asked."""
    dims = (ctypes.c_int64 * 2)(2, 7)
    described = np.dtype(np.int32)
    # The function takes a reference to the descriptor, and keeps it.
    ctypes.pythonapi.Py_IncRef(ctypes.py_object(described))
    make = ctypes.PYFUNCTYPE(
        ctypes.py_object,
        *(ctypes.py_object, ctypes.py_object, ctypes.c_int, ctypes.c_void_p),
        *(ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int, ctypes.c_void_p),
    )(word_at(table + _NEW_SLOT * WORD))
    made: npt.NDArray[Any] = make(
        np.ndarray, described, 2, ctypes.addressof(dims), None, None, 0, None
    )
    return type(made) is np.ndarray and made.shape == (2, 7) and made.dtype == described


def unexpected() -> str | None:
    """What does not hold first of the facts; None where all hold."""
    for name, expected, got in _facts():
        if expected != got:
            return f"{name}: expected {expected}, got {got}"
    return None


@cache
def is_as_expected() -> bool:
    """Whether all is where compiled code looks for it; warns once when it is not."""
    found = unexpected()
    if found is not None:
        warnings.warn(
            "modules are called by Python code, which takes some microseconds more a "
            f"call, since compiled code does not know this Python or numpy: {found}",
            RuntimeWarning,
            stacklevel=2,
        )
    return found is None


def fill_state(state: npt.NDArray[np.uint64], dtypes: Container[str]) -> None:
    """
    Writes what a program's entry needs of numpy into its state; of the dtypes those
    that its inputs and outputs have.
    """
    table = functions()
    assert table is not None, "all is as expected"
    state[State.ARRAY_TYPE] = id(np.ndarray)
    state[State.TUPLE_TYPE] = id(tuple)
    state[State.NEW] = word_at(table + _NEW_SLOT * WORD)
    for at, name in enumerate(DTYPE_NAMES):
        if name in dtypes:
            state[State.DTYPES + at] = id(dtype_of(name))
