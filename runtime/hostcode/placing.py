"""
Place the slots of a call: functions of the portable prelude.

    i64 sr_place(sizes, firsts, lasts, orders, count, known, offsets)

Of `known` orders, and of those by size and by length of life, that is taken in which
the slots need least; each slot gets the lowest gap that those before it leave. Sizes
are multiples of the alignment and less than 2**62 bytes together; a slot lives from its
first step to its last. The result is the bytes that the slots take. Orders are of 32
bits, all else is of 64.
"""

from __future__ import annotations

from .builder import Builder
from .function import ADDRESS, NULL, WORD, Function, Op, Signature, Value

_RECORDS = (ADDRESS, ADDRESS, ADDRESS)
"""The sizes of slots, their first steps, and their last."""

_STACK = Signature("sr_stack", (*_RECORDS, ADDRESS, WORD, ADDRESS), WORD)
BOUND = Signature("sr_bound", (*_RECORDS, WORD), WORD)
_SORT = Signature("sr_sort", (ADDRESS, ADDRESS, WORD))
_ORDER = Signature("sr_order", (*_RECORDS, ADDRESS, WORD, ADDRESS))
PLACE = Signature("sr_place", (*_RECORDS, ADDRESS, WORD, WORD, ADDRESS), WORD)

_INNER = "nounwind noinline"


def placing() -> list[Function]:
    """The function that places slots, and what it calls."""
    return [_stack(), _bound(), _sort(), _order(), _place()]


def _get(b: Builder, array: Value, at: Value, width: int = 8) -> Op:
    """An element of an array."""
    return b.load(b.at(array, at, width), width=width)


def _stack() -> Function:
    """
    Places slots in one order. A slot moves up over each of those before it that it
    meets, until it meets none. What it passes over on the way meets one of them, so
    this is the lowest gap.
    """
    b = Builder(_STACK, _INNER, "internal")
    sizes, firsts, lasts, order, count, offsets = b.parameters
    with b.loop(0, count, top=0) as slot:
        at = _get(b, order, slot.index, 4)
        size, first, last = (_get(b, each, at) for each in (sizes, firsts, lasts))
        with b.repeat(moved=b.ne(size, 0), start=0) as sweep:
            with b.loop(0, slot.index, start=sweep.start) as other:
                its = _get(b, order, other.index, 4)
                begin = _get(b, offsets, its)
                end = b.add(begin, _get(b, sizes, its))
                meets = b.both(
                    b.le(_get(b, firsts, its), last),
                    b.le(first, _get(b, lasts, its)),
                    b.lt(begin, b.add(other.start, size)),
                    b.lt(other.start, end),
                )
                other.start = b.select(meets, end, other.start)
            sweep.moved = b.ne(other.start, sweep.start)
            sweep.start = other.start
        b.store(sweep.start, b.at(offsets, at))
        slot.top = b.max(slot.top, b.add(sweep.start, size))
    b.leave(slot.top)
    return b.function


def _bound() -> Function:
    """The least bytes that any plan takes: those that live at once."""
    b = Builder(BOUND, _INNER, "internal")
    sizes, firsts, lasts, count = b.parameters
    with b.loop(0, count, steps=0) as each:
        each.steps = b.max(each.steps, b.add(_get(b, lasts, each.index), 1))
    steps = each.steps
    changes = b.alloca(b.add(steps, 1))
    with b.loop(0, b.add(steps, 1)) as step:
        b.store(0, b.at(changes, step.index))
    with b.loop(0, count) as slot:
        size = _get(b, sizes, slot.index)
        begin = b.at(changes, _get(b, firsts, slot.index))
        b.store(b.add(b.load(begin), size), begin)
        end = b.at(changes, b.add(_get(b, lasts, slot.index), 1))
        b.store(b.sub(b.load(end), size), end)
    with b.loop(0, steps, live=0, most=0) as step:
        step.live = b.add(step.live, _get(b, changes, step.index))
        step.most = b.max(step.most, step.live)
    b.leave(step.most)
    return b.function


def _sort() -> Function:
    """Sorts an order by the keys of its elements; equal ones stay as they were."""
    b = Builder(_SORT, _INNER, "internal")
    keys, order, count = b.parameters
    with b.loop(1, count) as each:
        moved = _get(b, order, each.index, 4)
        key = _get(b, keys, moved)
        with b.repeat(goes=True, to=each.index) as sink:
            sink.goes = False
            with b.when(b.lt(0, sink.to), goes=False, to=sink.to) as inside:
                before = b.sub(sink.to, 1)
                other = _get(b, order, before, 4)
                with b.when(
                    b.lt(key, _get(b, keys, other)), goes=False, to=sink.to
                ) as after:
                    b.store(other, b.at(order, sink.to, 4), width=4)
                    after.goes, after.to = True, before
                inside.goes, inside.to = after.goes, after.to
            sink.goes, sink.to = inside.goes, inside.to
        b.store(moved, b.at(order, sink.to, 4), width=4)
    b.leave()
    return b.function


def _order() -> Function:
    """
    The order of the greatest first; where `firsts` is given, what is in it already is
    sorted again, those that live longest first.
    """
    b = Builder(_ORDER, _INNER, "internal")
    sizes, firsts, lasts, order, count, keys = b.parameters
    with b.when(b.ne(b.number_of(firsts), 0)) as by_life:
        with b.loop(0, count) as each:
            life = b.sub(_get(b, firsts, each.index), _get(b, lasts, each.index))
            b.store(life, b.at(keys, each.index))
    with by_life.otherwise(), b.loop(0, count) as each:
        b.store(b.sub(0, _get(b, sizes, each.index)), b.at(keys, each.index))
        b.store(each.index, b.at(order, each.index, 4), width=4)
    b.call(_SORT, keys, order, count)
    b.leave()
    return b.function


def _place() -> Function:
    """Places slots in the best of some orders."""
    b = Builder(PLACE, "nounwind")
    sizes, firsts, lasts, orders, count, known, offsets = b.parameters
    records = sizes, firsts, lasts
    tried, own = b.alloca(count), b.alloca(count, 4)
    bound = b.call(BOUND, *records, count)
    every = b.add(known, 2)
    with b.repeat(goes=True, at=0, best=2**63 - 1) as turn:
        with b.when(b.lt(turn.at, known), order=own) as given:
            given.order = b.at(orders, b.mul(turn.at, count), 4)
        with given.otherwise():
            lives = b.select(b.eq(turn.at, known), NULL, firsts)
            b.call(_ORDER, sizes, lives, lasts, own, count, tried)
        top = b.call(_STACK, *records, given.order, count, tried)
        with b.when(b.lt(top, turn.best)), b.loop(0, count) as each:
            b.store(_get(b, tried, each.index), b.at(offsets, each.index))
        turn.best = b.min(turn.best, top)
        turn.at = b.add(turn.at, 1)
        turn.goes = b.both(b.lt(bound, turn.best), b.lt(turn.at, every))
    b.leave(turn.best)
    return b.function
