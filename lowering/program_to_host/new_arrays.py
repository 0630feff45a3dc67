"""
The arrays of outputs: new ones, or arrays of earlier calls that nobody has any more.

A module that manages its outputs keeps the arrays of a few calls in a table
(`State.KEPT`). One is free when the table has the only reference to it: a view, a
DLPack capsule, a tensor or a buffer of it would be another. It is then returned where
it has just the dtype and the sizes that are asked for: its pages are warm, and the
allocator is not asked. (PyTorch's Static Runtime plans the same as
`manage_output_tensors`, with one buffer for all outputs of a run.) References change
hands with the GIL held.
"""

from __future__ import annotations

from ...runtime.abi import KEPT_CALLS, State
from ...runtime.hostcode import (
    ADDRESS,
    BIT,
    INT32,
    NULL,
    WORD,
    Builder,
    Function,
    Signature,
)
from . import python_api as api
from .python_calls import IS_ARRAY

NEW_ARRAY = Signature("sr_new_array", (WORD, WORD, WORD, ADDRESS), ADDRESS)
"""`sr_new_array(number of the output, dtype, rank, sizes)`, null without memory."""

MAKE_ARRAY = Signature("sr_make_array", (WORD, WORD, ADDRESS), ADDRESS)
"""`sr_make_array(dtype, rank, sizes)`, which no table has; null without memory."""

_IS_FREE = Signature("sr_is_free", (ADDRESS,), BIT)
_HAS_SIZES = Signature("sr_has_sizes", (ADDRESS, WORD, WORD, ADDRESS), BIT)

_MAKE = Signature(
    "", (ADDRESS, ADDRESS, INT32, ADDRESS, ADDRESS, ADDRESS, INT32, ADDRESS), ADDRESS
)
"""`PyArray_NewFromDescr`."""


def new_arrays() -> list[Function]:
    """All of the functions."""
    return [_make_array(), _is_free(), _has_sizes(), _new_array()]


def _make_array() -> Function:
    """A new array, null when there is no memory."""
    b = Builder(MAKE_ARRAY, "nounwind")
    dtype, rank, dims = b.parameters
    known = b.load(b.at(api.state(b), dtype), type=ADDRESS)
    b.call(api.INCREF, known)
    make, kind = api.field(b, State.NEW), api.field(b, State.ARRAY_TYPE)
    rest = (dims, NULL, NULL, 0, NULL)
    b.leave(b.call_address(make, _MAKE, kind, known, rank, *rest))
    return b.function


def _is_free() -> Function:
    """
    Whether what a place of the table has may go: None, or an array to which there is no
    other reference, weak ones included.
    """
    b = Builder(_IS_FREE, "nounwind")
    (kept,) = b.parameters
    kind = b.load(b.offset(kept, api.TYPE), type=ADDRESS)
    b.leave_if(b.ne(kind, api.field(b, State.ARRAY_TYPE)), True)
    b.leave_if(b.ne(b.load(kept, width=4), 1), False)
    weak = b.load(b.offset(kept, api.WEAK), type=ADDRESS)
    b.leave(b.eq(weak, NULL))
    return b.function


def _has_sizes() -> Function:
    """Whether an object is an array of a dtype and of sizes, whole and writeable."""
    b = Builder(_HAS_SIZES, "nounwind")
    array, dtype, rank, dims = b.parameters
    is_array = b.call(IS_ARRAY, array, dtype, rank, api.WRITTEN_FLAGS)
    b.leave_if(b.ne(is_array, True), False)
    own = b.load(b.offset(array, api.DIMS), type=ADDRESS)
    with b.loop(0, rank) as axis:
        here, wanted = b.load(b.at(own, axis.index)), b.load(b.at(dims, axis.index))
        b.leave_if(b.ne(here, wanted), False)
    b.leave(True)
    return b.function


def _new_array() -> Function:
    """
    A free array that the table has, or else a new one, which the table takes in place
    of the last that is free, or of the first.
    """
    b = Builder(NEW_ARRAY, "nounwind")
    number, dtype, rank, dims = b.parameters
    kept = api.field(b, State.KEPT)
    with b.when(b.eq(kept, NULL)):
        b.leave(b.call(MAKE_ARRAY, dtype, rank, dims))
    first = b.at(kept, b.mul(number, KEPT_CALLS))
    with b.loop(0, KEPT_CALLS, place=first) as each:
        here = b.at(first, each.index)
        old = b.load(here, type=ADDRESS)
        with b.when(b.call(_IS_FREE, old), place=each.place) as free:
            with b.when(b.call(_HAS_SIZES, old, dtype, rank, dims)):
                b.call(api.INCREF, old)
                b.leave(old)
            free.place = here
        each.place = free.place
    made = b.call(MAKE_ARRAY, dtype, rank, dims)
    b.leave_if(b.eq(made, NULL), NULL)
    b.call(api.INCREF, made)
    before = b.load(each.place, type=ADDRESS)
    b.store(made, each.place)
    b.call(api.DECREF, before)
    b.leave(made)
    return b.function
