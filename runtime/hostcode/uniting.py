"""
Plan the slots of a call: a function of the portable prelude.

    i32 sr_plan_slots(arguments, context)

unites slots that are parts of others, rounds their sizes up to the alignment, and
places them. Arguments are words: the count of slots, of orders, the address of these,
the count of parts; then of each slot its bytes, its first step, its last and its
offset; then of each part the slot, the slot that it is part of, and the bytes of that
before it. Instead of the first two are left the bytes of all slots, and the least that
any plan has.

A slot that is part of another takes no memory of its own, and the other lives as long
as both. So does a slot that is memory elsewhere take none.
"""

from __future__ import annotations

from ..abi import APART, PLAN_ARGUMENTS
from .builder import Builder
from .function import ADDRESS, INT32, Function, Signature, Value
from .placing import BOUND, PLACE

PLAN_SLOTS = Signature("sr_plan_slots", (ADDRESS, ADDRESS), INT32)


def uniting(alignment: int) -> Function:
    """The function that plans slots at multiples of an alignment, a power of two."""
    b = Builder(PLAN_SLOTS, "nounwind")
    arguments, _ = b.parameters
    count, known, parts = (b.load(arguments, at) for at in (0, 1, 3))
    orders = b.load(arguments, 2, ADDRESS)
    sizes: Value = b.offset(arguments, 8 * PLAN_ARGUMENTS)
    firsts, lasts, offsets, slots = (
        b.at(sizes, b.mul(count, at)) for at in (1, 2, 3, 4)
    )
    wholes, starts = (b.at(slots, b.mul(parts, at)) for at in (1, 2))
    homes, shifts = b.room(count), b.room(count)

    def get(array: Value, at: Value) -> Value:
        return b.load(b.at(array, at))

    with b.loop(0, count) as slot:
        b.store(slot.index, b.at(homes, slot.index))
        b.store(0, b.at(shifts, slot.index))
    with b.loop(0, parts) as part:
        whole = get(wholes, part.index)
        with b.when(b.ne(whole, APART)):
            own = get(slots, part.index)
            size = get(sizes, own)
            b.store(0, b.at(sizes, own))
            with b.when(b.le(0, whole)):
                start = b.add(get(starts, part.index), get(shifts, whole))
                home = get(homes, whole)
                b.store(home, b.at(homes, own))
                b.store(start, b.at(shifts, own))
                old = get(sizes, home)
                new = b.max(old, b.add(start, size))
                b.store(b.select(b.eq(old, 0), 0, new), b.at(sizes, home))
                first = b.min(get(firsts, home), get(firsts, own))
                b.store(first, b.at(firsts, home))
                last = b.max(get(lasts, home), get(lasts, own))
                b.store(last, b.at(lasts, home))
    with b.loop(0, count) as slot:
        at = b.at(sizes, slot.index)
        b.store(b.rounded(b.load(at), alignment), at)
    records = sizes, firsts, lasts
    top = b.call(PLACE, *records, orders, count, known, offsets)
    b.store(top, arguments)
    b.store(b.call(BOUND, *records, count), arguments, 1)
    with b.loop(0, parts) as part:
        own = get(slots, part.index)
        offset = b.add(get(offsets, get(homes, own)), get(shifts, own))
        b.store(offset, b.at(offsets, own))
    b.leave(0)
    return b.function
