"""The functions outside of compiled models that these call: a closed list."""

from __future__ import annotations

import ctypes
from functools import cache

from .object_file import ObjectError

_OF_C = frozenset({"clock_gettime", "memcpy", "memmove", "memset", "syscall"})
"""Functions of the C library."""

_ROUNDING = ("ceil", "floor", "nearbyint", "rint", "round", "roundeven", "trunc")

_OF_MATHEMATICS = frozenset(
    f"{name}{suffix}" for name in ("fma", "fmod", *_ROUNDING) for suffix in ("", "f")
)
"""Functions that LLVM calls where the machine has no such instruction."""

_OF_USERS = frozenset(
    f"{name}{suffix}"
    for name in (
        *("acos", "acosh", "asin", "asinh", "atan", "atan2", "atanh", "cbrt"),
        *("copysign", "cos", "cosh", "erf", "erfc", "exp", "exp2", "expm1", "fabs"),
        *("fmax", "fmin", "hypot", "lgamma", "log", "log10", "log1p", "log2", "pow"),
        *("remainder", "sin", "sinh", "sqrt", "tan", "tanh", "tgamma"),
    )
    for suffix in ("", "f")
)
"""Functions that kernels of users call; ours have their own."""

_OF_PYTHON = frozenset(
    {
        *("PyErr_CheckSignals", "PyErr_Clear", "PyErr_Occurred"),
        *("PyEval_RestoreThread", "PyEval_SaveThread"),
        *("PyLong_AsVoidPtr", "PyObject_CallFunction", "PyObject_RichCompareBool"),
        "PyObject_Vectorcall",
        *("PyThreadState_Get", "PyTuple_GetItem", "PyTuple_New", "PyTuple_SetItem"),
        *("PyTuple_Size", "Py_DecRef", "Py_IncRef"),
    }
)
"""Functions of the interpreter, which the entry of a program calls."""


def is_outside(name: str) -> bool:
    """Whether a kernel of a user may call a function of this name."""
    return name in _OF_C | _OF_MATHEMATICS | _OF_USERS


@cache
def address_of(name: str) -> int:
    """The address of a function; raises `ObjectError` for one that is not listed."""
    if name in _OF_PYTHON:
        library = ctypes.pythonapi
    elif is_outside(name):
        library = ctypes.CDLL(None)
    else:
        raise ObjectError(
            f"expected a function that the model defines, or one of C or Python that "
            f"it may call, got {name}"
        )
    try:
        found = ctypes.cast(library[name], ctypes.c_void_p).value
    except AttributeError:
        found = None
    if found is None:
        raise ObjectError(f"expected {name} in this process, got none")
    return found
