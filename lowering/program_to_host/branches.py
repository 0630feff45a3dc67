"""
Lower lists of calls that may run at once: threads take one after the other.

    i32 branch.k.i(context)                       the calls of one list
    void part.branches.k(words, part, parts)      what one thread does

Words: the number of the next list, the status of each, and a context for each, which is
a copy of that of the run. So each list has its own words for what went wrong, and for
the points that are left until it looks at the clock. Only the thread of the caller asks
Python for signals. No kernel shares its work meanwhile: the threads have the lists.
"""

from __future__ import annotations

from collections.abc import Sequence

from ...dialects.loop import CallOutOp, DefineOp, ParallelOp, ProgramOp
from ...runtime.abi import INTERRUPTED, ContextLayout
from ...runtime.hostcode import (
    ADDRESS,
    NULL,
    WORD,
    Builder,
    Function,
    Signature,
    Value,
)
from .sharing import FORK

_FIRST_STATUS = 1
"""The word that is the status of the first list."""

_NOTED = range(ContextLayout.FAILED, ContextLayout.CALL_OUT)
"""The fields of a context that say what went wrong."""


def may_fork(op: ParallelOp) -> bool:
    """
    Whether threads may run the lists: each begins with the run, computes no size that
    others need, and runs no Python, whose GIL the caller of the run may have.
    """
    inner = op.walk()
    return isinstance(op.parent_op(), ProgramOp) and not any(
        isinstance(each, CallOutOp | DefineOp) for each in inner
    )


def lower_part(
    branches: Sequence[Signature], layout: ContextLayout, number: int
) -> Function:
    """The function by which a thread runs lists until none is left."""
    kind = Signature(f"part.branches.{number}", (ADDRESS, WORD, WORD))
    b = Builder(kind, "nounwind", "internal")
    words, part, _ = b.parameters
    with b.forever():
        at = b.atomic("add", "monotonic", 8, words, 1)
        with b.when(b.le(len(branches), at)):
            b.leave()
        own = _context_of(b, words, at, len(branches), layout)
        with b.when(b.ne(part, 0)):
            b.store(NULL, own, ContextLayout.THREAD)
        b.store(1, own, ContextLayout.THREADS)
        with b.switch(at, status=0) as chosen:
            for each, branch in enumerate(branches):
                with chosen.case(each):
                    chosen.status = b.call(branch, own)
        b.store(chosen.status, b.at(words, at), _FIRST_STATUS)
    return b.function


def fork(
    b: Builder,
    layout: ContextLayout,
    branches: Sequence[Signature],
    part: Signature,
) -> None:
    """
    Builds the run of lists of calls, side by side or, in a run of one thread, in turn.

    The first error in the order of the program ends the run; an interruption comes
    before any, since its exception is set.
    """
    context, count = b.parameters[0], len(branches)
    parts = b.min(b.load(context, ContextLayout.THREADS), count)
    with b.when(b.lt(1, parts)) as several:
        words = b.alloca(_FIRST_STATUS + count * (1 + layout.size))
        b.store(0, words)
        with b.loop(0, count) as each:
            own = _context_of(b, words, each.index, count, layout)
            with b.loop(0, layout.size) as field:
                b.store(b.load(b.at(context, field.index)), b.at(own, field.index))
        pool, function = (
            b.load(context, each, ADDRESS)
            for each in (ContextLayout.POOL, ContextLayout.FORK)
        )
        b.call_address(function, FORK, pool, b.outside(part.name), words, parts)
        found = [b.load(words, _FIRST_STATUS + at) for at in range(count)]
        if layout.orders:
            # Each list found out about indices of its own.
            words_of = [_context_of(b, words, at, count, layout) for at in range(count)]
            known = b.load(context, layout.order)
            for own in words_of:
                known = b.binary("or", known, b.load(own, layout.order))
            b.store(known, context, layout.order)
        for status in found:
            b.leave_if(b.eq(status, INTERRUPTED), INTERRUPTED)
        for at, status in enumerate(found):
            with b.when(b.ne(status, 0)):
                own = _context_of(b, words, at, count, layout)
                for each in _NOTED:
                    b.store(b.load(own, each), context, each)
                b.leave(status)
    with several.otherwise():
        for each in branches:
            status = b.call(each, context)
            b.leave_if(b.ne(status, 0), status)


def _context_of(
    b: Builder, words: Value, number: Value, count: int, layout: ContextLayout
) -> Value:
    """The address of the context of a list."""
    first = b.offset(words, 8 * (_FIRST_STATUS + count))
    return b.at(first, b.mul(number, layout.size))
