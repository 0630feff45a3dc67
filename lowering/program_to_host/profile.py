"""
How a program that is profiled notes the time of each call of a kernel.

One look at the clock for each call is enough: a call begins when the one before it
ended. What is between two calls, some nanoseconds, counts for the second.
"""

from __future__ import annotations

from ...runtime.abi import ProfileLayout
from ...runtime.hostcode import (
    ADDRESS,
    WORD,
    Builder,
    Function,
    Signature,
    Value,
)
from . import python_api as api

BEGIN = Signature("sr_begin", (ADDRESS,))
LAP = Signature("sr_lap", (ADDRESS, WORD))

_CLOCK = 1
"""CLOCK_MONOTONIC of Linux."""

_SECOND = 1_000_000_000
"""Nanoseconds."""


def lower_laps() -> list[Function]:
    """The functions that a profiled program calls: `sr_begin` and `sr_lap`."""
    return [_begin(), _lap()]


def _begin() -> Function:
    """Notes that the time from now on is that of the next call."""
    b = Builder(BEGIN, "nounwind", "internal")
    (profile,) = b.parameters
    b.store(_now(b), profile, ProfileLayout.NOW)
    b.leave()
    return b.function


def _lap() -> Function:
    """Adds the time since the last lap to a call; notes an event if there is room."""
    b = Builder(LAP, "nounwind", "internal")
    profile, number = b.parameters
    before, now = b.load(profile, ProfileLayout.NOW), _now(b)
    b.store(now, profile, ProfileLayout.NOW)
    calls = b.offset(profile, 8 * ProfileLayout.HEAD)
    call = b.at(calls, number, 8 * ProfileLayout.CALL)
    b.store(b.add(b.load(call), b.sub(now, before)), call)
    b.store(b.add(b.load(call, 1), 1), call, 1)
    event = b.load(profile, ProfileLayout.NEXT, ADDRESS)
    end = b.load(profile, ProfileLayout.END, ADDRESS)
    with b.when(b.ne(b.number_of(event), b.number_of(end))):
        for at, each in enumerate((number, before, now)):
            b.store(each, event, at)
        following = b.offset(event, 8 * ProfileLayout.EVENT)
        b.store(following, profile, ProfileLayout.NEXT)
    b.leave()
    return b.function


def _now(b: Builder) -> Value:
    """The nanoseconds on a clock that only goes forward."""
    time = b.alloca(2)
    b.call(api.CLOCK, _CLOCK, time)
    return b.add(b.mul(b.load(time), _SECOND), b.load(time, 1))
