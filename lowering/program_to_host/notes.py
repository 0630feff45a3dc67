"""Build what a run notes: errors, marks and times; and where it may be interrupted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from xdsl.dialects.builtin import IntAttr, IntegerAttr

from ...dialects import Dim, symbols_of
from ...dialects.loop import PROFILED, TRACED, CallOp, CallOutOp, KernelOp, ProgramOp
from ...runtime.abi import INTERRUPTED, ContextLayout
from ...runtime.hostcode import ADDRESS, INT32, WORD, Builder, Signature, Value
from . import polls
from .addresses import AddressBuilder
from .profile import BEGIN

SPEND = Signature("sr_spend", (ADDRESS, WORD), INT32)
ASK = Signature("sr_ask", (ADDRESS,), INT32)

_MARKS = "sr_marks"
"""The marks of calls that are traced, a byte each."""


class NotingBuilder:
    """Builds what ends a run, what is noted of it, and where it may be interrupted."""

    a: AddressBuilder
    b: Builder

    def __init__(self, program: ProgramOp, is_polled: bool, is_marked: bool):
        """A program before anything of it is built."""
        self.program, self.is_marked = program, is_marked
        self.kernels: Mapping[str, KernelOp] = program.kernels
        self.is_polled = is_polled and polls.length_of(program).is_ever_long
        self.is_profiled = PROFILED in program.attributes
        self.calls: int = 0
        """The ops so far that may end a run."""
        self.spent = polls.Spent()
        """Points of loops since the last poll."""

    def leave_if(self, bad: Value, status: int, shown: Sequence[Value] = ()) -> None:
        """Ends the run where something is bad, and notes at which op that was."""
        context = self.a.context
        notes = [
            (each, context, ContextLayout.ERROR + at) for at, each in enumerate(shown)
        ]
        notes.append((self.calls, context, ContextLayout.FAILED))
        self.b.leave_if(bad, status, notes)

    def mark(self, op: CallOp | CallOutOp, bit: int) -> None:
        """Sets a bit of the mark of a call that is traced."""
        match op.attributes.get(TRACED):
            case IntegerAttr(value=IntAttr(data=number)) if self.is_marked:
                marks = self.b.outside(_MARKS)
                # Runs in several threads may set it at once.
                self.b.atomic("or", "monotonic", 1, self.b.offset(marks, number), bit)
            case _:
                pass

    def poll(self, in_trip: bool = False) -> None:
        """Lets a run be interrupted here, if it is long."""
        b, sizes = self.b, self.a.sizes
        thread = self.a.pointer(ContextLayout.THREAD)
        with b.when(b.ne(b.number_of(thread), 0)):
            # The poll of a trip spends the trip's points; others look at the clock.
            spent: Dim = polls.POINTS_PER_POLL
            if in_trip and symbols_of(whole := self.spent.whole) <= {*sizes.symbols}:
                spent = polls.bounded(whole)
            status = b.call(SPEND, self.a.context, sizes.size(spent))
            b.leave_if(b.ne(status, 0), INTERRUPTED)
            self.lap(BEGIN)
        self.spent = polls.Spent()

    def lap(self, function: Signature, *arguments: Value) -> None:
        """Calls a function that notes the time, if the run has a profile."""
        if self.is_profiled:
            b, profile = self.b, self.a.pointer(self.a.layout.profile)
            with b.when(b.ne(b.number_of(profile), 0)):
                b.call(function, profile, *arguments)
