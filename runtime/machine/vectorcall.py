"""
A class whose objects are called by machine code, with nothing of Python in between.

Python's own classes look `__call__` up, and make a tuple and a dictionary of the
arguments, for every call. A class of its C interface may say instead that each object
holds the address of a function, which takes the arguments directly from the stack (PEP
590). Such a class is made here as a subclass of an ordinary one; an object without an
address is called as those of the ordinary class are. It inherits how, which a debug
build of Python refuses by an assertion; so no such class is made there.
"""

from __future__ import annotations

import ctypes
from functools import cache
from typing import Any

from ..abi import WORD

# Of Python's headers: Py_TPFLAGS_DEFAULT, Py_TPFLAGS_HAVE_VECTORCALL, Py_tp_members,
# T_PYSSIZET and READONLY.
_DEFAULT, _HAVE_VECTORCALL, _MEMBERS, _SIZE_TYPE, _READ_ONLY = (
    1 << 18,
    1 << 11,
    72,
    19,
    1,
)


class _Member(ctypes.Structure):
    """`PyMemberDef`: a field of the objects of a class."""

    _fields_ = (
        ("name", ctypes.c_char_p),
        ("type", ctypes.c_int),
        ("offset", ctypes.c_ssize_t),
        ("flags", ctypes.c_int),
        ("doc", ctypes.c_char_p),
    )


class _Slot(ctypes.Structure):
    """`PyType_Slot`: one thing that a class has."""

    _fields_ = (("slot", ctypes.c_int), ("value", ctypes.c_void_p))


class _Spec(ctypes.Structure):
    """`PyType_Spec`: what a class is made of."""

    _fields_ = (
        ("name", ctypes.c_char_p),
        ("size", ctypes.c_int),
        ("item_size", ctypes.c_int),
        ("flags", ctypes.c_uint),
        ("slots", ctypes.c_void_p),
    )


_KEPT: list[Any] = []
"""What the classes were made of, which Python may read as late as when it ends."""


@cache
def callable_class(base: type[Any]) -> type[Any]:
    """The subclass of a class whose objects have the address of a function."""
    offset = base.__basicsize__
    members = (_Member * 2)(
        _Member(b"__vectorcalloffset__", _SIZE_TYPE, offset, _READ_ONLY, None),
        _Member(),
    )
    slots = (_Slot * 2)(_Slot(_MEMBERS, ctypes.addressof(members)), _Slot())
    name = f"{base.__module__}.{base.__qualname__}".encode()
    flags = _DEFAULT | _HAVE_VECTORCALL
    spec = _Spec(name, offset + WORD, 0, flags, ctypes.addressof(slots))
    _KEPT.append((members, slots, name, spec))
    make = ctypes.pythonapi.PyType_FromSpecWithBases
    make.restype, make.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.py_object]
    return make(ctypes.addressof(spec), (base,))


def call_by(instance: object, base: type[Any], function: int) -> None:
    """Lets a function be what calls an object of `callable_class(base)`."""
    assert type(instance).__basicsize__ == base.__basicsize__ + WORD
    field = ctypes.c_void_p.from_address(id(instance) + base.__basicsize__)
    field.value = function


class _Probe:
    """An object whose way of being called can be told."""

    def __call__(self) -> bool:
        """The answer of Python's own way."""
        return False


@cache
def works() -> bool:
    """Whether Python calls an object by the address that it has."""

    def answer(*_: int | None) -> bool:
        return True

    pointer, size = ctypes.c_void_p, ctypes.c_size_t
    kind = ctypes.PYFUNCTYPE(ctypes.py_object, pointer, pointer, size, pointer)
    address = ctypes.cast(function := kind(answer), pointer).value
    made = callable_class(_Probe)
    if address is None or made.__basicsize__ != _Probe.__basicsize__ + WORD:
        return False
    probe: Any = made()
    if probe() is not False:
        return False
    call_by(probe, _Probe, address)
    _KEPT.append(function)
    return probe() is True
