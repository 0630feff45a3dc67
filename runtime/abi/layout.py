"""
What compiled code and Python both read and write: structs of fields of 8 bytes.

A *context* is the memory of one run: where inputs, outputs and activations are, and
what went wrong. A *plan row* says where each slot begins for some values of the
symbols; the contexts of a module share its rows. The *state* of a module is what its
entry needs of Python: free contexts, the table of rows, and objects of numpy.
"""

from __future__ import annotations

from dataclasses import dataclass

from .dtypes import DTYPE_NAMES

WORD = 8
"""Bytes of a pointer, and of an i64."""

ALIGNMENT = 64
"""
The bytes that memory of tensors, and each offset in it, is a multiple of: a cache line,
and the longest vector.
"""


def aligned(size: int) -> int:
    """The bytes that memory of `size` bytes takes."""
    return -(-size // ALIGNMENT) * ALIGNMENT


LIMIT = 2**62
"""The bound of all that is computed from sizes, so that 64 bits hold it."""


class State:
    """The numbers of the fields of a module's state."""

    FREE = 0
    """The first free context, or null."""
    SLOW = 1
    """The Python callable for calls that the entry does not take."""
    ARRAY_TYPE = 2
    """The type object of numpy arrays."""
    NEW = 3
    """`PyArray_NewFromDescr` of numpy's C interface."""
    EXPLAIN = 4
    """The Python callable for runs that ended in an error: (context, status)."""
    NAMES = 5
    """
    The names of the inputs and then the text "out", objects of Python: None for a name
    by which nothing may be given without Python's help.
    """
    TUPLE_TYPE = 6
    """The type object of tuples."""
    RESERVE = 7
    """
    The Python callable that lends a context with enough memory: (symbols) to context.
    """
    PLANS = 8
    """The table of plan rows: a mask, and as many pointers to rows, by their hashes."""
    LAST = 9
    """The row of the last call; one that no sizes match, before there was any."""
    NOW = 10
    """How often rows were added; a call notes it in the row that it uses."""
    NOTES = 11
    """
    Which row each thread used last, where that decides what was skipped, and which
    indices were in order: `NOTE_WORDS` for a thread, by its hash.
    """
    ADD = 12
    """
    The Python callable that adds a plan row for new sizes: (symbols) to its address, or
    to zero where the call is to be explained.
    """
    KEPT = 13
    """
    The arrays of `KEPT_CALLS` calls, all of an output together, where the module
    manages its outputs: objects of Python, None among them; else null.
    """
    DTYPES = 14
    """The first of the descriptors of `DTYPE_NAMES`."""

    SIZE = DTYPES + len(DTYPE_NAMES)


APART, ELSEWHERE = -1, -2
"""What a slot is part of that has memory of its own, or none among the slots."""

PLAN_BYTES, PLAN_BOUND = 4, 5
"""
The words, of those by which slots are planned, in which the bytes of all slots are
left, and the least that any plan has.
"""

PLAN_ARGUMENTS = 6
"""Words that planning takes before those of slots."""

HASH_FACTOR = 0x9E3779B97F4A7C15
"""What the hash of symbols is multiplied by at each of them."""

HASH_SHIFT = 29
"""The bits by which the hash is shifted and added to itself after that."""


NOTES = 64
"""Threads whose last row is noted; others may have the same place."""

NOTE_WORDS = 3
"""Words of a note: a thread, the row, and which indices were in order."""

MOST_ORDERS = 62
"""Indices that a program may find to be in order, or not: bits of a word."""

KEPT_CALLS = 4
"""
The calls whose outputs are kept: `y = module(x)` in a loop needs two, as `y` is there
until the next call returned.
"""

CALLS = 1024
"""The calls in a row that need little of a block, after which it shrinks."""

SHRINK_SHIFT = 2
"""A call needs little of a block that is more than 1 << SHRINK_SHIFT times as large."""

NEVER_SHRUNK_BYTES = 1 << 16
"""Bytes of a block that is never too large."""


@dataclass(frozen=True)
class RowLayout:
    """The fields of a plan row, for a program's counts of symbols, slots and skips."""

    symbols: int
    slots: int
    skips: int = 0

    BYTES = 0
    """The size of the block of activations."""
    USED = 1
    """`State.NOW` at the last call that used the row."""
    LOWER_BOUND = 2
    """The least size that any plan has."""
    HEAD = 3

    @property
    def first_symbol(self) -> int:
        """The field of the first symbol's value."""
        return self.HEAD

    @property
    def first_slot(self) -> int:
        """The field of the first slot's offset."""
        return self.first_symbol + self.symbols

    @property
    def first_skip(self) -> int:
        """The field of the first skip: 0, or which of its ways is taken, from 1."""
        return self.first_slot + self.slots

    @property
    def size(self) -> int:
        """How many fields there are."""
        return self.first_skip + self.skips


@dataclass(frozen=True)
class ContextLayout:
    """The fields of a context, for a program's counts of inputs and outputs."""

    inputs: int
    outputs: int
    defined: int = 0
    """Symbols that the program defines itself."""
    orders: int = 0
    """How many tensors of indices the program may find to be in order."""

    NEXT = 0
    """The next free context; the context itself while a run has it."""
    ACTIVATIONS = 1
    """The block of activations."""
    CONSTANTS = 2
    """The block of constants."""
    FAILED = 3
    """The number of the call that ended in an error."""
    ERROR = 4
    """The index or size that was bad, the least that is allowed, the bound."""
    CALL_OUT = 7
    """The function that runs a fallback op: (context, number, buffers) to `CALLED`."""
    POOL = 8
    """The state of the thread pool."""
    FORK = 9
    """The function that lets threads run the parts of a kernel."""
    THREADS = 10
    """How many threads a run may use."""
    THREAD = 11
    """Python's state of the thread of a run that may be interrupted, or null."""
    FUEL = 12
    """Points of loops that are left until a run looks at the clock."""
    TICK = 13
    """The quarter of a second in which a run last asked whether it ends."""
    PLAN = 14
    """The plan row of the run; null in a program without symbols."""
    BLOCK_BYTES = 15
    """The bytes of the block of activations."""
    PEAK = 16
    """The most bytes that the last calls needed; all needed little."""
    LEFT = 17
    """How many more calls may need little of the block until it shrinks."""
    TOUCHED = 18
    """Whether a call had the context since Python last looked."""
    PARTS = 19
    """The parts of the last kernel that threads may share, if more than one."""
    HEAD = 20

    @property
    def first_output(self) -> int:
        """The field of the first output."""
        return self.HEAD + self.inputs

    @property
    def first_defined(self) -> int:
        """The field of the first symbol that the program defines."""
        return self.first_output + self.outputs

    @property
    def profile(self) -> int:
        """The field of the address of a run's profile (`ProfileLayout`), or null."""
        return self.first_defined + self.defined

    @property
    def order(self) -> int:
        """
        The last field: a bit for each of the orders, set where the last indices of that
        number were 0, 1, 2, …; without orders it is another field.
        """
        return self.size - 1

    @property
    def size(self) -> int:
        """How many fields there are."""
        return self.profile + 1 + bool(self.orders)


@dataclass(frozen=True)
class ProfileLayout:
    """The fields of a profile, for a program's count of calls."""

    calls: int
    """The calls that may end a run, kernels among them."""

    NOW = 0
    """The nanosecond in which the last call of a kernel ended, or the run began."""
    NEXT = 1
    """The address of the next event that is noted."""
    END = 2
    """The address behind the last event that there is room for."""
    HEAD = 3

    CALL = 2
    """Words of a call: its nanoseconds in all, and how often it ran."""

    EVENT = 3
    """Words of an event: the number of the call, its first and its last nanosecond."""

    @property
    def size(self) -> int:
        """How many fields there are before the events."""
        return self.HEAD + self.CALL * self.calls


INDEX_ERROR = 1
"""The status of a run that met an index out of its range."""

CALL_OUT_ERROR = 2
"""The status of a run in which a fallback op raised an exception."""

RAN, SHARED = 1, 2
"""Bits of the mark of a call that is traced: it ran, and threads shared its work."""

RANGE_ERROR = 3
"""The status of a run that computed a size out of its range."""

SIZE_ERROR = 4
"""The status of a run that computed sizes which an op cannot take."""

EQUALITY_ERROR = 6
"""The status of a run that computed two sizes which differ, and should not."""

INTERRUPTED = 5
"""The status of a run that a handler of a signal ended; its exception is set."""

NOT_SELECTED = 7
"""The status of a run that came to a kernel which its library does not have."""

PAUSED = 8
"""The status of a run of bytecode that is to go on where it ended."""

CALLED = 1
"""What a fallback op returns that has run; ctypes returns zero for an exception."""

AGAIN = 3
"""What a check of memory returns that wants the kernel to run once more."""

FIRST_CHECK = 1 << 32
"""
The number by which `CALL_OUT` is asked to check memory before the first call of a
program; it is one more after the call, and two more for each call.
"""

WHOLE = -1
"""The bytes of a buffer that ends where the memory does that it is in."""

WORTH_RELEASING = 32768
"""
Points of loops from which on a run, of some two microseconds, lets other threads run
Python.
"""

GRAIN = 1 << 18
"""The work that a thread takes at least, in multiply-adds: some five microseconds."""
