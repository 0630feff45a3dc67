"""`PoolState`: where the fields of the pool of threads are, in bytes."""

from __future__ import annotations


class PoolState:
    """
    The bytes at which fields begin; groups of them have a cache line each.

    The ticket is the number of calls in its upper half, then the parts of this one and
    the next of them to be taken, 16 bits each. Who adds one to it owns a part, and by
    that the function and arguments: the call does not end before the part is finished.
    """

    TICKET = 0
    CALLS = 4
    """The upper half of the ticket, on which workers sleep."""
    FINISHED = 64
    """The parts of a call that workers have finished."""
    FUNCTION = 128
    ARGUMENTS = 136
    STOP = 192
    """Whether workers are to end."""
    SLEEPERS = 256
    BUSY = 320
    """Whether a caller has the pool."""
    WORKERS = 384
    SIZE = 448

    MOST = 65535
    """Parts that a ticket has room for."""
