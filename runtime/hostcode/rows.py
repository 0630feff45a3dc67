"""
The table of plan rows, and how a block of memory shrinks: portable functions.

    ptr sr_find(table, wanted, count, first)      the row of some values of symbols
    void sr_enter_row(table, row, count, first)   writes a row into a table
    i32 sr_need(context, bytes)                   notes what a call needs of its block

A table is a mask, and as many addresses of rows, each in the first free place from its
hash on; a row has the values of its symbols from the field `first` on.
"""

from __future__ import annotations

from ..abi import (
    CALLS,
    HASH_FACTOR,
    HASH_SHIFT,
    NEVER_SHRUNK_BYTES,
    SHRINK_SHIFT,
    ContextLayout,
)
from .builder import Builder
from .function import ADDRESS, INT32, NULL, WORD, Function, Signature, Value

FIND = Signature("sr_find", (ADDRESS, ADDRESS, WORD, WORD), ADDRESS)
_ENTER_ROW = Signature("sr_enter_row", (ADDRESS, ADDRESS, WORD, WORD))
_NEED = Signature("sr_need", (ADDRESS, WORD), INT32)

FACTOR = HASH_FACTOR - 2**64
"""What a hash is multiplied by, as a signed number."""


def rows() -> list[Function]:
    """All of the functions."""
    return [find_row(""), _enter_row(), _need()]


def _hash(b: Builder, values: Value, count: Value) -> Value:
    """The hash of some values."""
    with b.loop(0, count, hash=0) as each:
        joined = b.binary("xor", each.hash, b.load(b.at(values, each.index)))
        spread = b.mul(joined, FACTOR)
        each.hash = b.binary("xor", spread, b.binary("lshr", spread, HASH_SHIFT))
    return each.hash


def find_row(linkage: str = "internal") -> Function:
    """The row of values of symbols in a table, or null."""
    b = Builder(FIND, "nounwind", linkage)
    table, wanted, count, first = b.parameters
    mask = b.load(table)
    with b.forever(number=_hash(b, wanted, count)) as probe:
        place = b.add(b.binary("and", probe.number, mask), 1)
        row = b.load(b.at(table, place), type=ADDRESS)
        b.leave_if(b.eq(row, NULL), NULL)
        with b.loop(0, count, same=True) as each:
            own = b.load(b.at(row, b.add(first, each.index)))
            is_own = b.eq(b.load(b.at(wanted, each.index)), own)
            each.same = b.both(each.same, is_own)
        b.leave_if(each.same, row)
        probe.number = b.add(probe.number, 1)
    return b.function


def _enter_row() -> Function:
    """Writes a row into a table that has a free place."""
    b = Builder(_ENTER_ROW, "nounwind")
    table, row, count, first = b.parameters
    mask = b.load(table)
    with b.forever(number=_hash(b, b.at(row, first), count)) as probe:
        place = b.at(table, b.add(b.binary("and", probe.number, mask), 1))
        with b.when(b.eq(b.load(place), 0)):
            b.store(row, place)
            b.leave()
        probe.number = b.add(probe.number, 1)
    return b.function


def note_need(b: Builder, context: Value, bytes: Value) -> Value:
    """
    Counts a call that needs little of the block; one that needs more begins the count
    anew. Whether enough calls in a row needed little for the block to shrink.
    """
    kept = b.add(b.binary("shl", bytes, SHRINK_SHIFT), NEVER_SHRUNK_BYTES)
    size = b.load(context, ContextLayout.BLOCK_BYTES)
    left = b.load(context, ContextLayout.LEFT)
    with b.when(b.binary("ult", kept, size), shrinks=0) as is_little:
        with b.when(b.ne(left, 0), shrinks=1) as goes_on:
            peak = b.load(context, ContextLayout.PEAK)
            b.store(b.binary("umax", peak, bytes), context, ContextLayout.PEAK)
            b.store(b.sub(left, 1), context, ContextLayout.LEFT)
            goes_on.shrinks = 0
        is_little.shrinks = goes_on.shrinks
    with is_little.otherwise():
        b.store(CALLS, context, ContextLayout.LEFT)
        b.store(0, context, ContextLayout.PEAK)
    return is_little.shrinks


def _need() -> Function:
    b = Builder(_NEED, "nounwind")
    b.leave(note_need(b, *b.parameters))
    return b.function
