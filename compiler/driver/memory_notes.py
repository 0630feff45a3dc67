"""Describe a program whose memory is checked: its calls, and what they work on."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import DenseArrayBase, DictionaryAttr

from ...dialects.loop import CALLS, CHECKED, CallOp, CallOutOp, ProgramOp, memory_of
from ...runtime.checking import CheckedCall, MemoryNotes
from .describe import source


def memory_notes(program: ProgramOp) -> MemoryNotes | None:
    """What checks of memory need; None for a program whose memory is not checked."""
    checked = program.attributes.get(CHECKED)
    if not isinstance(checked, DictionaryAttr):
        return None
    calls: dict[int, CheckedCall] = {}
    counted = (op for op in program.walk() if isinstance(op, CALLS))
    for number, op in enumerate(counted):
        if isinstance(op, CallOp | CallOutOp):
            is_kernel = isinstance(op, CallOp)
            calls[number] = CheckedCall(
                f"kernel {op.kernel_name}" if is_kernel else "the reference",
                source(op),
                tuple(memory_of(each) for each in op.buffers),
                # A kernel writes to its last buffer.
                len(op.buffers) - 1 if is_kernel else len(op.inputs),
            )
    memory = [("activations", at) for at in range(len(program.slots))]
    memory += [("outputs", at) for at in range(len(program.outputs))]
    groups = dict(zip(memory, _row(checked, "groups"), strict=True))
    return MemoryNotes(calls, groups, tuple(_row(checked, "last")))


def _row(checked: DictionaryAttr, name: str) -> Sequence[int]:
    """A row of numbers that the pass noted."""
    found = checked.data[name]
    assert isinstance(found, DenseArrayBase), "the pass notes rows of numbers"
    return [int(each) for each in found.get_values()]
