"""
How a call finds the plan row of its sizes, and borrows a context: native functions.

The module's state has a table of plan rows by a hash of the symbols (`State.PLANS`), to
which a Python callable adds a row for new sizes. A context is taken off the module's
free list while the GIL is held. Where none is free, or its block is smaller than the
plan, a Python callable lends one; it is given the symbols, since the row that was found
may be dropped while Python runs.

Where it matters what was skipped, the state has notes: which plan row each thread used
last. A note is three words: a thread, as Python knows it, a row, and after the run the
bits of indices that were in order (`ContextLayout.order`). A thread takes the first
note, from its hash on, that is its own or free. Threads that ended keep theirs; when no
note is free, a thread takes the one at its hash from another.
"""

from __future__ import annotations

from ...runtime.abi import NOTE_WORDS, NOTES, ContextLayout, State
from ...runtime.hostcode import (
    ADDRESS,
    FACTOR,
    FIND,
    NULL,
    WORD,
    Builder,
    Function,
    Signature,
    Value,
    find_row,
)
from .python_api import THREAD, address_from, ask, field, state

_BORROW = Signature("sr_borrow", (), ADDRESS)
GIVE_BACK = Signature("sr_give_back", (ADDRESS,))
RESERVE = Signature("sr_reserve", (ADDRESS,), ADDRESS)
ROW = Signature("sr_row", (ADDRESS, WORD, WORD), ADDRESS)
_NOTE = Signature("sr_note", (ADDRESS, WORD))
_NOTED = Signature("sr_noted", (), ADDRESS)
_PLACE = Signature("sr_note_place", (), ADDRESS)


def lending() -> list[Function]:
    """All of the functions."""
    makers = (_borrow, _give_back, _reserve, find_row, _row, _place, _note, _noted)
    return [make() for make in makers]


def take(b: Builder, context: Value) -> None:
    """Takes the first context off the free list, which nobody changed meanwhile."""
    following = b.load(context, ContextLayout.NEXT, ADDRESS)
    b.store(following, state(b), State.FREE)
    b.store(context, context, ContextLayout.NEXT)


def put_back(b: Builder, context: Value) -> None:
    """Puts a context on the free list."""
    b.store(field(b, State.FREE), context, ContextLayout.NEXT)
    b.store(context, state(b), State.FREE)


def note(b: Builder, context: Value, orders: Value) -> None:
    """Notes the row of a context, and bits of the indices that were in order."""
    b.call(_NOTE, b.load(context, ContextLayout.PLAN, ADDRESS), orders)


def _borrow() -> Function:
    """A free context for Python's own way of running; null if there is none."""
    b = Builder(_BORROW, "nounwind")
    first = field(b, State.FREE)
    with b.when(b.ne(first, NULL)):
        take(b, first)
    b.leave(first)
    return b.function


def _give_back() -> Function:
    """Puts a context on the free list; called with the GIL held, as `sr_borrow` is."""
    b = Builder(GIVE_BACK, "nounwind")
    put_back(b, b.parameters[0])
    b.leave()
    return b.function


def _asking(signature: Signature, callable: int) -> Function:
    """A function that asks Python for an address; null where it raised something."""
    b = Builder(signature, "nounwind")
    answer = ask(b, callable, b.parameters[0])
    b.leave_if(b.eq(answer, NULL), NULL)
    b.leave(address_from(b, answer))
    return b.function


def _reserve() -> Function:
    """The context that Python lends for the symbols at an address."""
    return _asking(RESERVE, State.RESERVE)


def _row() -> Function:
    """
    The plan row of `count` values of symbols, which a row has from its field `first`
    on; Python adds one where there is none. Where it adds none, or raises something,
    the row is null.
    """
    b = Builder(ROW, "nounwind")
    known = b.call(FIND, field(b, State.PLANS), *b.parameters)
    b.leave_if(b.ne(known, NULL), known)
    answer = ask(b, State.ADD, b.parameters[0])
    b.leave_if(b.eq(answer, NULL), NULL)
    b.leave(address_from(b, answer))
    return b.function


def _place() -> Function:
    """The note of this thread."""
    b = Builder(_PLACE, "nounwind", "internal")
    thread = b.number_of(b.call(THREAD))
    high = b.binary("lshr", b.mul(thread, FACTOR), 64 - NOTES.bit_length())
    notes = field(b, State.NOTES)
    with b.repeat(goes=True, tried=0, place=notes) as turn:
        masked = b.binary("and", b.add(high, turn.tried), NOTES - 1)
        turn.place = b.at(notes, masked, 8 * NOTE_WORDS)
        owner = b.load(turn.place)
        turn.tried = b.add(turn.tried, 1)
        is_free = b.either(b.eq(owner, thread), b.eq(owner, 0))
        turn.goes = b.select(is_free, False, b.le(turn.tried, NOTES))
    b.leave(turn.place)
    return b.function


def _note() -> Function:
    """Notes the row that this thread uses, and which indices were in order."""
    b = Builder(_NOTE, "nounwind")
    thread = b.call(THREAD)
    place = b.call(_PLACE)
    b.store(thread, place)
    b.store(b.parameters[0], place, 1)
    b.store(b.parameters[1], place, 2)
    b.leave()
    return b.function


def _noted() -> Function:
    """The address of what this thread noted last; null where that is unknown."""
    b = Builder(_NOTED, "nounwind")
    thread = b.call(THREAD)
    place = b.call(_PLACE)
    is_own = b.eq(b.load(place, type=ADDRESS), thread)
    b.leave(b.select(is_own, b.offset(place, 8), NULL))
    return b.function
