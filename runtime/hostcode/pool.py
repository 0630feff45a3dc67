"""
The functions of the pool of threads: `sr_work`, which a worker runs, and `sr_fork`.

Their state is a `PoolState`.
"""

from __future__ import annotations

from ..abi import EVERYONE, FUTEX, WAIT, WAKE, PoolState
from .builder import Builder
from .function import ADDRESS, NULL, WORD, Function, Op, Signature, Value

_SPINS = 4000
"""Looks at the ticket before a worker sleeps: some tens of microseconds."""

_LOOKS_BEFORE_YIELD = 20000
"""Looks at what is left before a caller lets others run."""

_YIELD = {"x86_64": 24, "aarch64": 124}
"""The number of the system call `sched_yield`."""

_PAUSE = {
    "x86_64": "call void @llvm.x86.sse2.pause()",
    "aarch64": "call void @llvm.aarch64.hint(i32 1)",
}
"""What a loop does that waits."""

_PART = Signature("", (ADDRESS, WORD, WORD))
_SYSTEM = Signature("syscall", (WORD,), WORD, is_variadic=True)
WORK = Signature("sr_work", (ADDRESS,))
FORK = Signature("sr_fork", (ADDRESS, ADDRESS, ADDRESS, WORD))


def pool_functions(machine: str) -> list[Function]:
    """The functions for a machine: x86_64 or aarch64."""
    return [_work(machine).function, _fork(machine).function]


def pool_pause(machine: str) -> str:
    """The instruction by which a loop waits."""
    return _PAUSE[machine]


def _take(b: Builder, state: Value) -> tuple[Value, Value, Op]:
    """The parts of the ticket, the next of them, and whether it is now the caller's."""
    ticket = b.atomic("load", "acquire", 8, state)
    number = b.binary("and", ticket, PoolState.MOST)
    parts = b.binary("and", b.binary("lshr", ticket, 16), PoolState.MOST)
    return number, parts, ticket


def _owns(b: Builder, state: Value, ticket: Op) -> Op:
    """Whether a part of the ticket was taken by nobody else meanwhile."""
    return b.atomic("exchange", "acq_rel", 8, state, ticket, b.add(ticket, 1))


def _work(machine: str) -> Builder:
    """What a worker does until the pool stops: takes parts, or waits for calls."""
    b = Builder(WORK)
    (state,) = b.parameters
    sleepers, calls = (
        b.offset(state, each) for each in (PoolState.SLEEPERS, PoolState.CALLS)
    )
    with b.forever(spin=0) as turn:
        stop = b.atomic("load", "acquire", 4, b.offset(state, PoolState.STOP))
        with b.when(b.ne(stop, 0)):
            b.leave()
        number, parts, ticket = _take(b, state)
        with b.when(b.lt(number, parts), spin=turn.spin) as some:
            with b.when(_owns(b, state, ticket), spin=turn.spin) as mine:
                function = b.load(state, PoolState.FUNCTION // 8, ADDRESS)
                arguments = b.load(state, PoolState.ARGUMENTS // 8, ADDRESS)
                b.call_address(function, _PART, arguments, number, parts)
                b.atomic("add", "release", 4, b.offset(state, PoolState.FINISHED), 1)
                mine.spin = 0
            some.spin = mine.spin
        with some.otherwise():
            b.do("pause")
            some.spin = b.add(turn.spin, 1)
            with b.when(b.le(_SPINS, some.spin), spin=some.spin) as tired:
                b.atomic("add", "seq_cst", 4, sleepers, 1)
                seen = b.binary("lshr", ticket, 32)
                b.call(_SYSTEM, FUTEX[machine], calls, WAIT, seen, NULL)
                b.atomic("sub", "seq_cst", 4, sleepers, 1)
                tired.spin = 0
            some.spin = tired.spin
        turn.spin = some.spin
    return b


def _fork(machine: str) -> Builder:
    """Runs the parts of a call, by the caller and by workers that are awake in time."""
    b = Builder(FORK)
    state, function, arguments, asked = b.parameters
    finished, sleepers, busy = (
        b.offset(state, each)
        for each in (PoolState.FINISHED, PoolState.SLEEPERS, PoolState.BUSY)
    )
    workers = b.atomic("load", "acquire", 8, b.offset(state, PoolState.WORKERS))
    b.go_unless(b.ne(workers, 0), "alone")
    b.go_unless(b.atomic("exchange", "acquire", 4, busy, 0, 1), "alone")
    count = b.min(asked, b.add(workers, 1))
    b.store(function, state, PoolState.FUNCTION // 8)
    b.store(arguments, state, PoolState.ARGUMENTS // 8)
    b.atomic("store", "monotonic", 4, finished, 0)
    before = b.atomic("load", "monotonic", 8, state)
    upper = b.binary("shl", b.add(b.binary("lshr", before, 32), 1), 32)
    now = b.binary("or", b.binary("or", upper, b.binary("shl", count, 16)), 1)
    b.atomic("store", "seq_cst", 8, state, now)
    with b.when(b.ne(b.atomic("load", "seq_cst", 4, sleepers), 0)):
        calls = b.offset(state, PoolState.CALLS)
        b.call(_SYSTEM, FUTEX[machine], calls, WAKE, EVERYONE)
    b.call_address(function, _PART, arguments, 0, count)
    with b.repeat(goes=True, did=1) as turn:
        number, parts, ticket = _take(b, state)
        some = b.lt(number, parts)
        with b.when(some, did=turn.did) as take:
            with b.when(_owns(b, state, ticket), did=turn.did) as mine:
                b.call_address(function, _PART, arguments, number, parts)
                mine.did = b.add(turn.did, 1)
            take.did = mine.did
        turn.goes, turn.did = some, take.did
    theirs = b.sub(count, turn.did)
    with b.forever(turn=0) as join:
        ready = b.atomic("load", "acquire", 4, finished)
        with b.when(b.eq(ready, theirs)):
            b.atomic("store", "release", 4, busy, 0)
            b.leave()
        b.do("pause")
        join.turn = b.add(join.turn, 1)
        with b.when(b.le(_LOOKS_BEFORE_YIELD, join.turn), turn=join.turn) as patient:
            b.call(_SYSTEM, _YIELD[machine])
            patient.turn = 0
        join.turn = patient.turn
    with b.exit("alone"):
        b.call_address(function, _PART, arguments, 0, 1)
        b.leave()
    return b
