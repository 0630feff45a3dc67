"""
What compiled code and Python both read and write: two structs of fields of 8 bytes.

A *context* is the memory of one run: where inputs, outputs and activations are, what
the symbols are, where each slot begins, and what went wrong. The *state* of a module is
what its entry needs of Python: free contexts, and objects of numpy.
"""

from __future__ import annotations

from dataclasses import dataclass

WORD = 8
"""Bytes of a pointer, and of an i64."""

DTYPE_NAMES = ("float32", "float64", "int32", "int64", "bool")
"""The dtypes of inputs and outputs, in the order of their fields in the state."""


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
    OUT = 5
    """The text "out"; null when an input has that name."""
    TUPLE_TYPE = 6
    """The type object of tuples."""
    DTYPES = 7
    """The first of the descriptors of `DTYPE_NAMES`."""

    SIZE = DTYPES + len(DTYPE_NAMES)


@dataclass(frozen=True)
class ContextLayout:
    """The fields of a context, for a program with so many inputs, outputs and so on."""

    inputs: int
    outputs: int
    symbols: int
    slots: int
    defined: int = 0
    """Symbols that the program defines itself."""

    NEXT = 0
    """The next free context."""
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
    HEAD = 14

    @property
    def first_output(self) -> int:
        """The field of the first output."""
        return self.HEAD + self.inputs

    @property
    def first_symbol(self) -> int:
        """The field of the first symbol."""
        return self.first_output + self.outputs

    @property
    def first_defined(self) -> int:
        """The field of the first symbol that the program defines."""
        return self.first_symbol + self.symbols

    @property
    def first_slot(self) -> int:
        """The field of the first slot's offset."""
        return self.first_defined + self.defined

    @property
    def size(self) -> int:
        """How many fields there are."""
        return self.first_slot + self.slots


INDEX_ERROR = 1
"""The status of a run that met an index out of its range."""

CALL_OUT_ERROR = 2
"""The status of a run in which a fallback op raised an exception."""

RANGE_ERROR = 3
"""The status of a run that computed a size out of its range."""

SIZE_ERROR = 4
"""The status of a run that computed sizes which an op cannot take."""

EQUALITY_ERROR = 6
"""The status of a run that computed two sizes which differ, and should not."""

INTERRUPTED = 5
"""The status of a run that a handler of a signal ended; its exception is set."""

CALLED = 1
"""What a fallback op returns that has run; ctypes returns zero for an exception."""

GRAIN = 1 << 18
"""The work that a thread takes at least, in multiply-adds: some five microseconds."""
