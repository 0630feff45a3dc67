"""
What the programs of all models do with Python, off the way of most calls.

They are native functions of one LLVM module, which is compiled once and linked to each
program. What every call passes through is not here but in the entry, where LLVM sees it
whole.
"""

from __future__ import annotations

from ...runtime.abi import INTERRUPTED, ContextLayout, State
from ...runtime.hostcode import (
    ADDRESS,
    BIT,
    INT32,
    NULL,
    WORD,
    Builder,
    Function,
    Signature,
    Value,
)
from . import python_api as api
from .body import RUN
from .lending import GIVE_BACK
from .notes import ASK, SPEND
from .polls import POINTS_PER_POLL

SLOW = Signature("sr_slow", (ADDRESS, WORD, ADDRESS), ADDRESS)
EXPLAIN = Signature("sr_explain", (ADDRESS, WORD), ADDRESS)
DROP = Signature("sr_drop", (ADDRESS, WORD))
TUPLE = Signature("sr_tuple", (ADDRESS, WORD), ADDRESS)
ENTER = Signature("sr_enter", (ADDRESS,), INT32)
ENTER_IF = Signature("sr_enter_if", (ADDRESS, BIT), INT32)
_REPEAT = Signature("sr_repeat", (ADDRESS, WORD), INT32)
IS_ARRAY = Signature("sr_is_array", (ADDRESS, WORD, WORD, WORD), BIT)
MATCH = Signature("sr_match", (ADDRESS, WORD, ADDRESS, WORD, ADDRESS), BIT)
_NUMBER = Signature("sr_number_of_name", (ADDRESS, WORD, WORD), WORD)
IS_APART = Signature("sr_is_apart", (ADDRESS, WORD, WORD), BIT)

COUNT = 2**63 - 1
"""The bits of the flags of a call that count the arguments by position."""

_COARSE_CLOCK = 6
"""
The clock that takes least to read: CLOCK_MONOTONIC_COARSE of Linux, CLOCK_MONOTONIC of
macOS.
"""

_POLL_INTERVAL = 250_000_000
"""Nanoseconds between the times at which a long run asks for signals."""


def python_calls() -> list[Function]:
    """All of the functions."""
    makers = (_slow, _explain, _drop, _tuple, _ask, _spend, _enter_if, _enter)
    others = (_repeat, _is_array, _number, _match, _is_apart)
    return [make() for make in (*makers, *others)]


def _slow() -> Function:
    """
    Leaves a call to Python, unless something was raised. The flags have a bit besides
    the number of arguments.
    """
    b = Builder(SLOW, "nounwind")
    arguments, flags, names = b.parameters
    b.leave_if(b.ne(b.call(api.OCCURRED), NULL), NULL)
    callable = api.field(b, State.SLOW)
    count = b.binary("and", flags, COUNT)
    b.leave(b.call(api.VECTORCALL, callable, arguments, count, names))
    return b.function


def _explain() -> Function:
    """
    Leaves the error of a run to Python, which also gives the context back. The
    exception of an interruption is set already, and needs no explanation.
    """
    b = Builder(EXPLAIN, "nounwind")
    context, status = b.parameters
    with b.when(b.eq(status, INTERRUPTED)):
        b.call(GIVE_BACK, context)
        b.leave(NULL)
    b.leave(api.ask(b, State.EXPLAIN, context, status))
    return b.function


def _drop() -> Function:
    """Lets go of the arrays in a table, some of them null."""
    b = Builder(DROP, "nounwind")
    made, count = b.parameters
    with b.loop(0, count) as each:
        b.call(api.DECREF, b.load(b.at(made, each.index), type=ADDRESS))
    b.leave()
    return b.function


def _tuple() -> Function:
    """A tuple of the arrays in a table; null, and none of them, without memory."""
    b = Builder(TUPLE, "nounwind")
    made, count = b.parameters
    whole = b.call(api.NEW_TUPLE, count)
    with b.when(b.eq(whole, NULL)):
        b.call(DROP, made, count)
        b.leave(NULL)
    with b.loop(0, count) as each:
        array = b.load(b.at(made, each.index), type=ADDRESS)
        b.call(api.SET_ITEM, whole, each.index, array)
    b.leave(whole)
    return b.function


def _ask() -> Function:
    """Runs the handlers of signals that came, if the GIL was let go of."""
    b = Builder(ASK, "noinline nounwind")
    (context,) = b.parameters
    thread = b.load(context, ContextLayout.THREAD, ADDRESS)
    b.leave_if(b.eq(thread, NULL), 0)
    b.call(api.RESTORE, thread)
    raised = b.call(api.CHECK_SIGNALS)
    b.call(api.SAVE)
    b.leave(b.select(b.ne(raised, 0), INTERRUPTED, 0))
    return b.function


def _spend() -> Function:
    """Counts points of loops, and asks at most once in a quarter of a second."""
    b = Builder(SPEND, "nounwind")
    context, points = b.parameters
    left = b.sub(b.load(context, ContextLayout.FUEL), points)
    b.store(left, context, ContextLayout.FUEL)
    b.leave_if(b.le(0, left), 0)
    b.store(POINTS_PER_POLL, context, ContextLayout.FUEL)
    time = b.alloca(2)
    b.call(api.CLOCK, _COARSE_CLOCK, time)
    now = b.add(b.mul(b.load(time), 4), b.floordiv(b.load(time, 1), _POLL_INTERVAL))
    before = b.load(context, ContextLayout.TICK)
    b.store(now, context, ContextLayout.TICK)
    b.leave_if(b.eq(now, before), 0)
    b.leave(b.call(ASK, context))
    return b.function


