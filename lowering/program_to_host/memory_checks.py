"""
How a call of a program whose memory is checked asks the runtime before and after it.

It asks the function that runs fallback ops, by numbers that no such op has, and gives
it a table: the address and the bytes of each buffer. The runtime may want a kernel to
run again, after it has put memory back.
"""

from __future__ import annotations

from xdsl.ir import SSAValue

from ...dialects import Dim, dim
from ...dialects.loop import (
    CallOp,
    CallOutOp,
    ElementOp,
    ProgramOp,
    ViewOp,
    byte_count,
    element_type,
    memory_of,
)
from ...runtime.abi import AGAIN, CALLED, FIRST_CHECK, WHOLE, ContextLayout
from ...runtime.hostcode import ADDRESS, INT32, WORD, Op, Signature, Value
from .addresses import AddressBuilder

CALL_OUT = Signature("", (ADDRESS, WORD, ADDRESS), INT32)


class MemoryChecks:
    """Builds the checks around one call."""

    def __init__(self, a: AddressBuilder, op: CallOp | CallOutOp, number: int):
        """The checks of a call of this number, whose table is filled here."""
        self.a, self.number = a, number
        self.table = a.b.alloca(2 * len(op.buffers))
        for at, buffer in enumerate(op.buffers):
            a.b.store(a.address(buffer), self.table, 2 * at)
            bytes = a.sizes.size(_bytes_of(a.program, buffer))
            a.b.store(bytes, self.table, 2 * at + 1)

    def before(self) -> Value:
        """Asks before the call; whether the run is to end."""
        return self.a.b.ne(self.ask(0), CALLED)

    def ask(self, phase: int) -> Op:
        """Asks before the call, or after it where `phase` is 1; the answer."""
        number = FIRST_CHECK + 2 * self.number + phase
        function = self.a.pointer(ContextLayout.CALL_OUT)
        return self.a.b.call_address(
            function, CALL_OUT, self.a.context, number, self.table
        )

    def is_bad(self, status: Value) -> Value:
        """Whether an answer ends the run."""
        b = self.a.b
        return b.both(b.ne(status, CALLED), b.ne(status, AGAIN))


def _bytes_of(program: ProgramOp, buffer: SSAValue) -> Dim:
    """The bytes of a buffer that is in a slot, or a part of one; else `WHOLE`."""
    owner = buffer.owner
    item = byte_count(element_type(buffer))
    if isinstance(owner, ElementOp):
        return dim(owner.stride.data) * item
    region, number = memory_of(buffer)
    if region != "activations":
        return WHOLE
    assert isinstance(owner, ViewOp), "it is no element"
    return program.slots.data[number].size - dim(owner.start.data) * item
