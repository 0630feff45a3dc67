"""What native functions call of Python, and where the fields of its objects are."""

from __future__ import annotations

from ...runtime.hostcode import ADDRESS, INT32, WORD, Builder, Op, Signature, Value

TYPE, DATA, RANK, DIMS, DTYPE, FLAGS, WEAK = 8, 16, 24, 32, 56, 64, 72
"""Where the fields of a numpy array are, in bytes."""

WANTED_FLAGS = 0x1 | 0x100
"""NPY_ARRAY_C_CONTIGUOUS and NPY_ARRAY_ALIGNED."""

WRITTEN_FLAGS = WANTED_FLAGS | 0x400
"""NPY_ARRAY_WRITEABLE besides."""

_CALL_FUNCTION = Signature(
    "PyObject_CallFunction", (ADDRESS, ADDRESS), ADDRESS, is_variadic=True
)
CHECK_SIGNALS = Signature("PyErr_CheckSignals", (), INT32)
CLEAR = Signature("PyErr_Clear", ())
COPY = Signature("memcpy", (ADDRESS, ADDRESS, WORD), ADDRESS)
DECREF = Signature("Py_DecRef", (ADDRESS,))
GET_ITEM = Signature("PyTuple_GetItem", (ADDRESS, WORD), ADDRESS)
INCREF = Signature("Py_IncRef", (ADDRESS,))
NEW_TUPLE = Signature("PyTuple_New", (WORD,), ADDRESS)
OCCURRED = Signature("PyErr_Occurred", (), ADDRESS)
RESTORE = Signature("PyEval_RestoreThread", (ADDRESS,))
SAVE = Signature("PyEval_SaveThread", (), ADDRESS)
SET_ITEM = Signature("PyTuple_SetItem", (ADDRESS, WORD, ADDRESS), INT32)
THREAD = Signature("PyThreadState_Get", (), ADDRESS)
TUPLE_SIZE = Signature("PyTuple_Size", (ADDRESS,), WORD)
VECTORCALL = Signature(
    "PyObject_Vectorcall", (ADDRESS, ADDRESS, WORD, ADDRESS), ADDRESS
)
_VOID_POINTER = Signature("PyLong_AsVoidPtr", (ADDRESS,), ADDRESS)
COMPARE = Signature("PyObject_RichCompareBool", (ADDRESS, ADDRESS, INT32), INT32)
EQUAL = 2
"""Py_EQ."""

CLOCK = Signature("clock_gettime", (INT32, ADDRESS), INT32)


def state(b: Builder) -> Op:
    """The address of the state of the module."""
    return b.outside("sr_state")


def field(b: Builder, number: int) -> Op:
    """The address that a field of the state holds now."""
    return b.load(state(b), number, ADDRESS)


def ask(b: Builder, callable: int, *arguments: Value) -> Op:
    """Calls a Python callable of the state with integers; what it returns, or null."""
    name = "n" * len(arguments)
    format = b.table(f"format.{name}", 1, [*name.encode(), 0])
    return b.call(_CALL_FUNCTION, field(b, callable), format, *arguments)


def address_from(b: Builder, answer: Value) -> Op:
    """The address that an integer of Python is, which is let go of."""
    address = b.call(_VOID_POINTER, answer)
    b.call(DECREF, answer)
    return address