def _enter_if() -> Function:
    """Runs a program without the GIL, and notes the thread if the run is long."""
    b = Builder(ENTER_IF)
    context, is_long = b.parameters
    thread = b.call(api.SAVE)
    b.store(b.select(is_long, thread, NULL), context, ContextLayout.THREAD)
    status = b.call(RUN, context)
    b.store(NULL, context, ContextLayout.THREAD)
    b.call(api.RESTORE, thread)
    b.leave(status)
    return b.function


def _enter() -> Function:
    """The same of a program whose runs are never long; others have their own."""
    b = Builder(ENTER, linkage="weak")
    b.leave(b.call(ENTER_IF, b.parameters[0], False))
    return b.function


def _repeat() -> Function:
    """Runs a program some times, for measuring."""
    b = Builder(_REPEAT, "nounwind")
    context, times = b.parameters
    with b.loop(0, times, status=0) as each:
        each.status = b.call(RUN, context)
    b.leave(each.status)
    return b.function


def _is_array() -> Function:
    """
    Whether an object is an array of a dtype, whose descriptor is a field of the state,
    and of a rank, with the flags `wanted`.
    """
    b = Builder(IS_ARRAY, "nounwind")
    array, dtype, rank, wanted = b.parameters
    kind = b.load(b.offset(array, api.TYPE), type=ADDRESS)
    b.leave_if(b.ne(kind, api.field(b, State.ARRAY_TYPE)), False)
    known = b.load(b.at(api.state(b), dtype), type=ADDRESS)
    b.leave(is_like(b, array, known, rank, wanted))
    return b.function


def is_like(
    b: Builder, array: Value, descriptor: Value, rank: Value, wanted: Value
) -> Value:
    """Whether an array has a descriptor, a rank and some flags."""
    own = b.load(b.offset(array, api.RANK), width=4)
    described = b.load(b.offset(array, api.DTYPE), type=ADDRESS)
    flags = b.load(b.offset(array, api.FLAGS), width=4)
    has_flags = b.eq(b.binary("and", flags, wanted), wanted)
    return b.both(b.eq(own, rank), b.eq(described, descriptor), has_flags)


def _number() -> Function:
    """
    The number of a name among the `count` names of inputs and `out`; -1 for another. It
    probably is the one that is expected.
    """
    b = Builder(_NUMBER, "nounwind")
    name, count, expected = b.parameters
    known = api.field(b, State.NAMES)
    b.leave_if(b.eq(b.load(b.at(known, expected), type=ADDRESS), name), expected)
    with b.loop(0, count) as each:
        other = b.load(b.at(known, each.index), type=ADDRESS)
        is_same = b.call(api.COMPARE, name, other, api.EQUAL)
        b.leave_if(b.eq(is_same, 1), each.index)
        b.leave_if(b.ne(is_same, 0), -1)  # an error
    b.leave(-1)
    return b.function


def _match() -> Function:
    """
    Writes the arguments of a call in the order of the inputs, and then `out`, null if
    none is given, where the arguments after the first `count` have names. False for a
    call that does not give each input once.
    """
    b = Builder(MATCH, "nounwind")
    arguments, count, names, inputs, places = b.parameters
    named, every = b.call(api.TUPLE_SIZE, names), b.add(inputs, 1)
    b.leave_if(b.lt(inputs, count), False)
    b.leave_if(b.lt(every, b.add(count, named)), False)
    with b.loop(0, count) as each:
        b.store(b.load(b.at(arguments, each.index)), b.at(places, each.index))
    with b.loop(count, every) as each:
        b.store(0, b.at(places, each.index))
    with b.loop(0, named) as each:
        at = b.add(count, each.index)
        name = b.call(api.GET_ITEM, names, each.index)
        number = b.call(_NUMBER, name, every, at)
        b.leave_if(b.lt(number, 0), False)
        place = b.at(places, number)
        b.leave_if(b.ne(b.load(place), 0), False)
        b.store(b.load(b.at(arguments, at)), place)
    with b.loop(count, inputs) as each:
        b.leave_if(b.eq(b.load(b.at(places, each.index)), 0), False)
    b.leave(True)
    return b.function


def _is_apart() -> Function:
    """
    Of rows of memory, each as its start and its end, whether none of the first `own`
    shares a byte with one that comes after it.
    """
    b = Builder(IS_APART, "nounwind")
    ranges, own, count = b.parameters
    with b.loop(0, own) as one:
        row = b.at(ranges, one.index, 16)
        start, end = b.load(row), b.load(row, 1)
        with b.loop(b.add(one.index, 1), count) as other:
            that = b.at(ranges, other.index, 16)
            before = b.binary("ule", end, b.load(that))
            after = b.binary("ule", b.load(that, 1), start)
            b.leave_if(b.eq(b.either(before, after), False), False)
    b.leave(True)
    return b.function
