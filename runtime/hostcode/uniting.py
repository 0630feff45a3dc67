"""
Plan the slots of a call: three functions of the portable prelude on the same words.

    i32 sr_unite(words, context)     unites slots that are parts of others
    i32 sr_place_all(words, context) places the slots; a planner of Python may instead
    i32 sr_spread(words, context)    says where the parts are

Words: the count of slots, of orders, the address of these, the count of parts; two for
the bytes of all slots, and the least that any plan has, which placing leaves; then of
each slot its bytes, its first step, its last and its offset; then of each part the
slot, the slot that it is part of, and the bytes of that before it.

A slot that is part of another takes no memory of its own, and the other lives as long
as both. So does a slot that is memory elsewhere take none.
"""

from __future__ import annotations

from ..abi import ALIGNMENT, APART, PLAN_ARGUMENTS, PLAN_BOUND, PLAN_BYTES
from .builder import Builder
from .function import ADDRESS, INT32, Function, Op, Signature, Value
from .placing import BOUND, PLACE

_UNITE, _PLACE_ALL, _SPREAD = (
    Signature(name, (ADDRESS, ADDRESS), INT32)
    for name in ("sr_unite", "sr_place_all", "sr_spread")
)
PLANNING = (_UNITE, _PLACE_ALL, _SPREAD)
"""What plans the slots of a call, in order."""


class _Words:
    """The words that the functions share."""

    def __init__(self, b: Builder):
        self.b, words = b, b.parameters[0]
        self.words = words
        self.count, self.known, self.parts = (b.load(words, at) for at in (0, 1, 3))
        self.sizes: Value = b.offset(words, 8 * PLAN_ARGUMENTS)
        self.firsts, self.lasts, self.offsets, self.slots = (
            b.at(self.sizes, b.mul(self.count, at)) for at in (1, 2, 3, 4)
        )
        self.wholes, self.starts = (
            b.at(self.slots, b.mul(self.parts, at)) for at in (1, 2)
        )

    @property
    def records(self) -> tuple[Value, Value, Value]:
        """The sizes, first and last steps of slots."""
        return self.sizes, self.firsts, self.lasts

    def get(self, array: Value, at: Value) -> Op:
        """An element of an array."""
        return self.b.load(self.b.at(array, at))

    def set(self, value: Value, array: Value, at: Value) -> None:
        """Writes an element of an array."""
        self.b.store(value, self.b.at(array, at))


def planning() -> list[Function]:
    """All of the functions."""
    return [_unite(), _place_all(), _spread()]


def _unite() -> Function:
    """
    Makes records of slots: what a part is of, is then no part itself, and its size is
    rounded up.
    """
    b = Builder(_UNITE, "nounwind")
    w = _Words(b)
    with b.loop(0, w.parts) as part:
        whole = w.get(w.wholes, part.index)
        with b.when(b.ne(whole, APART)):
            own = w.get(w.slots, part.index)
            size = w.get(w.sizes, own)
            w.set(0, w.sizes, own)
            with b.when(b.le(0, whole)):
                start = w.get(w.starts, part.index)
                # What a slot is part of was decided before, as its op comes before.
                with b.loop(0, part.index, home=whole, shift=start) as before:
                    other = w.get(w.wholes, before.index)
                    is_part = b.both(
                        b.eq(w.get(w.slots, before.index), whole), b.le(0, other)
                    )
                    more = b.add(start, w.get(w.starts, before.index))
                    before.home = b.select(is_part, other, before.home)
                    before.shift = b.select(is_part, more, before.shift)
                home = before.home
                w.set(home, w.wholes, part.index)
                w.set(before.shift, w.starts, part.index)
                old = w.get(w.sizes, home)
                new = b.max(old, b.add(before.shift, size))
                w.set(b.select(b.eq(old, 0), 0, new), w.sizes, home)
                first = b.min(w.get(w.firsts, home), w.get(w.firsts, own))
                w.set(first, w.firsts, home)
                last = b.max(w.get(w.lasts, home), w.get(w.lasts, own))
                w.set(last, w.lasts, home)
    with b.loop(0, w.count) as slot:
        size = w.get(w.sizes, slot.index)
        w.set(b.rounded(size, ALIGNMENT), w.sizes, slot.index)
    b.leave(0)
    return b.function


def _place_all() -> Function:
    """Places the records."""
    b = Builder(_PLACE_ALL, "nounwind")
    w = _Words(b)
    orders = b.load(w.words, 2, ADDRESS)
    top = b.call(PLACE, *w.records, orders, w.count, w.known, w.offsets)
    bound = b.call(BOUND, *w.records, w.count)
    b.store(top, w.words, PLAN_BYTES)
    b.store(bound, w.words, PLAN_BOUND)
    b.leave(0)
    return b.function


def _spread() -> Function:
    """Says where the parts are."""
    b = Builder(_SPREAD, "nounwind")
    w = _Words(b)
    with b.loop(0, w.parts) as part:
        whole = w.get(w.wholes, part.index)
        with b.when(b.le(0, whole)):
            offset = b.add(w.get(w.offsets, whole), w.get(w.starts, part.index))
            w.set(offset, w.offsets, w.get(w.slots, part.index))
    b.leave(0)
    return b.function
